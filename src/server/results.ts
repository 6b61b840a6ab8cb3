// Completes the results of operations as clients get them.
import { mapAsyncIterator } from '@envelop/core';
import type { ExecutionResult, GraphQLError, GraphQLFormattedError } from 'graphql';
import type { Operation } from '../loaders/operation.ts';
import { isObject } from '../upstream/json.ts';
import { errorCodeFacts, isForResponseJsonOnly } from './errors.ts';
import { createErrorAt, publicCodeOf } from './mask-error.ts';
import type { OperationContext, OperationRequest } from './operation-request.ts';

/** Fields of a deferred fragment, or items of a streamed list. */
interface IncrementalPart {
  readonly data?: object | null;
  readonly items?: readonly unknown[] | null;
  readonly path?: readonly (string | number)[];
  readonly label?: string;
  readonly errors?: readonly GraphQLError[];
}

/** A whole result, or one of its parts: the first has `data`, all but the last have `hasNext: true`. */
export interface IncrementalResult extends ExecutionResult {
  readonly hasNext?: boolean;
  readonly incremental?: readonly IncrementalPart[];
}

/** Errors that one result contains at most. Each has hundreds of characters, and a list can have one for each row. */
const MAX_ERRORS = 100;

/** Completes the results of a facade's operations. */
export class Results {
  readonly #toClientError: (error: unknown) => GraphQLError;

  /** @param toClientError Converts a thrown error to the error that the client gets. */
  constructor(toClientError: (error: unknown) => GraphQLError) {
    this.#toClientError = toClientError;
  }

  /** Completes a result, an event of a subscription, or a part of a result. */
  complete(
    executed: IncrementalResult,
    request: OperationRequest,
    { operation }: OperationContext,
  ): IncrementalResult {
    let result = executed;
    if (result.errors !== undefined || result.incremental !== undefined) {
      if (result.hasNext === undefined) result = withoutFailedData(result, operation);
      result = withIds(result, request.requester.requestId, (error) => this.#mask(error, request));
    }
    if (result.hasNext !== true) result = addExtensions(result, request, operation);
    report(result, request);
    return result;
  }

  /** Completes the parts of a result as they come. @param onEnd Called once, when no more parts come. */
  completeParts(
    parts: AsyncIterable<IncrementalResult>,
    request: OperationRequest,
    context: OperationContext,
    onEnd: () => void,
  ): AsyncIterable<IncrementalResult> {
    let isComplete = false;
    return mapAsyncIterator(
      parts,
      (part) => {
        isComplete = part.hasNext !== true;
        return this.complete(part, request, context);
      },
      (error: unknown) => ({ ...this.refuse([error], request), hasNext: false }),
      () => {
        // Nobody receives what is still being read when the client leaves.
        if (!isComplete) context.operation.end.abort(new Error('The client has left.'));
        onEnd();
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
        const [first] = this.refuse([error], request).errors ?? [];
        throw first ?? error;
      },
      onEnd,
    );
  }

  /** Makes the result of an operation that is not executed. */
  refuse(errors: readonly unknown[], request: OperationRequest): ExecutionResult {
    const masked = errors.map((error) => this.#mask(error, request));
    const result = withIds({ errors: masked }, request.requester.requestId);
    report(result, request);
    return result;
  }

  /** Makes the error for the client, without the names that graphql-js suggests where the client may not read the schema. */
  #mask(error: unknown, { hidesSchema = false }: OperationRequest): GraphQLError {
    const masked = this.#toClientError(error);
    if (!hidesSchema) return masked;
    return createErrorAt(masked, masked.message.replace(/ Did you mean .*\?$/s, ''), masked.extensions);
  }
}

/** Replaces each list of errors of a result, also those of its deferred fragments and streamed items. */
export function mapErrors<R extends IncrementalResult>(
  result: R,
  map: (errors: readonly GraphQLError[]) => readonly (GraphQLError | GraphQLFormattedError)[],
): R {
  const { errors, incremental } = result;
  return {
    ...result,
    ...(errors && { errors: map(errors) }),
    ...(incremental && {
      incremental: incremental.map((part) => (part.errors ? { ...part, errors: map(part.errors) } : part)),
    }),
  };
}

/**
 * Removes the data of a request that failed as a whole: all its fields failed for a reason that concerns the whole request, or the
 * upstream no longer knows the credential of a query. The data of a mutation that has written stays.
 * @param result Its errors are those of the execution. The reasons become the first of them.
 */
function withoutFailedData(result: IncrementalResult, operation: Operation): IncrementalResult {
  const { data, errors = [], ...rest } = result;
  const causes: GraphQLError[] = [];
  const others: GraphQLError[] = [];
  for (const error of errors)
    (errorCodeFacts(publicCodeOf(error)).fails === 'request' ? causes : others).push(error);
  if (!failsAsWhole(data, causes, operation)) return result;
  return { ...rest, errors: [...causes, ...others] };
}

function failsAsWhole(
  data: ExecutionResult['data'],
  causes: readonly GraphQLError[],
  { caller, hasWritten }: Operation,
): boolean {
  if (data === undefined || causes.length === 0) return false;
  // Once the credential of an operation that only reads has ended, the data belongs to no known caller.
  const mayLoseData = caller.credential !== null && !hasWritten;
  if (mayLoseData && causes.some((cause) => publicCodeOf(cause) === 'UNAUTHENTICATED')) return true;
  if (data === null) return true;
  const failed = new Set(causes.map(({ path }) => (path?.length === 1 ? path[0] : undefined)));
  return Object.entries(data).every(
    ([name, value]) => name === '__typename' || (value === null && failed.has(name)),
  );
}

/**
 * Converts each error of a result, and adds the request id. The errors of a result without data have its HTTP status in the extension
 * `http`; a result with data always has 200 (GraphQL over HTTP). Errors beyond the limit are left out, and counted in the extension
 * `omittedErrors`.
 */
export function withIds<R extends IncrementalResult>(
  result: R,
  requestId: string,
  convert = (error: GraphQLError): GraphQLError => error,
): R {
  const hasStatus = !('data' in result || result.hasNext !== undefined);
  const complete = (thrown: GraphQLError): GraphQLError => {
    const error = convert(thrown);
    // Results may share errors, so these are copied.
    const completed = { retryable: false, ...error.extensions, requestId };
    return createErrorAt(error, error.message, hasStatus ? addStatus(completed) : completed);
  };
  let count = 0;
  const mapped = mapErrors(result, (errors) => {
    const left = Math.max(0, MAX_ERRORS - count);
    count += errors.length;
    return errors.slice(0, left).map(complete);
  });
  if (count <= MAX_ERRORS) return mapped;
  return { ...mapped, extensions: { ...mapped.extensions, omittedErrors: count - MAX_ERRORS } };
}

function addStatus(extensions: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { code, http } = extensions;
  const own = isObject(http) ? http : {};
  // A status of the error's own, such as 405, is more specific.
  if ('status' in own) return extensions;
  const spec = isForResponseJsonOnly(code);
  return { ...extensions, http: { ...own, status: errorCodeFacts(code).status, spec } };
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

/** Adds calls and warnings of an operation to the extensions of a result; at the header `X-Trace: 1` also each upstream call. */
function addExtensions(
  result: IncrementalResult,
  { requester }: OperationRequest,
  { cost, warnings }: Operation,
): IncrementalResult {
  const { calls, ms } = cost.sum;
  const { coalesced } = cost;
  const isTraced = requester.header('x-trace') === '1';
  const extensions = {
    ...result.extensions,
    upstream: isTraced ? { calls, ms, coalesced, trace: cost.trace } : { calls, ms, coalesced },
    ...(warnings.length > 0 ? { warnings } : {}),
  };
  // V8 of Node 20 makes a hidden class for each object of a spread with a new property after it: 0.6 µs instead of 0.03.
  return Object.assign({}, result, { extensions });
}

/** Adds its cost to the result of an operation, or to the first of its results, unless its client has no budget. */
export function addCost<R extends ExecutionResult | AsyncIterable<ExecutionResult>>(
  executed: R,
  request: OperationRequest,
): ExecutionResult | AsyncIterable<ExecutionResult> {
  if (Symbol.asyncIterator in executed) {
    let isFirst = true;
    return mapAsyncIterator(executed, (result) => {
      if (!isFirst) return result;
      isFirst = false;
      return addCost(result, request) as ExecutionResult;
    });
  }
  const { allowance, estimate } = request;
  if (!allowance) return executed;
  const { limit, remaining, reset } = allowance;
  const resetAt = isoTimeOf(Math.floor(Date.now() / 1_000) + reset);
  const cost =
    estimate === undefined ? { remaining, limit, resetAt } : { estimate, remaining, limit, resetAt };
  return Object.assign({}, executed, { extensions: { ...executed.extensions, cost } });
}

/** The time that was written last: to write one takes as long as to parse a small request. */
let written = { second: 0, text: '' };

function isoTimeOf(second: number): string {
  if (written.second !== second) written = { second, text: new Date(second * 1_000).toISOString() };
  return written.text;
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
