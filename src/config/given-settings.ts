// Collects settings from flags, the environment and the configuration file, and remembers where each is from.
import { Document, type ErrorCode, isNode, parseDocument } from 'yaml';
import { isObject } from '../upstream/json.ts';
import { ConfigError } from './config-error.ts';
import { readTextFile } from './read-file.ts';
import type { Setting } from './setting.ts';
import { type Environment, readVariable } from './variables.ts';

/** Where settings come from. The first that has a setting wins. */
export interface Sources {
  /** Values of flags by the key of their setting. */
  readonly flags: Readonly<Record<string, unknown>>;
  /** An empty variable counts as absent. */
  readonly env: Environment;
  /** The configuration file; null for none. */
  readonly file: string | null;
}

/** A setting as it is given. */
export interface Given {
  /** In the form of the configuration file. */
  readonly value: unknown;
  /** The flag, the variable or the key in the file. */
  readonly from: string;
  readonly source: Source;
}

/** Kinds of sources, from the strongest to the weakest. */
export const SOURCES = ['flag', 'variable', 'file'] as const;
export type Source = (typeof SOURCES)[number];

/** Settings as they are given, before they are validated. */
export interface GivenSettings {
  /** In the form of the configuration file, with its unknown keys. */
  readonly content: Record<string, unknown>;
  /** By key. A setting that is not given is absent. */
  readonly given: ReadonlyMap<string, Given>;
}

/**
 * Collects settings.
 * @param findOverruled Returns the keys of settings that others replace. They count as absent.
 * @throws ConfigError when the file cannot be read.
 */
export function collectSettings(
  settings: readonly Setting[],
  sources: Sources,
  findOverruled: (given: GivenSettings['given']) => readonly string[] = () => [],
): GivenSettings {
  const content = sources.file === null ? {} : readConfigFile(sources.file);
  const given = new Map<string, Given>();
  for (const setting of settings) {
    const found = find(setting, sources, content);
    if (found === undefined) continue;
    given.set(setting.key, found);
    place(content, setting.key.split('.'), found.value);
  }
  for (const key of findOverruled(given)) {
    given.delete(key);
    place(content, key.split('.'), undefined);
  }
  return { content, given };
}

function find(setting: Setting, { flags, env, file }: Sources, content: unknown): Given | undefined {
  const { key, flag } = setting;
  if (flags[key] !== undefined)
    return { value: toValue(setting, flags[key]), from: flag?.replace(/ .*/, '') ?? key, source: 'flag' };
  for (const from of setting.variables) {
    const text = readVariable(env, from);
    if (text !== undefined) return { value: toValue(setting, text), from, source: 'variable' };
    const file = setting.isSecret ? readVariable(env, `${from}_FILE`) : undefined;
    if (file !== undefined) return { value: { file }, from: `${from}_FILE`, source: 'variable' };
  }
  const value = key.split('.').reduce<unknown>((at, name) => (isObject(at) ? at[name] : undefined), content);
  return value === undefined ? undefined : { value, from: `${key} in ${file}`, source: 'file' };
}

/** Converts the text of a flag or variable to the form of the file. What does not fit is left for validation to refuse. */
function toValue({ type, isRepeated }: Setting, given: unknown): unknown {
  if (type === 'array') {
    const texts = Array.isArray(given) ? given.map(String) : [String(given)];
    if (isRepeated) return texts;
    return texts.join() === 'none' ? [] : texts.flatMap((text) => text.split(',')).map((text) => text.trim());
  }
  if (type === 'integer' && /^\d+$/.test(String(given))) return Number(given);
  if (type === 'boolean' && /^(1|true|yes|on)$/i.test(String(given))) return true;
  if (type === 'boolean' && /^(0|false|no|off)$/i.test(String(given))) return false;
  return given;
}

function place(
  content: Record<string, unknown>,
  [name = '', ...rest]: readonly string[],
  value: unknown,
): void {
  if (rest.length === 0) {
    content[name] = value;
    return;
  }
  content[name] ??= {};
  const inner = content[name];
  // What is no group stays, so that validation refuses it.
  if (isObject(inner)) place(inner, rest, value);
}

/** What is wrong with a file. The messages of the parser repeat parts of it, which may be secrets. */
const YAML_ERRORS: Partial<Record<ErrorCode, string>> = {
  BAD_ALIAS: 'a value begins with "*"; quote it',
  BAD_DQ_ESCAPE: 'a backslash in double quotes begins no escape; double it, or use single quotes',
  BAD_INDENT: 'the line is not indented as the others of its group',
  BAD_SCALAR_START: 'a value begins with a character that has a meaning; quote the value',
  BLOCK_AS_IMPLICIT_KEY:
    'a key stands where a value belongs; begin a new line, or quote a value that contains ": "',
  BLOCK_IN_FLOW: 'within brackets, separate by commas',
  DUPLICATE_KEY: 'the key is given twice in its group',
  MISSING_CHAR: 'a quote, bracket, comma or colon is missing',
  MULTILINE_IMPLICIT_KEY: 'the line has no colon after a key, or is not indented',
  MULTIPLE_DOCS: 'a second document begins; remove the line "---"',
  TAB_AS_INDENT: 'a tab indents the line; use spaces',
};

/**
 * Reads a YAML or JSON file with groups of settings.
 * @throws ConfigError when it cannot be read. The message does not repeat its content, which may hold secrets.
 */
function readConfigFile(file: string): Record<string, unknown> {
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
    throw new ConfigError(`${file}${place}: ${YAML_ERRORS[code] ?? 'this is neither YAML nor JSON'}.`);
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

/** Prints settings as YAML, which is a configuration file again. Secrets are redacted; the files that hold them are named. */
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
