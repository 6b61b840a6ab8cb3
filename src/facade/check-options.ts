// Refuses options of the library that do not exist, which JavaScript would ignore, and values of another type.
import { closestMatch } from 'leven';
import { DEFAULT_LIMITS } from '../server/limits.ts';
import { isObject } from '../upstream/json.ts';
import type { OptiongraphOptions } from './optiongraph.ts';

/** The type of an option's value; `any`: other code examines it. Each option may be null or undefined. */
type ValueType = 'boolean' | 'number' | 'string' | 'function' | 'list' | 'object' | 'any';

/** The options of a group by name: their types, or those within them. */
interface Options {
  readonly [name: string]: ValueType | Options;
}

const OPTIONS = {
  audit: { write: 'function', secret: 'string' },
  basicFromBrowsers: 'boolean',
  cacheDir: 'string',
  clientHeaders: 'list',
  compression: 'boolean',
  context: 'function',
  descriptionCredential: 'any',
  endpoint: 'string',
  explorer: { title: 'string', headers: 'object', signInHint: 'string' },
  expose: 'list',
  extendSchema: { typeDefs: 'string', resolvers: 'object' },
  federation: 'boolean',
  hide: 'list',
  introspection: 'string',
  language: 'string',
  languageHeader: 'string',
  limits: optionsOf(DEFAULT_LIMITS),
  log: 'any',
  oauth: 'object',
  observer: 'any',
  overrides: 'object',
  pages: { publicUrl: 'string', basePath: 'string', origins: 'list' },
  plugins: 'list',
  readOnly: 'boolean',
  refresh: 'object',
  shared: 'any',
  schemaMode: 'string',
  signal: 'any',
  snippets: 'object',
  transport: 'object',
  trustedDocuments: 'object',
  trustedProxies: 'list',
  upstream: 'any',
  version: 'string',
  watch: 'object',
} satisfies Record<keyof OptiongraphOptions, ValueType | Options>;

/** @throws TypeError that names an option that does not exist, or whose value has another type. It does not repeat the value. */
export function checkOptions(given: object, known: Options = OPTIONS, group = ''): void {
  for (const [name, value] of Object.entries(given)) {
    const option = Object.hasOwn(known, name) ? known[name] : undefined;
    if (option === undefined)
      throw new TypeError(`There is no option ${group}${name}${advise(name, known, group)}`);
    if (value === null || value === undefined || option === 'any') continue;
    const expected = typeof option === 'string' ? option : 'object';
    const found = typeOf(value);
    if (found !== expected)
      throw new TypeError(
        `The option ${group}${name} must be ${withArticle(expected)}; it is ${withArticle(found)}.`,
      );
    if (typeof option !== 'string') checkOptions(value, option, `${group}${name}.`);
  }
}

function advise(name: string, known: Options, group: string): string {
  const meant = closestMatch(name, Object.keys(known), { maxDistance: Math.ceil(name.length / 2) });
  return meant === undefined ? '.' : `; did you mean ${group}${meant}?`;
}

const typeOf = (value: unknown): string => (Array.isArray(value) ? 'list' : typeof value);
const withArticle = (type: string): string => `${type === 'object' ? 'an' : 'a'} ${type}`;

/** @throws TypeError that names an option with a text, or a list with one, that is none of the choices. */
export function checkChoice(
  option: string,
  given: string | readonly string[] | undefined,
  choices: readonly string[],
): void {
  if ([given ?? []].flat().every((text) => choices.includes(text))) return;
  throw new TypeError(
    `The option ${option} must be ${Array.isArray(given) ? 'a list of' : 'one of'} ${choices.join(', ')}.`,
  );
}

/**
 * Reads an option that is an address.
 * @throws TypeError that names the option. It does not repeat the address, which may contain a credential.
 */
export function readAddress(option: string, given: unknown, example: string): URL {
  if (given instanceof URL) return given;
  if (typeof given === 'string' && URL.canParse(given)) return new URL(given);
  const found = given === undefined ? 'it is missing' : 'it is none';
  throw new TypeError(`The option ${option} must be an address such as ${example}; ${found}.`);
}

/** The options of a group, each with the type of its default. */
function optionsOf(defaults: object): Options {
  return Object.fromEntries(Object.entries(defaults).map(([name, value]) => [name, optionOf(value)]));
}

function optionOf(value: unknown): ValueType | Options {
  if (typeof value === 'number') return 'number';
  if (typeof value === 'boolean') return 'boolean';
  return isObject(value) && !(value instanceof Map) ? optionsOf(value) : 'any';
}
