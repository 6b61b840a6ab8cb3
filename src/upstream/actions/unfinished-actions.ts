// The streams of all unfinished actions of one caller, and the states that they share.
import type { JsonObject } from '../json.ts';
import type { ActionStream } from './latest-value-queue.ts';
import { hasChanged } from './watched-action.ts';

/** The unfinished actions of one caller. States are kept while they are watched. */
export class UnfinishedActions {
  /** The replicas with streams of them. */
  readonly replicas = new Set<string>();
  /** The fencing token of the latest list. */
  token = Number.NEGATIVE_INFINITY;
  readonly #streams = new Set<ActionStream>();
  #states = new Map<string, JsonObject>();

  /** Number of open streams. */
  get size(): number {
    return this.#streams.size;
  }

  /** Whether this replica or another one has open streams. */
  get isWatched(): boolean {
    return this.size > 0 || this.replicas.size > 0;
  }

  /** The last known states by id. */
  get states(): ReadonlyMap<string, JsonObject> {
    return this.#states;
  }

  /** Adds a stream. It receives the last known states at once. */
  add(stream: ActionStream): void {
    this.#streams.add(stream);
    for (const [id, state] of this.#states) stream.put(id, state, false);
  }

  remove(stream: ActionStream): void {
    this.#streams.delete(stream);
    this.forgetUnwatched();
  }

  /** Forgets the states when nobody watches them. */
  forgetUnwatched(): void {
    if (!this.isWatched) this.#states = new Map();
  }

  has(id: string): boolean {
    return this.#states.has(id);
  }

  /** The ids of the known actions that a list does not contain. */
  omittedFrom(list: ReadonlyMap<string, unknown>): readonly string[] {
    return [...this.#states.keys()].filter((id) => !list.has(id));
  }

  /** Publishes a state. A finished action is forgotten. @returns Whether the state differs from the last known one. */
  publish(id: string, state: JsonObject): boolean {
    const before = this.#states.get(id);
    const isFinished = state['finished'] === true;
    if (isFinished) this.#states.delete(id);
    else this.#states.set(id, state);
    if (before !== undefined && !hasChanged(before, state)) return false;
    for (const stream of this.#streams) stream.put(id, state, isFinished);
    return true;
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
