// Derives GraphQL names from upstream names.
import { ACTION_STATE } from '../../upstream/actions/action-state-api.ts';
import type { Action } from '../../upstream/description/description.ts';

/** Reserved names. What would get one of them has the suffix `Resource` instead. */
export interface ReservedNames {
  readonly types: ReadonlySet<string>;
  /** Fields of `Query`. */
  readonly queries: ReadonlySet<string>;
  /** Fields of `Mutation`. */
  readonly mutations: ReadonlySet<string>;
}

const RESERVED_TYPES = [
  ...['Node', 'PageInfo', 'Query', 'Mutation', 'Subscription', 'UserError', 'UserErrorCode'],
  ...['ActionState', 'ActionOutcome', 'CallerSession', 'SessionMethod'],
  ...['String', 'Int', 'Float', 'Boolean', 'ID', 'SafeInt', 'BigInt', 'DateTime', 'JSON'],
];

/** Names that are reserved in every schema. */
const RESERVED = reserveNames([]);

/** Returns the names that are reserved in every schema and the names of extensions. */
export function reserveNames(
  extensions: readonly { readonly [K in keyof ReservedNames]: readonly string[] }[],
): ReservedNames {
  return {
    types: new Set([...RESERVED_TYPES, ...extensions.flatMap(({ types }) => types)]),
    queries: new Set(['node', 'nodes', 'session', ...extensions.flatMap(({ queries }) => queries)]),
    mutations: new Set(extensions.flatMap(({ mutations }) => mutations)),
  };
}

/** The ends of names by which clients recognise the types of Relay. */
const RELAY_TYPE = /(?:Connection|Edge|Input|Payload)$/;

/** Returns the name of what is made of a resource: its path in PascalCase, e.g. `ShelfBook`. */
export const baseNameOf = (path: readonly string[]): string => pascalCase(path.join('_'));

/** Returns the name of a resource's type: its base name, with a suffix where a type or a field of the root has this name. */
export function typeNameOf(
  path: readonly string[],
  baseName = baseNameOf(path),
  reserved = RESERVED,
): string {
  if (path.join('.') === ACTION_STATE) return baseName;
  const isRootField = reserved.queries.has(lowerFirst(baseName));
  return isRootField ? withResource(baseName) : avoidReservedType(baseName, reserved);
}

/** Appends `Resource` to the name of a type that is reserved, or ends as the types of Relay do. */
export const avoidReservedType = (name: string, { types }: ReservedNames): string =>
  RELAY_TYPE.test(name) ? withResource(name) : avoidReserved(name, types);

/** Appends `Resource` to a name that is reserved. */
export function avoidReserved(name: string, reserved: ReadonlySet<string>): string {
  return reserved.has(name) ? withResource(name) : name;
}

/** Returns the name of what is a resource's or an action's and would have a taken name. */
export const withResource = (name: string): string => `${name}Resource`;

/** Returns the name of a parameter's field, argument or enum that would have a taken name. */
export const withValue = (name: string): string => `${name}Value`;

/** Returns the name of a field, argument or input field in camelCase, e.g. `createdAt`. */
export function fieldNameOf(...parts: readonly string[]): string {
  return escapeName(camelCase(parts.join('_')));
}

/**
 * Returns the name of a read without the words that say no more than that it reads, or reads a list. That of a list is a plural, or
 * begins with `by`.
 */
export function readNameOf(read: Action): string {
  const name = nounOf(read);
  return isList(read) && !name.startsWith('by_') ? pluralize(name) : name;
}

/** Returns the name of what a read returns: of one row for a list. What a verb returns is its result. */
export function rowNameOf(read: Action): string {
  const name = nounOf(read);
  return isList(read) ? singularize(name) : isVerb(read) ? `${name}_result` : name;
}

/** Returns the name of what a write answers that is no object of its resource. */
export const resultNameOf = ({ name }: Action): string =>
  /(?:^|_)result$/.test(name) ? name : `${name}_result`;

const isList = ({ output }: Action): boolean => output.layout.endsWith('_list');

const isVerb = ({ name, method }: Action): boolean =>
  method !== 'GET' || /^(?:search|find(?!_by_))(?:_|$)/.test(name);

function nounOf(read: Action): string {
  const name = read.name.replace(/^(?:get|list|find(?=_by))_(?=[a-z])/, '');
  if (!isList(read)) return name;
  return isVerb(read) ? `${name}_result` : (/^(.*[a-z])_list$/.exec(name)?.[1] ?? name);
}

/** Words without a plural, and plurals that do not end with `s`. */
const UNCHANGED = /(?:data|info|media|news|children|people|^list)$/;

/** Returns the plural of a word, or the word itself if it is one. */
export function pluralize(word: string): string {
  const isPlural = singularize(word) !== word || /(?:[sxz]|[cs]h)es$/.test(word);
  if (isPlural || UNCHANGED.test(word)) return word;
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`;
  return /(?:s|x|z|ch|sh)$/.test(word) ? `${word}es` : `${word}s`;
}

/** Returns the singular of a word, or the word itself if its letters do not show that it is a plural. */
function singularize(word: string): string {
  if (/[^aeiou]ies$/.test(word)) return `${word.slice(0, -3)}y`;
  return /[^isu]s$/.test(word) && !/(?:[sxz]|[cs]h)es$/.test(word) ? word.slice(0, -1) : word;
}

/** Returns the words of a name in PascalCase. */
export const wordsOf = (name: string): readonly string[] => name.split(/(?=[A-Z])/);

/** Returns the words, in their order, that all names have. */
export function commonWordsOf([first = '', ...others]: readonly string[]): readonly string[] {
  return others.reduce((words, other) => longestCommon(words, wordsOf(other)), wordsOf(first));
}

/** Returns the longest sequence of words that both have, if not without gaps. */
function longestCommon(one: readonly string[], other: readonly string[]): readonly string[] {
  let row: readonly (readonly string[])[] = other.map(() => []);
  for (const word of one) {
    const next: (readonly string[])[] = [];
    for (const [at, candidate] of other.entries()) {
      const left = next[at - 1] ?? [];
      const above = row[at] ?? [];
      const both = candidate === word ? [...(row[at - 1] ?? []), word] : [];
      next.push([both, above, left].reduce((best, words) => (words.length > best.length ? words : best)));
    }
    row = next;
  }
  return row.at(-1) ?? [];
}

/** Returns the field name of an output. A field `id` is a global ID, so an output of this name has another one. */
export const outputNameOf = ({ name }: { readonly name: string }): string =>
  name === 'id' ? 'databaseId' : fieldNameOf(name);

/** Returns the name of a list field beside a field for one object. A plural that equals the singular gets the prefix `all`. */
export function listNameOf(plural: string, singular: string): string {
  return plural === singular ? `all${capitalize(plural)}` : plural;
}

/** Returns the name of an enum value: upper case, with `_` for other characters. Null if the value has no letter or digit. */
export function enumValueNameOf(value: string): string | null {
  const name = value.toUpperCase().replace(/[^A-Z0-9_]/g, '_');
  if (!/[A-Z0-9]/.test(name)) return null;
  return escapeName(name);
}

/** Appends an upstream name to a GraphQL name, e.g. `bookFindByTitle`. */
export function appendName(name: string, suffix: string): string {
  return escapeName(name + capitalize(fieldNameOf(suffix)));
}

/** Appends a parameter to a name without the words that it repeats, e.g. `ClusterResourceType` for `resource_type`. */
export function appendParameter(name: string, parameter: string): string {
  const words = wordsOf(capitalize(fieldNameOf(parameter)));
  let repeated = words.length;
  while (repeated > 0 && !name.endsWith(words.slice(0, repeated).join(''))) repeated -= 1;
  const all = [...wordsOf(name), ...words.slice(repeated)];
  return escapeName(all.filter((word, at) => word !== all[at - 1]).join(''));
}

/** Converts the first letter to lower case, e.g. to start a field name with a type name. */
export function lowerFirst(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}

/** Converts the first letter to upper case. */
export function capitalize(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

function pascalCase(name: string): string {
  return escapeName(capitalize(camelCase(name)));
}

function camelCase(name: string): string {
  // Each name of a description comes here several times, and patterns take three times as long.
  let lead = '';
  let words = '';
  for (const word of name.split('_')) {
    if (word !== '') words += words === '' ? lowerFirst(word) : capitalize(word);
    else if (words === '') lead += '_';
  }
  return words === '' ? name : lead + words;
}

/**
 * Makes a valid GraphQL name. Invalid characters become their hexadecimal code between underscores. A leading digit gets the
 * prefix `_`. A leading `__`, which is reserved for introspection, gets the prefix `x`. The name of a member of
 * `Object.prototype` gets the suffix `_`.
 */
export function escapeName(name: string): string {
  // Nearly all names are valid, and one test of them is faster than the replacements.
  if (/^(?!__)[A-Za-z_]\w*$/.test(name) && !(name in Object.prototype)) return name;
  const plain = name.replace(/[^A-Za-z0-9_]/gu, (char) => `_${char.codePointAt(0)?.toString(16)}_`);
  if (plain === '') return '_';
  if (/^[0-9]/.test(plain)) return `_${plain}`;
  if (plain.startsWith('__')) return `x${plain}`;
  return plain in Object.prototype ? `${plain}_` : plain;
}
