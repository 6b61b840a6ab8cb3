// Reads and prints configuration files, reads the files that settings name, and defines the error of an invalid setting.
import { readFileSync, statSync } from 'node:fs';
import { parseDocument } from 'yaml';
import { isObject } from '../upstream/json.ts';
import { plain, type Setting } from './setting.ts';

/** A setting is invalid. The message names it and the expected value. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  /** The command whose help explains it. The program sets that of the command that it runs. */
  command = 'optiongraph';
}

/** A setting that is given. */
export interface Given {
  /** In the form of the configuration file. */
  readonly value: unknown;
  /** The flag, the variable or the key in the file. */
  readonly from: string;
}

/**
 * Reads a text file, or a pipe such as that of `<(command)`.
 * @throws What `node:fs` throws, or an error that says what is there instead of a file.
 */
export function readTextFile(file: string): string {
  const stats = statSync(file);
  if (!stats.isFile() && !stats.isFIFO())
    throw new Error(`it is a ${stats.isDirectory() ? 'folder' : 'device'}, not a file or a pipe`);
  return readFileSync(file, 'utf8');
}

/**
 * Reads a YAML or JSON file with groups of settings.
 * @throws ConfigError when it cannot be read. The message does not repeat its content, which may hold secrets.
 */
export function readConfigFile(file: string): Record<string, unknown> {
  let text: string;
  try {
    text = readTextFile(file);
  } catch (error) {
    throw new ConfigError(
      `The configuration file cannot be read: ${error instanceof Error ? error.message : error}.`,
    );
  }
  const document = parseDocument(text);
  const [{ code, linePos } = {}] = document.errors;
  if (code !== undefined) {
    const place = linePos === undefined ? '' : `, line ${linePos[0].line}, column ${linePos[0].col}`;
    throw new ConfigError(`${file}${place}: this is neither YAML nor JSON (${code}).`);
  }
  let content: unknown;
  try {
    content = document.toJS() ?? {};
  } catch {
    // The library's message names the alias, which may be a secret that begins with an asterisk.
    throw new ConfigError(`${file} has an alias without an anchor. Quote values that begin with "*".`);
  }
  if (isObject(content)) return content as Record<string, unknown>;
  throw new ConfigError(`${file} must hold settings, such as "port: 4000".`);
}

const HEAD = `# yaml-language-server: $schema=node_modules/optiongraph/config.schema.json
# The settings of \`optiongraph serve\`. To set one that has its default, remove the # before it and before its group.`;

/**
 * Prints all settings as a configuration file, each with its meaning. Settings that are not given are comments with their defaults: a #
 * without a space. Secrets are redacted; the files that hold them are named.
 */
export function printSettings(settings: readonly Setting[], given: ReadonlyMap<string, Given>): string {
  const givenGroups = new Set([...given.keys()].map((key) => key.replace(/\..*/, '')));
  const lines = [HEAD];
  let open: string | null = null;
  for (const { key, help, isSecret, default: fallback } of settings) {
    const [name = key, group = ''] = key.split('.').reverse();
    if (group !== open)
      lines.push('', ...(group === '' ? [] : [`${givenGroups.has(group) ? '' : '#'}${group}:`]));
    open = group;
    const space = group === '' ? '' : '  ';
    const meaning = `${plain(help)}${isSecret ? '. { file: NAME } names a file that holds it' : ''}`;
    for (const [, words = ''] of meaning.matchAll(/(.{1,100})(?: |$)/g)) lines.push(`${space}# ${words}`);
    const found = given.get(key);
    const isHidden = isSecret && found !== undefined && !isObject(found.value);
    const value = isHidden ? '(redacted)' : JSON.stringify(found ? found.value : fallback);
    const source = found === undefined ? '' : ` # ${found.from}`;
    lines.push(`${space}${found === undefined ? '#' : ''}${name}: ${value}${source}`);
  }
  return lines.join('\n');
}
