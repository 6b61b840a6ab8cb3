// Executes the live query of one client again and again, and gives the client each result that differs from the last.
import { createHash } from 'node:crypto';
import type { ExecutionResult, GraphQLError } from 'graphql';
import type { Requester, Session } from '../../callers/session.ts';
import type { LiveExecutionEnd, Observer } from '../../telemetry/observer.ts';
import { Abort, toAbortSignal } from '../../upstream/abortable.ts';
import type { OperationParams, OperationRequest } from '../operation-request.ts';
import type { Pipeline } from '../pipeline.ts';
import type { PreparedOperation } from '../prepared-operation.ts';
import type { LiveOptions } from './live-directive.ts';
import { mayChange, resourcesOf } from './written-resources.ts';

/** Shortest time between the begins of two executions. What changes meanwhile is read by one. Milliseconds, as all times here. */
const SPACING = 500;
/** Pause after the first failure. It doubles up to the longest. */
const RETRY_PAUSE = { first: 1_000, longest: 15_000 };
/** Time after which a query that fails ends. */
const RETRY_TIME = 120_000;

/** A live query that a client sends. */
export interface SentQuery {
  readonly request: OperationRequest;
  readonly params: OperationParams;
  readonly options: LiveOptions;
  /** The first execution. */
  readonly first: PreparedOperation;
  /** Prepares each further execution, as an operation of its own. */
  readonly prepare: Pipeline['prepare'];
}

/** What live queries are executed with. */
export interface LiveQueryParts {
  readonly observer: Observer;
  /** Makes the result of a query whose result cannot be written. */
  readonly refuse: (error: unknown, request: OperationRequest) => ExecutionResult;
}

/** Why a query is executed. */
type Trigger = LiveExecutionEnd['trigger'];

/**
 * The results of a live query. It is executed only while its client waits for a result, by nobody else and for nobody else: it shares no
 * result. Exactly one of these is true: it has ended (`#isClosed`), an execution is under way, it waits until the next is due, or its client
 * has not yet read the last result.
 */
export class LiveQuery implements AsyncIterableIterator<ExecutionResult> {
  /** That of the last execution. */
  session: Session;
  readonly #sent: SentQuery;
  readonly #parts: LiveQueryParts;
  readonly #onEnd: () => void;
  /** Aborts the execution under way when the client leaves. */
  #ending = new Abort();
  /** Dotted paths of the resources from which the last execution has read; null before its end. */
  #resources: ReadonlySet<string> | null = null;
  /** The first result until the client takes it. */
  #first: ExecutionResult | null = null;
  /** Identifies the last result. */
  #digest: string | null = null;
  /** Why the next execution is due before its interval; null: it is not. */
  #trigger: Trigger | null = 'start';
  #beganAt = Number.NEGATIVE_INFINITY;
  #endedAt = Number.NEGATIVE_INFINITY;
  #failing: { readonly since: number; readonly count: number; readonly retryAt: number } | null = null;
  /** The result without data that has ended it. */
  #failure: ExecutionResult | null = null;
  #isClosed = false;
  #wake: () => void = () => undefined;

  /** @param onEnd Called once, when no more results come. */
  constructor(sent: SentQuery, parts: LiveQueryParts, onEnd: () => void) {
    this.#sent = sent;
    this.#parts = parts;
    this.#onEnd = onEnd;
    this.session = sent.first.session;
    sent.request.requester.leaving?.addEventListener('abort', this.#close, { once: true });
  }

  get report(): OperationRequest['report'] {
    return this.#sent.request.report;
  }

  /** Whether an action may change what the last execution has read. @param scope Null: the action is unknown. */
  isChangedBy(scope: string | null): boolean {
    return this.#resources === null || mayChange(this.session.served, scope, this.#resources);
  }

  /** Waits for the first result. Returns the failure in its place; null when there is a result. Rejects when the client has left. */
  async begin(): Promise<ExecutionResult | null> {
    this.#first = await this.#findResult();
    if (this.#first !== null) return null;
    if (this.#failure === null) throw this.#sent.request.requester.leaving?.reason;
    return this.#failure;
  }

  async next(): Promise<IteratorResult<ExecutionResult>> {
    const result = this.#first ?? (await this.#findResult());
    this.#first = null;
    if (result !== null) return { value: result, done: false };
    const failure = this.#failure;
    this.#failure = null;
    if (failure !== null) throw failure.errors?.[0];
    return { value: undefined, done: true };
  }

  async return(): Promise<IteratorResult<ExecutionResult>> {
    this.#close();
    return { value: undefined, done: true };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Has it executed soon, because what it has read may have changed. */
  onChange(trigger: Trigger): void {
    this.#trigger = trigger;
    this.#wake();
  }

  /** Ends it with a result without data. */
  end(result: ExecutionResult): void {
    if (!this.#isClosed) this.#failure = result;
    this.#close();
  }

  readonly #close = (): void => {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const { leaving } = this.#sent.request.requester;
    leaving?.removeEventListener('abort', this.#close);
    this.#ending.abort(leaving?.reason ?? new Error('The live query has ended.'));
    this.#wake();
    this.#onEnd();
  };

  /** Executes it until a result differs from the last. Null at its end. */
  async #findResult(): Promise<ExecutionResult | null> {
    while (!this.#isClosed) {
      await this.#untilDue();
      const result = this.#isClosed ? null : await this.#execute();
      if (result !== null) return result;
    }
    return null;
  }

  async #untilDue(): Promise<void> {
    while (!this.#isClosed) {
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
    if (this.#failing !== null) return this.#failing.retryAt;
    return this.#trigger === null ? this.#endedAt + this.#sent.options.interval : this.#beganAt + SPACING;
  }

  /** Executes it once. Returns the result if it differs from the last. */
  async #execute(): Promise<ExecutionResult | null> {
    const trigger = this.#failing === null ? (this.#trigger ?? 'interval') : 'retry';
    const isFirst = this.#beganAt === Number.NEGATIVE_INFINITY;
    this.#trigger = null;
    this.#beganAt = performance.now();
    let result = await (isFirst ? this.#run(this.#sent.first) : this.#runAgain());
    this.#endedAt = performance.now();
    if (this.#isClosed) return null;
    let digest = '';
    try {
      digest = digestOf(result);
    } catch (error) {
      result = this.#parts.refuse(error, this.#sent.request);
    }
    const hasFailed = result.data === undefined || result.data === null;
    const outcome = hasFailed ? 'failed' : digest === this.#digest ? 'same' : 'changed';
    const duration = this.#endedAt - this.#beganAt;
    this.#parts.observer.liveExecution?.({ trigger, outcome, duration });
    if (hasFailed) this.#fail(result);
    else [this.#digest, this.#failing] = [digest, null];
    const live = { interval: this.#sent.options.interval / 1_000 };
    return outcome === 'changed' ? { ...result, extensions: { ...result.extensions, live } } : null;
  }

  /** Never rejects. */
  async #run(prepared: PreparedOperation): Promise<ExecutionResult> {
    const { operation, session } = prepared.contextValue;
    const result = await prepared.executeOnce();
    this.session = session;
    this.#resources = resourcesOf(operation.reads, session.served.description);
    operation.forgetReads();
    return result;
  }

  /** Prepares and executes it as an operation of its own. Never rejects. */
  async #runAgain(): Promise<ExecutionResult> {
    const { params, request, prepare } = this.#sent;
    const { header, address, requestId } = request.requester;
    const { query, variables = null, operationName = null, onError = null } = params;
    const leaving = this.#ending;
    const requester: Requester = {
      ...{ header, address, requestId, leaving },
      get signal() {
        return toAbortSignal(leaving);
      },
      // The response has begun, so that it cannot carry a cookie.
      cookie: { setCookie: null, isOpen: false },
    };
    const prepared = await prepare({
      requester,
      report: request.report,
      waitingSize: 0,
      readSent: () => ({ query, variables, operationName, onError }),
      acceptedParts: null,
      liveAs: 'execution',
      // The live query is admitted already.
      admit: () => undefined,
    });
    return 'executeOnce' in prepared ? this.#run(prepared) : prepared;
  }

  /** Repeats an execution that may succeed later, and ends the query otherwise. */
  #fail(result: ExecutionResult): void {
    const now = performance.now();
    const { since, count } = this.#failing ?? { since: now, count: 0 };
    const codes = result.errors?.map(({ extensions }) => extensions['code']) ?? [];
    // Who begins now will be sent to another server.
    const isClosing = codes.includes('SHUTTING_DOWN');
    const mayPass =
      result.errors?.every(({ extensions }) => extensions['retryable'] === true) === true &&
      !codes.includes('COST_LIMIT_EXCEEDED');
    const { first, longest } = RETRY_PAUSE;
    const retryAt = now + Math.min(longest, first * 2 ** count);
    if (isClosing || (mayPass && this.#digest !== null && now - since < RETRY_TIME))
      this.#failing = { since, count: count + 1, retryAt };
    else this.end(result);
  }
}

/** Identifies what a client sees of a result, without its cost. @throws when it cannot be written as JSON. */
function digestOf({ data, errors, extensions }: ExecutionResult): string {
  const seen: readonly [unknown, readonly GraphQLError[] | undefined, unknown] = [
    data,
    errors,
    extensions?.['warnings'],
  ];
  return createHash('sha256').update(JSON.stringify(seen)).digest('base64');
}
