// Remembers what `show` has answered to callers, so that a list can prove that an object is unchanged.
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { atMost, expireAfter } from '../../upstream/cache-bounds.ts';
import type { Parameter } from '../../upstream/description/description.ts';
import type { JsonObject } from '../../upstream/json.ts';
import { CallerCache } from '../caller-cache.ts';
import type { Direction } from '../paging/row-ids.ts';

/** Number of objects that are remembered. */
const MAX_OBJECTS = 50_000;
/** Time after which `show` must answer an object again, and a list that was of no use is tried again, in milliseconds. */
const TRUSTED_FOR = 600_000;

/** How the windows of a list are read: in the direction of its ids, or not at all. */
export type WindowUse = Direction | 'none';

/** Hashes of the objects that `show` has answered, by caller, for one process. It contains no values. */
export class ShownObjects {
  readonly #hashes = new CallerCache<string>({ max: MAX_OBJECTS, ttl: TRUSTED_FOR });
  readonly #uses = new LRUCache<string, WindowUse>({ ...atMost(1000), ...expireAfter(TRUSTED_FOR) });

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

  /** Forgets the objects of a caller, because a write may have changed what `show` answers. */
  drop(caller: string): void {
    this.#hashes.drop(caller);
  }
}

/** Hashes all values with their types. A value that is absent differs from each one that is there. */
const hashOf = (parameters: readonly Parameter[], values: JsonObject): string =>
  hash(
    'sha256',
    JSON.stringify(parameters.map(({ name }) => (Object.hasOwn(values, name) ? [values[name]] : []))),
    'base64',
  );
