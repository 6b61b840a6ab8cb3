// Remembers which values the `show` action of a caller does not send, so that they are not fetched in vain for each row.
import { LRUCache } from 'lru-cache';
import { atMost, expireAfter } from '../upstream/cache-bounds.ts';
import type { JsonObject } from '../upstream/json.ts';

/** Values that are remembered. */
const MAX_VALUES = 10_000;
/** Time for which one is remembered, in milliseconds. It is short because the server may be changed. */
const REMEMBERED_FOR = 10 * 60_000;

/** The action `show` of one caller: rights and rows of one caller say nothing about another's. */
export interface ShowOfCaller {
  /** Key of the caller. */
  readonly caller: string;
  /** Scope of the action. */
  readonly action: string;
}

/** Objects that lacked the same values before they were fetched. */
export interface ObjectKind extends ShowOfCaller {
  /** One digit for each described value, in the order of the description: 1 if they had it, else 0. */
  readonly has: string;
}

/** The values that `show` sends. What it does not send for one object of a kind counts for all, until it sends the value for any object. */
export class SentValues {
  readonly #unsent = createCache();
  readonly #sent = createCache();

  /** Whether `show` is known not to send a value for objects of a kind. */
  isUnsent(kind: ObjectKind, name: string): boolean {
    return this.#unsent.has(`${keyOf(kind, name)} ${kind.has}`) && !this.#sent.has(keyOf(kind, name));
  }

  /** Records what `show` has answered for an object. @param kind Undefined where it is not known what the object had before. */
  record(show: ShowOfCaller, values: JsonObject, missing: readonly string[], kind?: ObjectKind): void {
    if (kind !== undefined)
      for (const name of missing)
        if (!Object.hasOwn(values, name)) this.#unsent.set(`${keyOf(show, name)} ${kind.has}`, true);
    if (this.#unsent.size === 0) return;
    for (const name of Object.keys(values)) this.#sent.set(keyOf(show, name), true);
  }
}

const createCache = () =>
  new LRUCache<string, true>({ ...atMost(MAX_VALUES), ...expireAfter(REMEMBERED_FOR) });

const keyOf = ({ caller, action }: ShowOfCaller, name: string): string => `${caller} ${action} ${name}`;
