// Limits the queries and mutations of one client that are under way.
import type { Client } from '../callers/client-address.ts';
import { OperationLimitError } from './errors.ts';

/** The queries and mutations of a facade that are under way. A stream counts until it has begun. */
export class OperationsUnderWay {
  readonly #limits: { readonly operationsUnderWay: number };
  readonly #counts = new Map<string, number>();

  constructor(limits: { readonly operationsUnderWay: number }) {
    this.#limits = limits;
  }

  /** Counts an operation of a client. Returns what ends that. @throws OperationLimitError when the client has too many. */
  enter({ network, key }: Client): () => void {
    const name = `${network} ${key}`;
    const count = this.#counts.get(name) ?? 0;
    if (count >= this.#limits.operationsUnderWay) throw new OperationLimitError(count);
    this.#counts.set(name, count + 1);
    return () => {
      const left = (this.#counts.get(name) ?? 1) - 1;
      if (left === 0) this.#counts.delete(name);
      else this.#counts.set(name, left);
    };
  }
}
