// Completes the results of operations as clients get them.
import { mapAsyncIterator } from '@envelop/core';
import type { ExecutionResult, GraphQLError, GraphQLFormattedError } from 'graphql';
import type { Operation } from '../../loaders/operation.ts';
import type { OperationContext } from '../context.ts';
import type { Allowance } from '../cost/cost-limit.ts';
import type { Introspection } from '../introspection.ts';
import { createErrorAt } from '../mask-error.ts';
import type { OperationRequest } from '../operation-request.ts';
import { type IncrementalResult, isPart, limitErrors, mapErrors } from './incremental-result.ts';
import { withIds, withoutFailedData } from './whole-failure.ts';

/** Errors that one result contains at most. Each has hundreds of characters, and a list can have one for each row. */
const MAX_ERRORS = 100;

/** Completes the results of a facade's operations. */
export class Results {
  readonly #toClientError: (error: unknown) => GraphQLError;
  readonly #introspection: Introspection;

  /**
   * @param toClientError Converts a thrown error to the error that the client gets.
   * @param introspection Decides who may read names of the schema in errors.
   */
  constructor(toClientError: (error: unknown) => GraphQLError, introspection: Introspection) {
    this.#toClientError = toClientError;
    this.#introspection = introspection;
  }

  /** Completes a result, an event of a subscription, or a part of a result. */
  complete(
    result: IncrementalResult,
    request: OperationRequest,
    { operation, session }: OperationContext,
  ): IncrementalResult {
    return this.#finish(result, request, operation, this.#introspection.isOpenTo(session.caller));
  }

  /** Completes the parts of a result as they come. @param onEnd Called once, with whether the execution has failed. */
  completeParts(
    parts: AsyncIterable<IncrementalResult>,
    request: OperationRequest,
    context: OperationContext,
    onEnd: (hasFailed: boolean) => void,
  ): AsyncIterable<IncrementalResult> {
    let isComplete = false;
    return mapAsyncIterator(
      parts,
      (part) => {
        isComplete = part.hasNext !== true;
        return this.complete(part, request, context);
      },
      (error: unknown) => ({ ...this.refuse([error], request, true), hasNext: false }),
      () => {
        // Nobody receives what is still being read when the client leaves.
        if (!isComplete) context.operation.end.abort(new Error('The client has left.'));
        onEnd(false);
      },
    );
  }

  /** Completes the events of a subscription. @param onEnd Called once, when no more events come. */
  completeEvents(
    events: AsyncIterable<ExecutionResult>,
    request: OperationRequest,
    context: OperationContext,
    onEnd: () => void,
  ): AsyncIterable<ExecutionResult> {
    return mapAsyncIterator(
      events,
      (event) => this.complete(event, request, context),
      (error: unknown) => {
        const [first] = this.refuse([error], request, true).errors ?? [];
        throw first ?? error;
      },
      onEnd,
    );
  }

  #finish(
    completeResult: IncrementalResult,
    request: OperationRequest,
    operation: Operation,
    mayReadSchema: boolean,
  ): IncrementalResult {
    const { requester } = request;
    let result = completeResult;
    if (result.errors !== undefined || result.incremental !== undefined) {
      if (!isPart(result)) result = withoutFailedData(result, operation);
      // There may be tens of thousands, and to mask one takes time.
      result = mapErrors(limitErrors(result, MAX_ERRORS), (error) => this.#mask(error, mayReadSchema));
      result = withIds(result, requester.requestId);
    }
    if (result.hasNext !== true)
      result = addExtensions(result, operation, requester.header('x-trace') === '1');
    report(result, request);
    return result;
  }

  /** Makes the result of an operation that is not executed. */
  refuse(errors: readonly unknown[], request: OperationRequest, mayReadSchema: boolean): ExecutionResult {
    const masked = errors.map((error) => this.#mask(error, mayReadSchema));
    const result = withIds({ errors: masked }, request.requester.requestId);
    report(result, request);
    return result;
  }

  #mask(error: unknown, mayReadSchema: boolean): GraphQLError {
    const masked = this.#toClientError(error);
    return mayReadSchema ? masked : withoutSuggestion(masked);
  }
}

/** The names that graphql-js suggests for an unknown one. */
const SUGGESTION = / Did you mean .*\?$/s;

/** Removes the names that the message of an error suggests. */
function withoutSuggestion(error: GraphQLError): GraphQLError {
  const message = error.message.replace(SUGGESTION, '');
  if (message === error.message) return error;
  return createErrorAt(error, message, error.extensions);
}

/** Formats an error for the client, without the extension `http`, which is for the transport. */
export function formatError(error: GraphQLError): GraphQLFormattedError {
  const { extensions, ...formatted } = error.toJSON();
  const { http: _http, ...rest } = extensions ?? {};
  return { ...formatted, extensions: rest };
}

/** Makes the response to a request for a page that has failed. @param errors Those of a result without data. */
export function toErrorResponse(
  errors: readonly GraphQLError[] = [],
  added: Readonly<Record<string, string>> = {},
): Response {
  const { status = 500, headers = {} } = errors[0]?.extensions.http ?? {};
  return Response.json({ errors: errors.map(formatError) }, { status, headers: { ...added, ...headers } });
}

/** Adds calls and warnings of an operation to the extensions of a result; with `isTraced` also each upstream call. */
function addExtensions(
  result: IncrementalResult,
  { cost, warnings }: Operation,
  isTraced: boolean,
): IncrementalResult {
  const { calls, ms } = cost.sum;
  const extensions = {
    ...result.extensions,
    upstream: { calls, ms, coalesced: cost.coalesced, ...(isTraced ? { trace: cost.trace } : {}) },
    ...(warnings.length > 0 ? { warnings } : {}),
  };
  // V8 of Node 20 makes a hidden class for each object of a spread with a new property after it: 0.6 µs instead of 0.03.
  return Object.assign({}, result, { extensions });
}

/** The cost of an operation in the extensions of a result. */
export interface ResultCost extends Pick<Allowance, 'limit' | 'remaining'> {
  /** Estimated points of the operation. Absent when it was refused before the estimate. */
  readonly estimate?: number;
  /** When the budget is full again, if nothing more is spent. */
  readonly resetAt: string;
}

/** Adds its cost to the result of an operation, unless its client has no budget. */
export function addCost(result: ExecutionResult, request: OperationRequest): ExecutionResult {
  const cost = costOf(request);
  return cost === null ? result : Object.assign({}, result, { extensions: { ...result.extensions, cost } });
}

/** Adds the cost of an operation to the first of its results. */
export function addCostToFirst(
  results: AsyncIterable<ExecutionResult>,
  request: OperationRequest,
): AsyncIterable<ExecutionResult> {
  let isFirst = true;
  return mapAsyncIterator(results, (result) => {
    if (!isFirst) return result;
    isFirst = false;
    return addCost(result, request);
  });
}

function costOf({ allowance, estimate }: OperationRequest): ResultCost | null {
  if (!allowance) return null;
  const { limit, remaining, reset } = allowance;
  const resetAt = new Date(Date.now() + reset * 1_000).toISOString();
  return { ...(estimate === undefined ? {} : { estimate }), remaining, limit, resetAt };
}

/** Reports a result. A client that has left gets none, and its errors only say that it has left. */
function report(result: IncrementalResult, { report, requester }: OperationRequest): void {
  if (requester.leaving?.aborted !== true) report?.addResult(result);
}

/** Writes a result as JSON. What JSON cannot hold, such as a BigInt that a plugin has added, becomes an error of the facade. */
export function writeResult(result: object, requestId: string): string {
  try {
    return JSON.stringify(result);
  } catch {
    const extensions = { code: 'INTERNAL', retryable: false, requestId };
    return JSON.stringify({
      errors: [{ message: 'The facade failed; its log has the reason.', extensions }],
    });
  }
}
