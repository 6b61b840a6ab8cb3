// Sends the results of one live query: the first, and then each that differs from the one before.
import { createHash } from 'node:crypto';
import { isAsyncIterable } from '@envelop/core';
import type { ExecutionResult } from 'graphql';
import type { Requester } from '../../callers/session.ts';
import type { OperationParams, OperationRequest } from '../operation-request.ts';
import type { AdmittedOperation } from '../plugin.ts';

/** Shortest time from the end of one execution to the next, also while its caller writes again and again. Milliseconds. */
const LEAST_PAUSE = 250;
/** Executions that may fail one after another, with errors that are retryable. The pauses before them grow to a minute. */
const MAX_FAILURES = 8;
const LONGEST_PAUSE = 60_000;

/** The results of one live query. It ends with the client, with an error that is not retryable, or by `end`. */
export class LiveStream implements AsyncIterableIterator<ExecutionResult> {
  readonly #operation: AdmittedOperation;
  readonly #interval: number;
  readonly #onEnd: () => void;
  /** The result that the client has not got; null when it has to be executed first. */
  #next: ExecutionResult | null;
  #digest: string;
  #failures = 0;
  #isChanged = false;
  #hasEnded = false;
  /** Ends the pause before the next execution. */
  #wake: () => void = () => undefined;

  /** @param interval Milliseconds from the end of one execution to the next. @param onEnd Called once. */
  constructor(operation: AdmittedOperation, first: ExecutionResult, interval: number, onEnd: () => void) {
    this.#operation = operation;
    this.#interval = interval;
    this.#onEnd = onEnd;
    this.#digest = digestOf(first);
    this.#next = this.#describe(first);
    const { leaving } = operation.request.requester;
    if (leaving?.aborted === true) this.#close();
    else leaving?.addEventListener('abort', this.#close, { once: true });
  }

  /** Has it executed again: its caller has written, or an action of the caller has ended. */
  readonly onChange = (): void => {
    this.#isChanged = true;
    this.#wake();
  };

  /** Ends it with a result without data. */
  end(last: ExecutionResult): void {
    this.#next = last;
    this.#hasEnded = true;
    this.#wake();
  }

  async next(): Promise<IteratorResult<ExecutionResult>> {
    let result = this.#next;
    this.#next = null;
    while (result === null && !this.#hasEnded) result = await this.#executeAgain();
    if (result !== null) return { value: result, done: false };
    return this.return();
  }

  async return(): Promise<IteratorResult<ExecutionResult>> {
    this.#close();
    return { value: undefined, done: true };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Waits, and executes it. Null: the result does not differ, or is a failure that may pass. */
  async #executeAgain(): Promise<ExecutionResult | null> {
    const pause =
      this.#failures === 0 ? this.#interval : Math.min(LONGEST_PAUSE, this.#interval * 2 ** this.#failures);
    await this.#sleep(LEAST_PAUSE, false);
    if (!this.#isChanged) await this.#sleep(pause - LEAST_PAUSE, true);
    if (this.#hasEnded) return this.#next;
    this.#isChanged = false;
    const request = new LiveExecution(this.#operation);
    const result = await this.#operation.run(request);
    if (isAsyncIterable(result)) throw new TypeError('expected one result of a live query');
    if (this.#hasEnded) return this.#next;
    if (!('data' in result)) return this.#onFailure(result);
    this.#failures = 0;
    const digest = digestOf(result);
    if (digest === this.#digest) return null;
    this.#digest = digest;
    return this.#describe(result);
  }

  #onFailure(result: ExecutionResult): ExecutionResult | null {
    this.#failures += 1;
    const mayPass = result.errors?.every(({ extensions }) => extensions['retryable'] === true) === true;
    if (mayPass && this.#failures < MAX_FAILURES) return null;
    this.#hasEnded = true;
    return result;
  }

  #sleep(ms: number, isEndedByChange: boolean): Promise<void> {
    return new Promise((resolve) => {
      if (this.#hasEnded) return resolve();
      const timer = setTimeout(resolve, Math.max(0, ms));
      this.#wake = () => {
        if (!this.#hasEnded && !isEndedByChange) return;
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Says in a result how it is live. */
  #describe(result: ExecutionResult): ExecutionResult {
    return { ...result, extensions: { ...result.extensions, live: { interval: this.#interval / 1_000 } } };
  }

  readonly #close = (): void => {
    if (this.#onEnd === undefined) return;
    this.#hasEnded = true;
    this.#next = null;
    this.#operation.request.requester.leaving?.removeEventListener('abort', this.#close);
    this.#wake();
    this.#onEnd();
  };
}

/** Identifies what a client sees of a result: data, errors and warnings, without the ids of requests and the cost. */
function digestOf({ data, errors = [], extensions }: ExecutionResult): string {
  const seen = errors.map(({ message, path, extensions: { requestId: _, ...rest } }) => [
    message,
    path,
    rest,
  ]);
  return createHash('sha256')
    .update(JSON.stringify([data, seen, extensions?.['warnings'] ?? []]))
    .digest('base64');
}

/** One execution of a live query after the first, for the same client. */
class LiveExecution implements OperationRequest {
  readonly requester: Requester;
  readonly report = null;
  readonly acceptsParts = false;
  readonly liveAs = 'execution';
  readonly #params: OperationParams;

  constructor({ request, params }: AdmittedOperation) {
    this.requester = request.requester;
    this.#params = params;
  }

  readSent(): OperationParams {
    return this.#params;
  }

  admit(): void {
    // The live query is admitted already.
  }
}
