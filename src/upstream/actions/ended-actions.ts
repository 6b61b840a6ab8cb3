// Remembers the final states of actions that have ended lately, for subscribers who come back.
import { LRUCache } from 'lru-cache';
import { atMost } from '../cache-bounds.ts';
import type { JsonObject } from '../reader.ts';

const MAX_ACTIONS = 10_000;
/** Longer than stock clients try to connect again. Milliseconds. */
const KEPT_FOR = 60_000;

/** Final states of the actions of all callers. They are never outdated. */
export class EndedActions {
  readonly #states = new LRUCache<string, JsonObject>({
    ...atMost(MAX_ACTIONS),
    ttl: KEPT_FOR,
    perf: performance,
  });

  /** Remembers a state if it is final. @param caller Identifies the caller. */
  add(caller: string, id: string, state: JsonObject): void {
    if (state['finished'] === true) this.#states.set(keyOf(caller, id), state);
  }

  /** The final state of an action; undefined where it is not known. */
  find(caller: string, id: string): JsonObject | undefined {
    return this.#states.get(keyOf(caller, id));
  }
}

const keyOf = (caller: string, id: string): string => JSON.stringify([caller, id]);
