// The streams of all unfinished actions of one caller, and the states that they share.
import type { JsonObject } from '../reader.ts';
import type { ActionStream } from './latest-value-queue.ts';
import { hasChanged } from './watched-action.ts';

/** The unfinished actions of one caller. States are kept while a stream is open. */
export class UnfinishedActions {
  readonly #streams = new Set<ActionStream>();
  #states = new Map<string, JsonObject>();

  /** Number of open streams. */
  get size(): number {
    return this.#streams.size;
  }

  /** Adds a stream. It receives the last known states at once. */
  add(stream: ActionStream): void {
    this.#streams.add(stream);
    for (const [id, state] of this.#states) stream.put(id, state, false);
  }

  remove(stream: ActionStream): void {
    this.#streams.delete(stream);
    if (this.size === 0) this.#states = new Map();
  }

  has(id: string): boolean {
    return this.#states.has(id);
  }

  /** Publishes the listed states. @returns The ids of the known actions that the list no longer contains. */
  publishList(states: ReadonlyMap<string, JsonObject>): readonly string[] {
    if (this.size === 0) return [];
    for (const [id, state] of states) this.publish(id, state);
    return [...this.#states.keys()].filter((id) => !states.has(id));
  }

  /** Publishes a state that differs from the last known one. A finished action is forgotten. */
  publish(id: string, state: JsonObject): void {
    const before = this.#states.get(id);
    const isFinished = state['finished'] === true;
    if (isFinished) this.#states.delete(id);
    else this.#states.set(id, state);
    if (before !== undefined && !hasChanged(before, state)) return;
    for (const stream of this.#streams) stream.put(id, state, isFinished);
  }

  /** Forgets an action whose state cannot be read. */
  forget(id: string): void {
    this.#states.delete(id);
  }

  /** Ends all streams with an error. */
  fail(error: unknown): void {
    for (const stream of this.#streams) {
      stream.fail(error);
      this.remove(stream);
    }
  }
}
