// Reads and validates the settings of a command.
import { closestMatch } from 'leven';
import type * as z from 'zod';
import { isObject } from '../upstream/json.ts';
import { ConfigError } from './config-error.ts';
import { collectSettings, type Given, type Sources } from './given-settings.ts';
import { type Setting, settingsOf } from './setting.ts';
import { findMistypedVariables, suggestion } from './variables.ts';

/** Settings and their sources. */
export interface ReadSettings<T> {
  /** Valid, complete and frozen. */
  readonly config: T;
  /** What is given, by key. A setting with its default is absent. */
  readonly given: ReadonlyMap<string, Given>;
  /** What may be wrong in the environment, for people. */
  readonly warnings: readonly string[];
}

/** How the settings of a command are read. */
export interface Definition<T extends z.ZodObject> {
  readonly settings: T;
  /** Whether a configuration file may give them. */
  readonly hasFile?: boolean;
  /** Messages about valid settings that depend on each other, with whether each applies. Default: none. */
  readonly conflictsOf?: (config: z.output<T>) => Readonly<Record<string, boolean>>;
  /** Variables of all commands. Others with their prefix are errors. */
  readonly variables: ReadonlySet<string>;
  /** See `collectSettings`. Default: none. */
  readonly findOverruled?: (given: ReadonlyMap<string, Given>) => readonly string[];
}

/**
 * Reads the settings of a command.
 * @throws ConfigError when settings are unknown or invalid. It names all of them, where they are, and what is expected.
 */
export function readSettings<T extends z.ZodObject>(
  { settings: schema, conflictsOf = () => ({}), variables, findOverruled }: Definition<T>,
  sources: Sources,
): ReadSettings<z.output<T>> {
  const settings = settingsOf(schema);
  const { content, given } = collectSettings(settings, sources, findOverruled);
  const { data, error } = schema.safeParse(content);
  const invalid = new Map<string, string>();
  for (const issue of error?.issues ?? []) {
    if (issue.code === 'unrecognized_keys')
      for (const name of issue.keys) {
        const key = [...issue.path, name].join('.');
        invalid.set(key, `There is no setting ${key} in ${sources.file}${suggestKey(key, settings)}`);
      }
    else {
      const key = keyOf(issue.path);
      const { from } = given.get(key) ?? { from: `${key} in ${sources.file}` };
      // Of several rules that a value breaks, the first says most.
      if (!invalid.has(key)) invalid.set(key, `${from} ${issue.message}.`);
    }
  }
  const mistyped = findMistypedVariables(sources.env, variables);
  const messagesOf = (areOurs: boolean) =>
    mistyped.filter(({ isOurs }) => isOurs === areOurs).map(({ message }) => message);
  const problems = [
    ...messagesOf(true),
    ...twice(settings, sources),
    ...invalid.values(),
    ...Object.entries(data === undefined ? {} : conflictsOf(data)).flatMap(([message, applies]) =>
      applies ? [message] : [],
    ),
  ];
  if (data === undefined || problems.length > 0) throw new ConfigError(problems.join('\n'));
  return { config: freeze(data), given, warnings: messagesOf(false) };
}

/** The variables that settings have, with those that name the files of secrets. */
export function variablesOf(settings: readonly Setting[]): readonly string[] {
  return settings.flatMap(({ variables, isSecret }) =>
    isSecret ? variables.flatMap((name) => [name, `${name}_FILE`]) : variables,
  );
}

/** The key of the setting that an issue is in: the path up to the place in a list. */
function keyOf(path: readonly PropertyKey[]): string {
  const index = path.findIndex((step) => typeof step === 'number');
  return (index === -1 ? path : path.slice(0, index)).join('.');
}

function suggestKey(key: string, settings: readonly Setting[]): string {
  // Each key, and the keys of the groups around it.
  const known = settings.flatMap((one) =>
    one.key.split('.').map((_name, index, names) => names.slice(0, index + 1).join('.')),
  );
  return suggestion(closestMatch(key, known, { maxDistance: Math.ceil(key.length / 3) }));
}

function twice(settings: readonly Setting[], { env }: Sources): readonly string[] {
  return settings
    .flatMap(({ isSecret, variables }) => (isSecret ? variables : []))
    .filter((name) => env[name] && env[`${name}_FILE`])
    .map((name) => `${name} and ${name}_FILE are both given; leave one out.`);
}

/** Freezes objects and lists, but no instances of classes, such as addresses. */
function freeze<T>(value: T): T {
  if (!Array.isArray(value) && !(isObject(value) && Object.getPrototypeOf(value) === Object.prototype))
    return value;
  for (const inner of Object.values(value)) freeze(inner);
  return Object.freeze(value);
}
