// Reads the overrides: facts about one API that its description does not contain.

import type { ListOrder } from '../../loaders/paging/kept/list-orders.ts';
import { isObject, isStringList } from '../../upstream/reader.ts';
import { isReservedTypeName } from '../names/naming.ts';

/** Facts about one API that its description does not contain. All keys are optional. */
export interface Overrides {
  /** GraphQL type names by dotted resource path, e.g. `{ "shelf.book": "ShelvedBook" }`. */
  readonly typeNames?: Readonly<Record<string, string>>;
  /** Scopes of actions that are queries, although their description implies a write. */
  readonly queries?: readonly string[];
  /** Scopes of actions that are mutations, although they are a GET with output. */
  readonly mutations?: readonly string[];
  /** Order of lists by scope: `ascending` or `descending` by ID, or `none` if paging by `from_id` loses rows. */
  readonly listOrder?: Readonly<Record<string, ListOrder>>;
  /** Schema coordinates of reverse edges to omit, e.g. `Author.books`. */
  readonly dropEdges?: readonly string[];
  /** Additional enum values that rows contain, by the name of the enum, e.g. `{ "BookState": ["lost"] }`. */
  readonly enumValues?: Readonly<Record<string, readonly string[]>>;
  /** Dotted paths of resources that share the IDs of action states. `ActionState` gets a field for each. */
  readonly actionStateResources?: readonly string[];
  /** Lists of the steps of actions, by scope. A list is filtered by an action state or by a resource that shares its IDs. */
  readonly failedSteps?: Readonly<Record<string, FailedSteps>>;
}

/** How to find the failed step of an action in a list of steps. */
export interface FailedSteps {
  /** Output values of a failed step. They are also sent as filters if the list has such parameters. */
  readonly where: Readonly<Record<string, string | number | boolean>>;
  /** The output parameter with the failure message: a text that is not protected. */
  readonly message: string;
}

const KEYS: ReadonlySet<string> = new Set([
  'typeNames',
  'queries',
  'mutations',
  'listOrder',
  'dropEdges',
  'actionStateResources',
  'failedSteps',
  'enumValues',
]);
const ORDERS: ReadonlySet<unknown> = new Set<ListOrder>(['ascending', 'descending', 'none']);

/**
 * Reads overrides from JSON.
 * @throws TypeError when a key is unknown or a value is invalid. The message names the key and the expected value.
 */
export function parseOverrides(raw: unknown): Overrides {
  const top = record(raw, 'overrides');
  for (const key of Object.keys(top)) {
    if (!KEYS.has(key))
      throw new TypeError(
        `overrides: unknown key ${JSON.stringify(key)}; the known keys are ${[...KEYS].join(', ')}`,
      );
  }
  return {
    typeNames: mapOf(top['typeNames'], 'typeNames', isTypeName, 'a GraphQL name that is not reserved'),
    queries: stringsOf(top['queries'], 'queries'),
    mutations: stringsOf(top['mutations'], 'mutations'),
    listOrder: mapOf(top['listOrder'], 'listOrder', isOrder, 'ascending, descending or none'),
    dropEdges: stringsOf(top['dropEdges'], 'dropEdges'),
    actionStateResources: stringsOf(top['actionStateResources'], 'actionStateResources'),
    failedSteps: mapOf(
      top['failedSteps'],
      'failedSteps',
      isFailedSteps,
      'an object with "where" (output parameters and their values) and "message" (the name of an output parameter)',
    ),
    enumValues: mapOf(top['enumValues'], 'enumValues', isStringList, 'a list of strings'),
  };
}

const isTypeName = (value: unknown): value is string =>
  typeof value === 'string' && /^[A-Za-z]\w*$/.test(value) && !isReservedTypeName(value);
const isOrder = (value: unknown): value is ListOrder => ORDERS.has(value);
const isFailedSteps = (value: unknown): value is FailedSteps =>
  isObject(value) &&
  typeof value['message'] === 'string' &&
  isObject(value['where']) &&
  Object.values(value['where']).every((wanted) => ['string', 'number', 'boolean'].includes(typeof wanted));

function record(raw: unknown, place: string): Readonly<Record<string, unknown>> {
  if (typeof raw === 'object' && raw !== null && !Array.isArray(raw)) return { ...raw };
  throw new TypeError(`${place}: expected an object`);
}

function mapOf<T>(
  raw: unknown,
  place: string,
  guard: (value: unknown) => value is T,
  expected: string,
): Readonly<Record<string, T>> {
  const map: Record<string, T> = {};
  for (const [key, value] of Object.entries(record(raw ?? {}, place))) {
    if (!guard(value)) throw new TypeError(`${place}.${key}: expected ${expected}`);
    map[key] = value;
  }
  return map;
}

function stringsOf(raw: unknown, place: string): readonly string[] {
  const list: unknown = raw ?? [];
  if (isStringList(list)) return list;
  throw new TypeError(`${place}: expected a list of strings`);
}
