// Reads and prints configuration files.
import { Document, isNode, parseDocument } from 'yaml';
import { isObject } from '../upstream/json.ts';
import { ConfigError } from './config-error.ts';
import { readTextFile } from './read-file.ts';
import { plain, type Setting } from './setting.ts';

/** A setting that is given. */
export interface Given {
  /** In the form of the configuration file. */
  readonly value: unknown;
  /** The flag, the variable or the key in the file. */
  readonly from: string;
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

/** Prints settings and their sources as YAML, which is a configuration file again. Secrets are redacted; the files that hold them are named. */
export function printSettings(settings: readonly Setting[], given: ReadonlyMap<string, Given>): string {
  const document = new Document({});
  for (const { key, isSecret, default: fallback } of settings) {
    const { value, from } = given.get(key) ?? { value: fallback, from: 'default' };
    const shown = isSecret && value !== null && !isObject(value) ? '(redacted)' : value;
    const node = document.createNode(shown, { flow: true });
    if (isNode(node)) node.comment = ` ${from}`;
    document.setIn(key.split('.'), node);
  }
  return document.toString({ lineWidth: 0 });
}

const HEAD = `# yaml-language-server: $schema=node_modules/optiongraph/config.schema.json
# The settings of \`optiongraph serve\`, with their defaults. To set one, remove the # before it and before its group.
# upstream.url has no default; put the address of your API there.
`;

/** The setting that every file needs, with its group and an example. */
const NEEDED = { group: 'upstream', key: 'upstream.url', value: 'https://api.example.org/' };

/**
 * Prints a configuration file to begin with: all settings with their meanings and defaults. Explanations begin with a # and a space,
 * settings and groups that are left out with a # alone.
 */
export function printTemplate(settings: readonly Setting[]): string {
  const lines: string[] = [];
  let open = '';
  for (const { key, help, isSecret, default: fallback } of settings) {
    const [name = key, group = ''] = key.split('.').reverse();
    if (group !== open) {
      lines.push('');
      if (group !== '') lines.push(`${group === NEEDED.group ? '' : '#'}${group}:`);
      open = group;
    }
    const space = group === '' ? '' : '  ';
    const meaning = `${plain(help)}${isSecret ? '. { file: NAME } names a file that holds it' : ''}`;
    for (const [, words = ''] of meaning.matchAll(/(.{1,100})(?: |$)/g)) lines.push(`${space}# ${words}`);
    const isNeeded = key === NEEDED.key;
    lines.push(
      `${space}${isNeeded ? '' : '#'}${name}: ${isNeeded ? NEEDED.value : JSON.stringify(fallback)}`,
    );
  }
  return `${HEAD}\n${lines.join('\n')}\n`;
}
