import type { ListOrder } from '../../loaders/paging/kept/list-orders.ts';
import { isObject, isStringList } from '../../upstream/reader.ts';
import { isReservedTypeName } from '../names/naming.ts';

/** The few facts about one API that its description does not tell. All keys are optional. */
export interface Overrides {
  /** GraphQL type names by dotted resource path, e.g. `{ "shelf.book": "ShelvedBook" }`. */
  readonly typeNames?: Readonly<Record<string, string>>;
  /** Scopes of actions that read although their method says otherwise. */
  readonly queries?: readonly string[];
  /** Scopes of actions that write although they are a GET with output. */
  readonly mutations?: readonly string[];
  /** Order of lists by scope: `ascending` or `descending` by id, or `none` when `from_id` loses rows. */
  readonly listOrder?: Readonly<Record<string, ListOrder>>;
  /** Reverse edges that are not wanted, by coordinate, e.g. `Author.books`. */
  readonly dropEdges?: readonly string[];
  /** Values that rows hold beside the described ones, by the enum's name, e.g. `{ "BookState": ["lost"] }`. */
  readonly enumValues?: Readonly<Record<string, readonly string[]>>;
  /** Dotted paths of resources whose objects have the ids of action states; `ActionState` gets a field to each. */
  readonly actionStateResources?: readonly string[];
  /** By scope, lists of the steps of actions, filtered by an action state or by a resource that shares its ids. */
  readonly failedSteps?: Readonly<Record<string, FailedSteps>>;
}

/** How a list of steps says why an action failed. */
export interface FailedSteps {
  /** Values of the rows' outputs that mark a step that failed; sent as filters too where the list takes them. */
  readonly where: Readonly<Record<string, string | number | boolean>>;
  /** The output that says what failed: a text, and not a protected one. */
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

/** Reads overrides from JSON. @throws TypeError that says which key is wrong, and what was expected. */
export function parseOverrides(raw: unknown): Overrides {
  const top = record(raw, 'overrides');
  for (const key of Object.keys(top)) {
    if (!KEYS.has(key))
      throw new TypeError(`overrides: unknown key ${JSON.stringify(key)}; known are ${[...KEYS].join(', ')}`);
  }
  return {
    typeNames: mapOf(
      top['typeNames'],
      'typeNames',
      isTypeName,
      'a GraphQL name that is not the facade’s own',
    ),
    queries: listOf(top['queries'], 'queries'),
    mutations: listOf(top['mutations'], 'mutations'),
    listOrder: mapOf(top['listOrder'], 'listOrder', isOrder, 'ascending, descending or none'),
    dropEdges: listOf(top['dropEdges'], 'dropEdges'),
    actionStateResources: listOf(top['actionStateResources'], 'actionStateResources'),
    failedSteps: mapOf(
      top['failedSteps'],
      'failedSteps',
      isFailedSteps,
      'an object with "where", outputs and their values, and "message", the name of an output',
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

function listOf(raw: unknown, place: string): readonly string[] {
  const list: unknown = raw ?? [];
  if (isStringList(list)) return list;
  throw new TypeError(`${place}: expected a list of strings`);
}
