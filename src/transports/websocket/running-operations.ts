// Counts the operations of one WebSocket that are in progress.
import type { SocketOperation } from './socket-operation.ts';

/** The operations of one WebSocket by their ids. The sums are kept, so that thousands of messages cost the same each. */
export class RunningOperations {
  readonly #byId = new Map<string, SocketOperation>();
  readonly #singleResults = new Set<SocketOperation>();
  #size = 0;

  get count(): number {
    return this.#byId.size;
  }

  /** Characters of all their Subscribe messages. */
  get size(): number {
    return this.#size;
  }

  /** Number of those that are known to have one result. */
  get singleResults(): number {
    return this.#singleResults.size;
  }

  /** Counts an operation whose kind is known. */
  admit(operation: SocketOperation): void {
    if (operation.kind === 'single-result') this.#singleResults.add(operation);
  }

  get(id: string): SocketOperation | undefined {
    return this.#byId.get(id);
  }

  /** Adds an operation. It replaces one that the client has ended, whose id it may use again. */
  add(id: string, operation: SocketOperation): void {
    this.delete(id);
    this.#byId.set(id, operation);
    this.#size += operation.size;
  }

  delete(id: string): void {
    const operation = this.#byId.get(id);
    if (operation === undefined) return;
    this.#byId.delete(id);
    this.#singleResults.delete(operation);
    this.#size -= operation.size;
  }

  [Symbol.iterator](): IterableIterator<[string, SocketOperation]> {
    return this.#byId.entries();
  }
}
