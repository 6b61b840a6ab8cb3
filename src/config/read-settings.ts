// Reads the settings of a command from flags, the environment and the configuration file, and validates them.
import { closestMatch } from 'leven';
import type * as z from 'zod';
import { isObject } from '../upstream/json.ts';
import { ConfigError, type Given, readConfigFile } from './config-file.ts';
import { PREFIX, type Setting, settingsOf } from './setting.ts';

/** The names of environment variables and their values. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Where settings come from. The first that has a setting wins. */
export interface Sources {
  /** Values of flags by the key of their setting. */
  readonly flags: Readonly<Record<string, unknown>>;
  /** An empty variable counts as absent. */
  readonly env: Environment;
  /** The configuration file; null for none. */
  readonly file: string | null;
}

/**
 * Reads the settings of a command.
 * @param conflictsOf Returns what is wrong with valid settings that depend on each other.
 * @returns The settings, valid and complete, and what is given, by key. A setting with its default is absent there.
 * @throws ConfigError when settings are unknown or invalid. It names all of them, where they are, and what is expected.
 */
export function readSettings<T extends z.ZodObject>(
  schema: T,
  sources: Sources,
  conflictsOf: (config: z.output<T>) => readonly string[] = () => [],
): { readonly config: z.output<T>; readonly given: ReadonlyMap<string, Given> } {
  const { env, file } = sources;
  const settings = settingsOf(schema);
  const content = file === null ? {} : readConfigFile(file);
  const problems: string[] = [];
  const given = new Map<string, Given>();
  for (const setting of settings) {
    for (const name of setting.isSecret ? setting.variables : [])
      if (env[name] && env[`${name}_FILE`])
        problems.push(`${name} and ${name}_FILE are both given; leave one out.`);
    const found = findGiven(setting, sources) ?? findInFile(setting.key, content, file);
    if (found === undefined) continue;
    given.set(setting.key, found);
    place(content, setting.key.split('.'), found.value);
  }
  const { data, error } = schema.safeParse(content);
  const invalid = new Map<string, string>();
  for (const issue of error?.issues ?? []) {
    if (issue.code === 'unrecognized_keys')
      for (const name of issue.keys) {
        const key = [...issue.path, name].join('.');
        invalid.set(key, `There is no setting ${key} in ${file}${suggestKey(key, settings)}`);
      }
    else {
      const key = keyOf(issue.path);
      const from = given.get(key)?.from ?? `${key} in ${file}`;
      // Of several rules that a value breaks, the first says most.
      if (!invalid.has(key)) invalid.set(key, `${from} ${issue.message}.`);
    }
  }
  problems.push(...invalid.values(), ...(data === undefined ? [] : conflictsOf(data)));
  if (data === undefined || problems.length > 0) throw new ConfigError(problems.join('\n'));
  return { config: data, given };
}

/** Finds a setting in the flags and the environment. */
function findGiven(setting: Setting, { flags, env }: Sources): Given | undefined {
  const { key, flag } = setting;
  if (flags[key] !== undefined)
    return { value: toValue(setting, flags[key]), from: flag?.replace(/ .*/, '') ?? key };
  for (const from of setting.variables) {
    const text = readVariable(env, from);
    if (text !== undefined) return { value: toValue(setting, text), from };
    const file = setting.isSecret ? readVariable(env, `${from}_FILE`) : undefined;
    if (file !== undefined) return { value: { file }, from: `${from}_FILE` };
  }
  return undefined;
}

function findInFile(key: string, content: unknown, file: string | null): Given | undefined {
  const value = key.split('.').reduce<unknown>((at, name) => (isObject(at) ? at[name] : undefined), content);
  return value === undefined ? undefined : { value, from: `${key} in ${file}` };
}

/** Converts the text of a flag or variable to the form of the file. What does not fit is left for validation to refuse. */
function toValue({ type }: Setting, given: unknown): unknown {
  if (type === 'array') {
    const texts = Array.isArray(given) ? given.map(String) : [String(given)];
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

/** The key of the setting that an issue is in: the path up to the place in a list. */
function keyOf(path: readonly PropertyKey[]): string {
  const index = path.findIndex((step) => typeof step === 'number');
  return (index === -1 ? path : path.slice(0, index)).join('.');
}

function suggestKey(key: string, settings: readonly Setting[]): string {
  const known = settings.flatMap((one) => [one.key, one.key.replace(/\..*/, '')]);
  return suggestion(closestMatch(key, known, { maxDistance: Math.ceil(key.length / 3) }));
}

/** What Kubernetes and Docker set in each container for a service, such as one named `optiongraph`. */
const SERVICE = /_SERVICE_(HOST|PORT(_\w+)?)$|_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/;
const SERVICE_ADDRESS = /^(tcp|udp|sctp):\/\//;

/** The value of a variable; undefined when it is not set, empty, or set for a service whose name makes that of the variable. */
function readVariable(env: Environment, name: string): string | undefined {
  const value = env[name] ?? '';
  return value === '' || SERVICE_ADDRESS.test(value) ? undefined : value;
}

/** The variables that settings have, with those that name the files of secrets. */
export const variablesOf = (settings: readonly Setting[]): readonly string[] =>
  settings.flatMap(({ variables, isSecret }) =>
    isSecret ? variables.flatMap((name) => [name, `${name}_FILE`]) : variables,
  );

/** @throws ConfigError for variables that have our prefix, so that no other program has them, and that no command knows. */
export function checkVariables(env: Environment, known: ReadonlySet<string>): void {
  const problems = Object.keys(env)
    .filter((name) => name.startsWith(PREFIX) && !known.has(name) && !SERVICE.test(name))
    .filter((name) => readVariable(env, name) !== undefined)
    .map((name) => {
      const meant = closestMatch(name, [...known], { maxDistance: Math.ceil(name.length / 3) });
      return `There is no variable ${name}${suggestion(meant)}`;
    });
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
}

/** Ends a message with a suggestion, if there is one. */
export const suggestion = (meant: string | undefined): string =>
  meant === undefined ? '.' : `; did you mean ${meant}?`;
