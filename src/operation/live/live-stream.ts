// Gives the results of a live query to one client.
import type { ExecutionResult, GraphQLError } from 'graphql';
import type { IncrementalResult } from '../incremental/incremental-result.ts';
import { withIds } from '../results/whole-failure.ts';
import type { LiveExecution } from './live-execution.ts';
import type { LiveQuery } from './live-query.ts';
import type { LiveResult } from './live-result.ts';

/** The results for one client. One who reads slowly gets the latest. */
export class LiveStream implements AsyncIterableIterator<ExecutionResult> {
  /** Executes the query on behalf of the client. */
  readonly execution: LiveExecution;
  readonly #query: LiveQuery;
  readonly #patch: boolean;
  readonly #onEnd: () => void;
  /** The digest of the last result that the client has. */
  #seen: string | null = null;
  /** The data that the client has, for the next patch; null where it gets whole results. */
  #base: string | null = null;
  #revision = 0;
  /** The last result as the client has got it. */
  #given: { data?: unknown } | null = null;
  #failure: ExecutionResult | null = null;
  #isClosed = false;
  #wake: (() => void) | null = null;

  /** @param onEnd Called once, when no more results come. */
  constructor(query: LiveQuery, execution: LiveExecution, patch: boolean, onEnd: () => void) {
    this.#query = query;
    this.execution = execution;
    this.#patch = patch;
    this.#onEnd = onEnd;
    execution.client.leaving?.addEventListener('abort', this.#close, { once: true });
  }

  /** Whether the client has taken the last result, and waits for the next. */
  get isWaiting(): boolean {
    return this.#wake !== null;
  }

  /** Waits for the first result. Returns the failure in its place; null when there is a result. Rejects when the client has left. */
  async begin(): Promise<ExecutionResult | null> {
    while (this.#query.freshResult === null && this.#failure === null) {
      if (this.#isClosed) throw this.execution.client.leaving?.reason;
      await this.#wait();
    }
    if (this.#failure === null) return null;
    this.#close();
    return this.#failure;
  }

  async next(): Promise<IteratorResult<ExecutionResult>> {
    // The transports hold the last result while they wait for the next one. Its data is written, and takes several times the space of its text.
    delete this.#given?.data;
    for (;;) {
      const failure = this.#failure;
      if (failure !== null) {
        this.#failure = null;
        this.#close();
        throw failure.errors?.[0];
      }
      if (this.#isClosed) return { value: undefined, done: true };
      const { result } = this.#query;
      const value = result === null || result.digest === this.#seen ? null : this.#take(result);
      if (value !== null) return { value, done: false };
      await this.#wait();
    }
  }

  async return(): Promise<IteratorResult<ExecutionResult>> {
    this.#failure = null;
    this.#close();
    return { value: undefined, done: true };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Says that there is a result. */
  readonly wake = (): void => {
    const wake = this.#wake;
    this.#wake = null;
    wake?.();
  };

  /** Ends the stream with a result without data. */
  fail({ errors = [] }: ExecutionResult): void {
    this.#failure ??= withIds({ errors }, this.execution.client.requestId);
    this.wake();
  }

  readonly #close = (): void => {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.execution.client.leaving?.removeEventListener('abort', this.#close);
    this.#query.leave(this);
    this.wake();
    this.#onEnd();
  };

  #wait(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
      this.#query.onWaiting();
    });
  }

  /** The result as the client gets it; null if it has to be read again. */
  #take(result: LiveResult): ExecutionResult | null {
    const { content } = result;
    if (content === undefined) {
      this.#query.readAgain();
      return null;
    }
    const patch = this.#base === null ? null : this.#query.patchFrom(this.#base, result);
    this.#revision = patch === null ? 1 : this.#revision + 1;
    this.#base = this.#patch ? (result.text ?? null) : null;
    this.#seen = result.digest;
    const taken = {
      ...(patch === null ? content : { patch }),
      ...(this.#patch && { revision: this.#revision }),
      ...(result.errors.length > 0 && { errors: result.errors as GraphQLError[] }),
      extensions: {
        ...this.execution.costOf(result),
        ...(result.warnings.length > 0 && { warnings: result.warnings }),
        live: { interval: this.#query.interval / 1_000 },
      },
    } as IncrementalResult;
    const complete = withIds(taken, this.execution.client.requestId);
    this.execution.report?.addResult(complete);
    this.#given = complete;
    return complete;
  }
}
