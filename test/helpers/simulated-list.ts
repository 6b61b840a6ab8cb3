// Simulates lists that page in different ways, and reads them with the loaders.

import type { Read } from '../../src/loaders/operation-calls.ts';
import type { List, ListOrder } from '../../src/loaders/paging/list.ts';
import { readPage, type UnverifiedEnd } from '../../src/loaders/paging/read-page.ts';
import { toList } from '../../src/schema/model/list-paging.ts';
import { parseDescription } from '../../src/upstream/description/parse-description.ts';
import { ActionFailedError } from '../../src/upstream/errors.ts';
import type { JsonObject } from '../../src/upstream/json.ts';
import { action, describeApi, type Raw, resource } from './describe-api.ts';

/** How an API pages a list. */
export interface Behaviour {
  /** The rows in the order of the API. Tests may change them between pages. */
  readonly rows: JsonObject[];
  /** Which rows `from_id` keeps; default: it is not described. */
  readonly fromId?: 'above' | 'below' | 'all';
  /** Whether `limit` is described, and followed; default: followed. */
  readonly limit?: 'followed' | 'ignored' | 'absent';
  /** Largest limit that is accepted. */
  readonly cap?: number;
  /** Number of rows in a response when no limit is sent; described as the default of `limit`. */
  readonly limitDefault?: number;
  /** Maximum number of rows in a response, which the description does not contain. */
  readonly hiddenCap?: number;
  /** Whether `offset` is described, and followed; default: it is not. */
  readonly offset?: 'followed' | 'ignored';
  readonly count?: boolean;
  /** Number of rows that the total counts although no response contains them. */
  readonly countsMore?: number;
  /** Puts the rows of one response into the order of the API; default: they have the order of `rows`. */
  readonly arrange?: (rows: readonly JsonObject[]) => readonly JsonObject[];
  /** Runs after each call: others may change the rows. */
  readonly afterCall?: () => void;
  /** The order that the operator declares. */
  readonly declared?: ListOrder;
}

/** A list with a simulated API. */
export interface SimulatedList {
  readonly list: List;
  readonly read: Read;
  readonly rows: JsonObject[];
  /** The input and metadata of each call. */
  readonly calls: JsonObject[];
}

/** Creates a list with this behaviour. */
export function simulateList(behaviour: Behaviour): SimulatedList {
  const { rows, limit = 'followed', cap = Number.POSITIVE_INFINITY, limitDefault } = behaviour;
  const { hiddenCap = Number.POSITIVE_INFINITY } = behaviour;
  const calls: JsonObject[] = [];
  const read: Read = async ({ action: { scope }, input, meta }) => {
    calls.push({ ...input, ...meta });
    const asked = readNumber(input['limit']);
    if (asked !== undefined && (asked < 1 || asked > cap || limit === 'absent')) {
      throw createRefusal(scope, 'limit');
    }
    const from = readNumber(input['from_id']);
    if (from !== undefined && from < 0) throw createRefusal(scope, 'from_id');
    const arranged = behaviour.arrange?.(rows) ?? rows;
    const kept = arranged.filter(createFilter(behaviour.fromId, from));
    const start = behaviour.offset === 'followed' ? (readNumber(input['offset']) ?? 0) : 0;
    const size = limit === 'followed' ? (asked ?? limitDefault ?? kept.length) : kept.length;
    const most = Math.min(size, hiddenCap);
    const total = rows.length + (behaviour.countsMore ?? 0);
    behaviour.afterCall?.();
    return {
      status: 200,
      output: kept.slice(start, start + most),
      meta: behaviour.count === true && meta['count'] === true ? { total_count: total } : {},
    };
  };
  return { list: describeList(behaviour), read, rows, calls };
}

const createRefusal = (action: string, parameter: string) =>
  new ActionFailedError({ action, status: 200 }, 'refused', { errors: new Map([[parameter, ['no']]]) });

function describeList(behaviour: Behaviour): List {
  const { rows, fromId, limit, cap, limitDefault, offset, count, declared } = behaviour;
  const bound = cap === undefined ? {} : { number: { max: cap, message: '' } };
  const input: Record<string, Raw> = {
    ...(limit === 'absent' ? {} : { limit: { type: 'Integer', default: limitDefault, validators: bound } }),
    ...(fromId === undefined ? {} : { from_id: { type: 'Integer' } }),
    ...(offset !== undefined ? { offset: { type: 'Integer' } } : {}),
    shelf: { type: 'Resource', resource: ['shelf'] },
    state: { type: 'String', validators: {} },
  };
  const id = typeof rows[0]?.['id'];
  const index = action({
    path: '/books',
    namespace: 'books',
    layout: 'object_list',
    input,
    output: { ...(id === 'undefined' ? {} : { id: id === 'string' ? 'String' : 'Integer' }), name: 'String' },
    meta: count === true ? ['count'] : [],
  });
  const { resources } = parseDescription(describeApi({ book: resource({ index }) }));
  const described = resources[0]?.actions[0];
  if (described === undefined) throw new Error('the simulated list is not described');
  return toList(described, undefined, declared);
}

function createFilter(fromId: Behaviour['fromId'], from: number | undefined): (row: JsonObject) => boolean {
  if (from === undefined || fromId === undefined || fromId === 'all') return () => true;
  return fromId === 'above' ? ({ id }) => Number(id) > from : ({ id }) => Number(id) < from;
}

const readNumber = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

/** A request for one page. */
interface PageRequest {
  readonly first: number;
  readonly after?: string | null;
  readonly count?: boolean;
}

/** Reads a page of a simulated list, with the cursor of each row. */
export async function ask({ list, read }: SimulatedList, given: PageRequest) {
  const { first, after = null, count = false } = given;
  const request = { list, path: [], filter: {}, includes: [], first, after, count };
  const { rows, cursorAt, lacksIncludes: _lacks, ...page } = await readPage(request, read);
  // Clients select few cursors, and those of long lists take time.
  const rowAt = (row: JsonObject, index: number) => ({
    row,
    get cursor() {
      return cursorAt(index);
    },
  });
  return { ...page, rows: rows.map(rowAt) };
}

/** The rows of all pages, and the errors that were found in them. */
interface PagedRows {
  readonly rows: readonly JsonObject[];
  readonly pages: number;
  readonly emulated: boolean;
  /** Set when the last page does not prove that all rows were returned. */
  readonly unverified: UnverifiedEnd | null;
  readonly faults: readonly string[];
}

/**
 * Reads all pages of a list: each page must be full but the last, and `hasNextPage` must be exact. `between` is called
 * after each page.
 */
export async function readAllPages(
  simulated: SimulatedList,
  { between, ...given }: PageRequest & { readonly between?: (page: number) => void },
): Promise<PagedRows> {
  const served: JsonObject[] = [];
  const faults: string[] = [];
  const longest = simulated.rows.length * 2 + 3;
  let emulated = false;
  for (let [pages, after]: [number, string | null] = [1, null]; ; pages++) {
    const { rows, hasNextPage, unverified, ...page } = await ask(simulated, { ...given, after });
    served.push(...rows.map(({ row }) => row));
    emulated ||= page.isEmulated;
    if (hasNextPage && rows.length !== given.first) faults.push(`page ${pages} has ${rows.length} rows`);
    if (hasNextPage && between === undefined && served.length >= simulated.rows.length)
      faults.push(`page ${pages} has a next page, but there are no more rows`);
    after = rows.at(-1)?.cursor ?? null;
    between?.(pages);
    if (!hasNextPage || pages > longest) return { rows: served, pages, emulated, unverified, faults };
  }
}

/** Rows with these ids, in this order. */
export const createRows = (ids: readonly (number | string)[]): JsonObject[] =>
  ids.map((id) => ({ id, name: `book ${id}` }));

/** The whole numbers of a range. */
export const range = (from: number, to: number): number[] =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);

/** Random numbers from a seed: the same in every run. */
export function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 4_294_967_296) * below);
  };
}

/** The same items in a random order. */
export function shuffled<T>(items: readonly T[], random: (below: number) => number): T[] {
  const left = [...items];
  return items.flatMap(() => left.splice(random(left.length), 1));
}
