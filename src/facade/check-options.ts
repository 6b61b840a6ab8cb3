// Refuses options of the library that do not exist, which JavaScript would ignore.
import { closestMatch } from 'leven';
import { DEFAULT_LIMITS } from '../server/limits.ts';
import { isObject } from '../upstream/json.ts';
import type { OptiongraphOptions } from './optiongraph.ts';

/** All options. Those of a group are named here; null: it is no group, or other code examines it. */
const OPTIONS: Readonly<Record<keyof OptiongraphOptions, readonly string[] | null>> = {
  audit: ['write', 'secret'],
  basicFromBrowsers: null,
  clientHeaders: null,
  context: null,
  descriptionCredential: null,
  endpoint: null,
  explorer: ['title', 'headers', 'signInHint'],
  expose: null,
  extendSchema: ['typeDefs', 'resolvers'],
  federation: null,
  hide: null,
  introspection: null,
  language: null,
  languageHeader: null,
  limits: Object.keys(DEFAULT_LIMITS),
  log: null,
  oauth: ['clientId', 'clientSecret', 'scope', 'sessionSecret'],
  observer: null,
  overrides: null,
  pages: ['publicUrl', 'basePath', 'origins'],
  plugins: null,
  readOnly: null,
  refresh: null,
  shared: null,
  schemaMode: null,
  signal: null,
  snippets: ['url', 'apiKey', 'transport'],
  transport: null,
  trustedDocuments: ['mode', 'documents'],
  trustedProxies: null,
  upstream: null,
  version: null,
  watch: null,
};

/** @throws TypeError that names an option that does not exist. It does not repeat the value. */
export function checkOptions(given: object): void {
  checkNames(Object.keys(given), Object.keys(OPTIONS), '');
  for (const [group, names] of Object.entries(OPTIONS)) {
    const value = (given as Readonly<Record<string, unknown>>)[group];
    if (names !== null && isObject(value)) checkNames(Object.keys(value), names, `${group}.`);
  }
}

function checkNames(given: readonly string[], known: readonly string[], group: string): void {
  const unknown = given.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const meant = closestMatch(unknown, [...known], { maxDistance: Math.ceil(unknown.length / 2) });
  const advice = meant === undefined ? '.' : `; did you mean ${group}${meant}?`;
  throw new TypeError(`There is no option ${group}${unknown}${advice}`);
}

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
