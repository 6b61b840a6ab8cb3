// Gives one client the results of its live query: the first, and then each that differs from the one before.
import { createHash } from 'node:crypto';
import { isAsyncIterable } from '@envelop/core';
import type { ExecutionResult, GraphQLError } from 'graphql';
import type { Requester } from '../../callers/requester.ts';
import type { Session } from '../../callers/session.ts';
import type { OperationRequest } from '../../server/operation-request.ts';
import type { AdmittedOperation } from '../../server/plugin.ts';
import { withIds } from '../../server/results.ts';
import { Abort, toAbortSignal } from '../../upstream/abortable.ts';

/** Shortest time between the begins of two executions. What changes meanwhile is read by one. Milliseconds, as all times here. */
const SPACING = 500;
/** A query that fails is repeated after as long as it has failed already, within these bounds. */
const RETRY_PAUSE = { shortest: 1_000, longest: 15_000 };
/** Time after which a query that fails ends. */
const RETRY_TIME = 120_000;

/** What a live query needs besides its operation. */
interface LiveQueryParts {
  /** Milliseconds from the end of one execution to the next. */
  readonly interval: number;
  readonly toClientError: (error: unknown) => GraphQLError;
  /** Called once, when no more results come. */
  readonly onEnd: () => void;
}

/**
 * The results of a live query. It is executed only while its client waits for a result, and shares no result. After its start, one of these
 * is true: it has ended, an execution is under way, it waits until the next is due, or its client has not yet read the last result.
 */
export class LiveQuery implements AsyncIterableIterator<ExecutionResult> {
  /** That of the first execution. */
  readonly session: Session;
  /** Aborts at the end, and so ends the execution under way when the client leaves. */
  readonly ending = new Abort();
  /** Without the context of the first execution, which holds all that was read. */
  readonly #operation: Pick<AdmittedOperation, 'request' | 'params' | 'run'>;
  readonly #parts: LiveQueryParts;
  /** A result that the client has not read: the first one, or the one without data that has ended the query. */
  #unread: ExecutionResult | null = null;
  /** Identifies the last result. */
  #digest = '';
  /** Whether what was read may have changed, so that the next execution is due before its interval. */
  #isOutdated = false;
  #beganAt = performance.now();
  #endedAt = this.#beganAt;
  /** When the first execution failed since the last success; null for none. */
  #failingSince: number | null = null;
  #wake: () => void = () => undefined;

  constructor({ request, params, run, contextValue }: AdmittedOperation, parts: LiveQueryParts) {
    this.#operation = { request, params, run };
    this.#parts = parts;
    this.session = contextValue.session;
    request.requester.leaving?.addEventListener('abort', this.close, { once: true });
  }

  /** Goes on after the first execution. @throws TypeError when its result cannot be written as JSON. */
  start(first: ExecutionResult): void {
    this.#endedAt = performance.now();
    this.#take(first);
    if (this.#operation.request.requester.leaving?.aborted === true) this.close();
  }

  /** Has it executed soon, because what it has read may have changed. */
  onChange(): void {
    this.#isOutdated = true;
    this.#wake();
  }

  /** Ends it with a result without data. */
  end(last: ExecutionResult): void {
    if (this.ending.aborted) return;
    this.close();
    this.#unread = last;
  }

  readonly close = (): void => {
    if (this.ending.aborted) return;
    this.#unread = null;
    const { leaving } = this.#operation.request.requester;
    leaving?.removeEventListener('abort', this.close);
    this.ending.abort(leaving?.reason ?? new Error('The live query has ended.'));
    this.#wake();
    this.#parts.onEnd();
  };

  async next(): Promise<IteratorResult<ExecutionResult>> {
    for (;;) {
      const result = this.#unread;
      this.#unread = null;
      const ended = result?.errors?.find(({ extensions }) => extensions['code'] === 'UNAUTHENTICATED');
      // As a subscription ends: a WebSocket sends the error as the end of the operation.
      if (this.ending.aborted && ended !== undefined) throw ended;
      if (result !== null) return { value: result, done: false };
      if (this.ending.aborted) return { value: undefined, done: true };
      await this.#untilDue();
      if (!this.ending.aborted) await this.#execute();
    }
  }

  async return(): Promise<IteratorResult<ExecutionResult>> {
    this.close();
    return { value: undefined, done: true };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async #untilDue(): Promise<void> {
    while (!this.ending.aborted) {
      const left = this.#dueAt - performance.now();
      if (left <= 0) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  get #dueAt(): number {
    const { shortest, longest } = RETRY_PAUSE;
    if (this.#failingSince !== null)
      return this.#endedAt + Math.min(longest, Math.max(shortest, this.#endedAt - this.#failingSince));
    return this.#isOutdated ? this.#beganAt + SPACING : this.#endedAt + this.#parts.interval;
  }

  /** Executes it once. Never rejects. */
  async #execute(): Promise<void> {
    this.#isOutdated = false;
    this.#beganAt = performance.now();
    try {
      const result = await this.#operation.run(this.#createRequest());
      this.#endedAt = performance.now();
      if (this.ending.aborted) return;
      // A plugin of the library's user may have made a stream of it.
      if (isAsyncIterable(result)) throw new TypeError('expected one result of a live query');
      if (result.data === undefined || result.data === null) this.#fail(result);
      else this.#take(result);
    } catch (error) {
      const errors = [this.#parts.toClientError(error)];
      this.end(withIds({ errors }, this.#operation.request.requester.requestId));
    }
  }

  /** Makes the request of one further execution, as an operation of its own. */
  #createRequest(): OperationRequest {
    const { request, params } = this.#operation;
    const { header, address, requestId } = request.requester;
    const leaving = this.ending;
    const requester: Requester = {
      header,
      address,
      requestId,
      leaving,
      get signal() {
        return toAbortSignal(leaving);
      },
      // The response has begun, so that it cannot carry a cookie.
      cookie: { setCookie: null, isOpen: false },
    };
    return { requester, readSent: () => params, liveAs: 'execution' };
  }

  /** Repeats an execution that may succeed later, and ends the query otherwise. */
  #fail(result: ExecutionResult): void {
    this.#failingSince ??= this.#endedAt;
    const all = result.errors?.map(({ extensions }) => extensions) ?? [];
    // Who begins now will be sent to another server.
    const isClosing = all.some(({ code }) => code === 'SHUTTING_DOWN');
    const mayPass =
      all.length > 0 &&
      all.every(({ code, retryable }) => retryable === true && code !== 'COST_LIMIT_EXCEEDED');
    const isLate = this.#endedAt - this.#failingSince >= RETRY_TIME;
    if (!isClosing && (isLate || !mayPass)) this.end(result);
  }

  /** Takes a result with data, which the client gets if it differs from the last one. */
  #take(result: ExecutionResult): void {
    this.#failingSince = null;
    const digest = digestOf(result);
    const live = { interval: this.#parts.interval / 1_000 };
    if (digest !== this.#digest) this.#unread = { ...result, extensions: { ...result.extensions, live } };
    this.#digest = digest;
  }
}

/** Identifies what a client sees of a result, without its cost. @throws when it cannot be written as JSON. */
function digestOf({ data, errors, extensions }: ExecutionResult): string {
  const seen: readonly unknown[] = [data, errors, extensions?.['warnings']];
  return createHash('sha256').update(JSON.stringify(seen)).digest('base64');
}
