// Keeps the states of a list of unfinished actions until another list may be read.
import type { JsonObject } from '../json.ts';

/** The last list of a caller, as far as its states are the latest ones that are known. */
export class RecentList {
  #states: Map<string, JsonObject> | null = null;
  #token = Number.NEGATIVE_INFINITY;

  /** @param token The fencing token of the read. */
  keep(states: Map<string, JsonObject>, token: number): void {
    this.#states = states;
    this.#token = token;
  }

  /** The state of an action; undefined when it is not known, or was read with another fencing token. */
  find(id: string, token: number | null): JsonObject | undefined {
    return token === this.#token ? this.#states?.get(id) : undefined;
  }

  /** Forgets an action that may have been read singly since: its next reader must not get an earlier state than its last one. */
  forget(id: string): void {
    this.#states?.delete(id);
  }

  clear(): void {
    this.#states = null;
  }
}
