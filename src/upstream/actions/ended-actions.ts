// Remembers the final states of actions that have ended recently, for subscribers who come back.
import { LRUCache } from 'lru-cache';
import { atMost, expireAfter } from '../cache-bounds.ts';
import type { JsonObject } from '../json.ts';

const MAX_ACTIONS = 10_000;
/** Longer than stock clients try to connect again. Milliseconds. */
const KEPT_FOR = 60_000;

/** Final states of one caller's actions. */
export interface EndsOfCaller {
  /** Remembers a state if it is final. */
  add(id: string, state: JsonObject): void;
  /** The final state of an action; undefined where it is not known. */
  find(id: string): JsonObject | undefined;
}

/** Final states of the actions of all callers. They are never outdated. */
export class EndedActions {
  readonly #states = new LRUCache<string, JsonObject>({ ...atMost(MAX_ACTIONS), ...expireAfter(KEPT_FOR) });

  /** The final states of one caller's actions. @param key Identifies the caller. */
  endsFor(key: string): EndsOfCaller {
    const keyOf = (id: string): string => JSON.stringify([key, id]);
    return {
      add: (id, state) => {
        if (state['finished'] === true) this.#states.set(keyOf(id), state);
      },
      find: (id) => this.#states.get(keyOf(id)),
    };
  }
}
