// Reads several objects of one resource again by one call of their list.
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Batch } from '../telemetry/observer.ts';
import { atMost, expireAfter } from '../upstream/cache-bounds.ts';
import type { Action, Parameter } from '../upstream/description/description.ts';
import { UpstreamError } from '../upstream/errors.ts';
import type { Caller } from '../upstream/http/caller.ts';
import type { JsonObject } from '../upstream/json.ts';
import type { CallerCache, CallerCaches } from './caller-cache.ts';
import { type Ids, isIntegerId } from './identity.ts';
import type { ShowResult } from './object-loader.ts';
import type { ReasonedRead } from './operation-calls.ts';
import { type List, largestLimit } from './paging/list.ts';
import { type Direction, integerIdOf } from './paging/row-ids.ts';

/** Fewer objects are read by single calls. */
export const MIN_OBJECTS = 3;
/** Largest difference between the ids of neighbours in a window: a list call reads the rows between them too. */
const MAX_GAP = 10;
/** Largest number of ids in a window. */
const MAX_WINDOW = 250;

/** The objects of one resource and the actions that read them. */
export interface WindowSource {
  readonly show: Action;
  readonly list: List;
}

/**
 * Reads objects with ids close to each other by one call of their list. A row counts only if it has exactly the values that `show`
 * has answered to the same caller in the last minutes; all other objects are read by `show`. So the list proves that an object is
 * unchanged, and nothing else is taken from it: neither its order, nor its rights, nor its completeness is trusted.
 */
export class IdWindows {
  readonly #source: WindowSource;
  readonly #read: ReasonedRead;
  readonly #shown: ShownObjects;
  readonly #caller: string;
  /** Start of the keys of objects: everything but the caller and the ids that changes an answer. */
  readonly #prefix: string;

  constructor(source: WindowSource, read: ReasonedRead, shown: ShownObjects, caller: Caller) {
    this.#source = source;
    this.#read = read;
    this.#shown = shown;
    this.#caller = caller.key;
    this.#prefix = JSON.stringify([caller.language, source.show.scope, source.show.path.text]);
  }

  /**
   * Reads objects without associations.
   * @param fields Coordinates of the fields that need them.
   * @param show Reads one object.
   * @param cause The batch that needs them, for telemetry.
   * @returns The object for each of the ids; empty where they are too few.
   */
  read(
    batch: readonly Ids[],
    fields: readonly string[],
    show: (ids: Ids) => Promise<ShowResult>,
    cause: Batch,
  ): ReadonlyMap<Ids, Promise<ShowResult>> {
    const results = new Map<Ids, Promise<ShowResult>>();
    if (batch.length < MIN_OBJECTS) return results;
    const showAndRecord = async (ids: Ids): Promise<ShowResult> => {
      const shown = await show(ids);
      this.#shown.record(this.#caller, this.#keyOf(ids), this.#parameters, shown.values);
      return shown;
    };
    for (const window of this.#cutWindows(batch)) {
      const rows = this.#readWindow(window, fields, cause);
      for (const ids of window) {
        const row = rows.then((found) => found.get(ids) ?? showAndRecord(ids));
        results.set(ids, row);
      }
    }
    for (const ids of batch) if (!results.has(ids)) results.set(ids, showAndRecord(ids));
    return results;
  }

  get #parameters() {
    return this.#source.show.output.parameters;
  }

  #keyOf(ids: Ids): string {
    return `${this.#prefix} ${ids.join('/')}`;
  }

  /** Cuts the objects that `show` has answered before into groups below one parent, each with few missing ids between. */
  #cutWindows(batch: readonly Ids[]): readonly (readonly Ids[])[] {
    const known = batch
      .filter((ids) => isIntegerId(idOf(ids)) && this.#shown.has(this.#caller, this.#keyOf(ids)))
      .sort((a, b) => compare(parentsOf(a), parentsOf(b)) || Number(idOf(a)) - Number(idOf(b)));
    const size = Math.min(MAX_WINDOW, largestLimit(this.#source.list));
    const windows: Ids[][] = [];
    for (const ids of known) {
      const window = windows.at(-1);
      if (window !== undefined && continues(window, ids, size)) window.push(ids);
      else windows.push([ids]);
    }
    return windows.filter(
      (window) =>
        window.length >= MIN_OBJECTS && this.#shown.windowUseFor(this.#listKeyOf(window)) !== 'none',
    );
  }

  #listKeyOf([ids]: readonly Ids[]): string {
    return JSON.stringify([this.#caller, this.#prefix, parentsOf(ids ?? [])]);
  }

  /** Returns the objects of a window that the list shows unchanged. Never rejects: objects that it lacks are read by `show`. */
  async #readWindow(
    window: readonly Ids[],
    fields: readonly string[],
    cause: Batch,
  ): Promise<ReadonlyMap<Ids, ShowResult>> {
    const listKey = this.#listKeyOf(window);
    const use = this.#shown.windowUseFor(listKey);
    const rows = await this.#callList(window, use === 'descending', fields, cause);
    const found = new Map<Ids, ShowResult>();
    if (rows === null) return found;
    for (const ids of window) {
      const row = rows.get(Number(idOf(ids)));
      const isSame =
        row !== undefined && this.#shown.isUnchanged(this.#caller, this.#keyOf(ids), this.#parameters, row);
      if (isSame) found.set(ids, { values: row, meta: {} });
    }
    // A list that runs down by id shows none of the objects. One whose rows differ from `show` is of no use.
    if (found.size * 2 < window.length)
      this.#shown.recordWindowUse(listKey, rows.size === 0 && use === 'ascending' ? 'descending' : 'none');
    return found;
  }

  /** Returns the rows of the window by id: empty if the list cannot be read, null if the operation does not try. */
  async #callList(
    window: readonly Ids[],
    isDescending: boolean,
    fields: readonly string[],
    cause: Batch,
  ): Promise<ReadonlyMap<number, JsonObject> | null> {
    const { action } = this.#source.list;
    const ids = window.map((one) => Number(idOf(one)));
    const [first = 0, last = 0] = [ids[0], ids.at(-1)];
    const from = isDescending ? last + 1 : Math.max(0, first - 1);
    const call = {
      action,
      path: parentsOf(window[0] ?? []),
      input: { from_id: from, limit: last - first + 1 },
      meta: {},
    };
    const reason = { reason: 'ID_WINDOW', fields, objects: window.length } as const;
    const output = await this.#read(call, reason, cause).then(
      (result) => result.output,
      (error: unknown) => (error instanceof UpstreamError ? [] : null),
    );
    if (output === null) return null;
    const wanted = new Set(ids);
    const rows: readonly JsonObject[] = Array.isArray(output) ? output : [];
    return new Map(
      rows.flatMap((row) => {
        const id = integerIdOf(row);
        return id !== null && wanted.has(id) ? [[id, row] as const] : [];
      }),
    );
  }
}

const idOf = (ids: Ids): string => ids.at(-1) ?? '';
const parentsOf = (ids: Ids): Ids => ids.slice(0, -1);
const compare = (a: Ids, b: Ids): number => {
  const [x, y] = [a.join('/'), b.join('/')];
  return x < y ? -1 : Number(x > y);
};

/** Whether the object with these ids is close enough to the others of a window. */
function continues(window: readonly Ids[], ids: Ids, size: number): boolean {
  const [first = [], last = []] = [window[0], window.at(-1)];
  const [id, start, end] = [Number(idOf(ids)), Number(idOf(first)), Number(idOf(last))];
  return compare(parentsOf(first), parentsOf(ids)) === 0 && id - end <= MAX_GAP && id - start < size;
}

/** Number of objects that are remembered. */
const MAX_OBJECTS = 50_000;
/** Time after which `show` must answer an object again, and a list that was of no use is tried again, in milliseconds. */
const TRUSTED_FOR = 600_000;

/** How the windows of a list are read: in the direction of its ids, or not at all. */
export type WindowUse = Direction | 'none';

/** Hashes of the objects that `show` has answered, by caller, for one process. It contains no values. */
export class ShownObjects {
  readonly #hashes: CallerCache<string>;
  readonly #uses = new LRUCache<string, WindowUse>({ ...atMost(1000), ...expireAfter(TRUSTED_FOR) });

  constructor(caches: CallerCaches) {
    this.#hashes = caches.create({ max: MAX_OBJECTS, ttl: TRUSTED_FOR });
  }

  /** Whether `show` has answered the caller with an object recently. */
  has(caller: string, key: string): boolean {
    return this.#hashes.get(caller, key) !== undefined;
  }

  /** Whether the last answer of `show` had exactly these values. */
  isUnchanged(caller: string, key: string, parameters: readonly Parameter[], row: JsonObject): boolean {
    return this.#hashes.get(caller, key) === hashOf(parameters, row);
  }

  record(caller: string, key: string, parameters: readonly Parameter[], values: JsonObject): void {
    this.#hashes.set(caller, key, hashOf(parameters, values));
  }

  /** How the windows of a list are read. `list` contains the caller: what serves one caller may not serve another. */
  windowUseFor(list: string): WindowUse {
    return this.#uses.get(list) ?? 'ascending';
  }

  recordWindowUse(list: string, use: WindowUse): void {
    this.#uses.set(list, use);
  }
}

/** Hashes all values with their types. A value that is absent differs from each one that is there. */
const hashOf = (parameters: readonly Parameter[], values: JsonObject): string =>
  hash(
    'sha256',
    JSON.stringify(parameters.map(({ name }) => (Object.hasOwn(values, name) ? [values[name]] : []))),
    'base64',
  );
