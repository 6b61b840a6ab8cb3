// Executes an operation that may be executed, and completes its result.
import { isAsyncIterable, mapAsyncIterator } from '@envelop/core';
import { type DocumentNode, type ExecutionResult, type GraphQLSchema, OperationTypeNode } from 'graphql';
import type { Session } from '../callers/session.ts';
import { ServerBusyError } from '../scheduling/errors.ts';
import type { Observer } from '../telemetry/observer.ts';
import { UpstreamTimeoutError } from '../upstream/errors.ts';
import type { OperationContext } from './context.ts';
import { ANSWER_BYTES_OF_CHARACTER } from './documents/documents.ts';
import type { PlannedArgs } from './execution/planned-execution.ts';
import type { IncrementalResult } from './incremental/incremental-result.ts';
import type { Introspection } from './introspection.ts';
import type { Limits } from './limits.ts';
import type { LiveOptions } from './live/live-directive.ts';
import type { LiveQueries } from './live/live-queries.ts';
import type { OnError, OperationParams, OperationRequest } from './operation-request.ts';
import type { Pipeline } from './pipeline.ts';
import { hasInputErrors, translateErrors } from './results/input-errors.ts';
import type { Results } from './results/results.ts';
import type { Retry } from './retries/retry.ts';
import type { Shutdown } from './shutdown.ts';
import type { Executed, Phases } from './user-plugins.ts';

/** What all operations of a facade are executed with. */
export interface ExecutionParts {
  readonly introspection: Introspection;
  readonly limits: Limits['operation'];
  readonly shutdown: Shutdown;
  readonly liveQueries: LiveQueries;
  readonly results: Results;
  readonly observer: Observer;
}

/** What an operation executes. */
type Executable = Pick<
  PreparedOperation,
  'schema' | 'document' | 'operationName' | 'variableValues' | 'onError'
>;

/** Ends calls that serve no field. No error for clients: nothing is resolved after it. */
const FINISHED = new Error('The operation has finished.');

/** An operation that has been admitted and charged. It is executed once, and has the arguments of its execution. */
export class PreparedOperation implements PlannedArgs {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operationName: string | null;
  readonly variableValues: OperationParams['variables'];
  readonly onError: OnError;
  readonly contextValue: OperationContext;
  readonly #kind: OperationTypeNode;
  readonly #request: OperationRequest;
  readonly #retry: Retry | null;
  readonly #startedAt: number;
  readonly #phases: Phases;
  readonly #parts: ExecutionParts;
  readonly #mayReadSchema: boolean;
  /** Characters of a long document that only this operation has; 0 for others. While it is executed, that takes memory. */
  documentLength = 0;
  /** Opens it as a live query; null for others. */
  #open: (() => Promise<Executed>) | null = null;

  /** @param startedAt When its preparation began, as `performance.now()`. */
  constructor(
    { schema, document, operationName, variableValues, onError }: Executable,
    contextValue: OperationContext,
    kind: OperationTypeNode,
    request: OperationRequest,
    startedAt: number,
    phases: Phases,
    parts: ExecutionParts,
  ) {
    this.schema = schema;
    this.document = document;
    this.operationName = operationName;
    this.variableValues = variableValues;
    this.onError = onError;
    this.contextValue = contextValue;
    this.#kind = kind;
    this.#retry = request.retry ?? null;
    this.#request = this.#retry?.request ?? request;
    this.#startedAt = startedAt;
    this.#phases = phases;
    this.#parts = parts;
    this.#mayReadSchema = parts.introspection.isOpenTo(contextValue.session.caller);
  }

  /** Executes or subscribes. Never rejects: the errors of the result are those of clients. A stream may throw such an error. */
  run(): Promise<Executed> {
    const retry = this.#retry;
    if (retry === null) return this.#run(() => this.#begin());
    return this.#run(() => retry.run(this.document, () => this.#run(() => this.#begin())));
  }

  async #run(execute: () => Promise<Executed>): Promise<Executed> {
    try {
      return await execute();
    } catch (error) {
      return this.#refuse(error);
    }
  }

  #refuse(error: unknown): ExecutionResult {
    return this.#parts.results.refuse([error], this.#request, this.#mayReadSchema);
  }

  #begin(): Promise<Executed> {
    if (this.#open !== null) return this.#open();
    return this.#kind === OperationTypeNode.SUBSCRIPTION ? this.#subscribe() : this.#execute();
  }

  /** Has it run as a live query, if the client takes a stream. @param prepare Prepares each execution but the first. */
  beLive(options: LiveOptions, params: OperationParams, prepare: Pipeline['prepare']): void {
    const { liveAs, report } = this.#request;
    if (liveAs === 'result')
      this.contextValue.operation.warn('NOT_LIVE', this.schema.getQueryType()?.name ?? '');
    if (liveAs !== 'stream') return;
    this.#request.isLive = true;
    if (report !== null) report.isLive = true;
    const { liveQueries } = this.#parts;
    this.#open = () => liveQueries.open({ request: this.#request, params, options, first: this, prepare });
  }

  get session(): Session {
    return this.contextValue.session;
  }

  /** Executes it as one execution of a live query, in one part. Never rejects. */
  executeOnce(): Promise<ExecutionResult> {
    return this.#run(() => this.#execute()) as Promise<ExecutionResult>;
  }

  async #subscribe(): Promise<Executed> {
    const { observer } = this.#parts;
    const { report } = this.#request;
    const { operation } = this.contextValue;
    const complete = (result: IncrementalResult) => {
      operation.releaseAnswers();
      return this.#complete(result);
    };
    const subscribed = await this.#phases.subscribe(this, {
      begin: () => {
        const end = report === null ? undefined : observer.subscription?.(report.observed);
        return () => {
          operation.releaseAnswers();
          end?.();
        };
      },
      complete,
      toError: (error) => this.#refuse(error).errors?.[0] ?? FINISHED,
    });
    return isAsyncIterable(subscribed) ? subscribed : complete(subscribed);
  }

  async #execute(): Promise<Executed> {
    const { refusal } = this.#parts.shutdown;
    // The user's part of the context may have taken its time.
    if (refusal !== null) throw refusal;
    const endStep = this.#request.report?.beginStep('execute');
    const endTime = this.#beginTime();
    const end = (hasFailed: boolean): void => {
      endTime();
      endStep?.({ hasFailed });
    };
    try {
      // A slow API may keep many operations waiting.
      if (!this.contextValue.operation.takeMemory(ANSWER_BYTES_OF_CHARACTER * this.documentLength))
        throw new ServerBusyError();
      const result = await this.#phases.execute(this);
      if (isAsyncIterable(result)) return this.#deliver(result, end);
      end(result.errors !== undefined);
      return this.#complete(result);
    } catch (error) {
      end(true);
      throw error;
    }
  }

  /** Completes the parts of a result as they come. */
  #deliver(parts: AsyncIterable<IncrementalResult>, end: (hasFailed: boolean) => void): Executed {
    const { operation } = this.contextValue;
    let isComplete = false;
    return mapAsyncIterator(
      parts,
      (part) => {
        isComplete = part.hasNext !== true;
        return this.#complete(part);
      },
      (error: unknown) => ({
        ...this.#refuse(error),
        hasNext: false,
      }),
      () => {
        // Nobody receives what is still being read when the client leaves.
        if (!isComplete) operation.end.abort(new Error('The client has left.'));
        end(false);
      },
    );
  }

  #complete(executed: IncrementalResult): IncrementalResult | Promise<IncrementalResult> {
    const { session } = this.contextValue;
    const mayHaveErrors = executed.errors !== undefined || executed.incremental !== undefined;
    if (!mayHaveErrors || !session.wantsTexts || !hasInputErrors(executed))
      return this.#completeTranslated(executed);
    return session.loadTexts().then((texts) => this.#completeTranslated(translateErrors(executed, texts)));
  }

  #completeTranslated(result: IncrementalResult): IncrementalResult | Promise<IncrementalResult> {
    const { operation, session } = this.contextValue;
    return this.#parts.results.complete(result, {
      request: this.#request,
      operation,
      mayReadSchema: this.#mayReadSchema,
      pause: session.pause,
    });
  }

  /**
   * Ends the operation when its time is over, in which its session was opened too: what is not finished then is UPSTREAM_TIMEOUT.
   * Returns a function that stops the timer.
   */
  #beginTime(): () => void {
    const { limits, shutdown } = this.#parts;
    const { operation } = this.contextValue;
    const { end } = operation;
    const time = this.#kind === OperationTypeNode.MUTATION ? limits.mutationTime : limits.queryTime;
    const leave = shutdown.enter(end);
    const left = time - (performance.now() - this.#startedAt);
    const timer = setTimeout(() => end.abort(createTimeoutError(time)), Math.max(0, left));
    return () => {
      clearTimeout(timer);
      // What was read early for an object that does not exist is of no use to anybody.
      end.abort(FINISHED);
      operation.releaseAnswers();
      leave();
    };
  }
}

const createTimeoutError = (time: number): UpstreamTimeoutError =>
  new UpstreamTimeoutError(
    `The operation took more than ${time / 1_000} s. Request fewer rows or fields, or split it.`,
  );
