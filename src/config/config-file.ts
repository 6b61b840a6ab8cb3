// Reads the configuration file.
import { readFileSync } from 'node:fs';
import { parseDocument } from 'yaml';
import { ConfigError } from './config-error.ts';

/**
 * Reads a YAML or JSON file with groups of settings.
 * @throws ConfigError when it cannot be read. The message does not repeat its content, which may hold secrets.
 */
export function readConfigFile(file: string): Record<string, unknown> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(
      `The configuration file cannot be read: ${error instanceof Error ? error.message : error}.`,
    );
  }
  const document = parseDocument(text);
  const [{ code, linePos } = {}] = document.errors;
  if (code !== undefined) {
    const place = linePos === undefined ? '' : ` at line ${linePos[0].line}, column ${linePos[0].col}`;
    throw new ConfigError(`${file} is neither YAML nor JSON: ${code}${place}.`);
  }
  const content = toValue(document, file) ?? {};
  if (typeof content === 'object' && !Array.isArray(content)) return content as Record<string, unknown>;
  throw new ConfigError(`${file} must hold settings, such as "port: 4000".`);
}

function toValue(document: ReturnType<typeof parseDocument>, file: string): unknown {
  try {
    return document.toJS();
  } catch {
    // The library's message names the alias, which may be a secret that begins with an asterisk.
    throw new ConfigError(`${file} has an alias without an anchor. Quote values that begin with "*".`);
  }
}
