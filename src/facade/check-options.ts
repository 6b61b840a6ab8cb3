// Refuses options of the library that do not exist, which JavaScript would ignore.
import { closestMatch } from 'leven';
import { DEFAULT_CALL_SAVINGS } from '../loaders/shared-state.ts';
import { DEFAULT_LIMITS } from '../operation/limits.ts';
import { isObject } from '../upstream/json.ts';
import type { OptiongraphOptions } from './optiongraph.ts';

/** Names, and what is in their groups; true: nothing, or what other code examines. */
interface Names {
  readonly [name: string]: true | Names;
}

const OPTIONS = {
  anonymousHints: true,
  audit: { write: true, secret: true },
  basicFromBrowsers: true,
  cacheDir: true,
  callers: true,
  clientHeaders: true,
  compression: true,
  context: true,
  descriptionCredential: true,
  endpoint: true,
  explorerHeaders: true,
  explorerTitle: true,
  expose: true,
  extendSchema: { typeDefs: true, resolvers: true },
  federation: true,
  hide: true,
  introspection: true,
  language: true,
  languageHeader: true,
  limits: namesIn(DEFAULT_LIMITS),
  log: true,
  oauth: true,
  observer: true,
  overrides: true,
  pages: { publicUrl: true, basePath: true, origins: true },
  plugins: true,
  probe: true,
  readOnly: true,
  readyNeedsUpstream: true,
  refresh: true,
  savings: namesIn(DEFAULT_CALL_SAVINGS),
  shared: true,
  signal: true,
  snippets: true,
  transport: true,
  trustedDocuments: true,
  trustedProxies: true,
  upstream: true,
  version: true,
  watch: true,
} satisfies Record<keyof OptiongraphOptions, true | Names>;

/** @throws TypeError that names an option that does not exist. */
export function checkOptions(options: object, known: Names = OPTIONS, group = ''): void {
  for (const [name, value] of Object.entries(options)) {
    const inner = Object.hasOwn(known, name) ? known[name] : undefined;
    if (inner === undefined) {
      const meant = closestMatch(name, Object.keys(known), { maxDistance: Math.ceil(name.length / 2) });
      const advice = meant === undefined ? '' : `; did you mean ${group}${meant}?`;
      throw new TypeError(`There is no option ${group}${name}${advice || '.'}`);
    }
    if (inner !== true && isObject(value)) checkOptions(value, inner, `${group}${name}.`);
  }
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

function namesIn(group: object): Names {
  return Object.fromEntries(
    Object.entries(group).map(([name, value]) => [
      name,
      isObject(value) && !(value instanceof Map) ? namesIn(value) : true,
    ]),
  );
}
