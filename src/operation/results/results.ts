// Completes the results of operations as clients get them.
import { type ExecutionResult, GraphQLError, type GraphQLFormattedError } from 'graphql';
import type { Operation } from '../../loaders/operation.ts';
import { AnswerMemoryError, RequestError } from '../../upstream/errors.ts';
import { type AnswerRoom, waitForRoom } from '../../upstream/http/answer-room.ts';
import { type Pause, pauseOf } from '../../upstream/pause.ts';
import { ResultSizeError } from '../errors.ts';
import { type IncrementalResult, isPart, limitErrors, mapErrors } from '../incremental/incremental-result.ts';
import type { Limits } from '../limits.ts';
import { createErrorAt } from '../mask-error.ts';
import type { OperationRequest } from '../operation-request.ts';
import type { LargeJson } from './large-json.ts';
import { withIds, withoutFailedData } from './whole-failure.ts';

/** Characters that are written at once, which takes less than a millisecond. */
export const PIECE = 64 * 1024;
/** Characters that JSON needs beside a text or the name of a field: quotation marks, colon and comma. */
const PUNCTUATION = 4;
/** Errors that one result contains at most. Each has hundreds of characters, and a list can have one for each row. */
const MAX_ERRORS = 100;

/** Milliseconds for which a large result waits for memory. */
const MAX_WAIT = 10_000;
/** Bytes of an answer, with what is parsed of it, that take as much memory as one byte of a result. */
const ANSWER_BYTES = 0.5;

/** What the completion of results needs to know of their operation. */
export interface Completed {
  readonly request: OperationRequest;
  readonly operation: Operation;
  /** Whether the caller may read the schema, also through names that errors suggest. */
  readonly mayReadSchema: boolean;
  /** Lets others go first while a large result is written. */
  readonly pause: Pause;
}

/** Completes the results of a facade's operations. */
export class Results {
  /** Converts a thrown error to the error that the client gets. */
  readonly #toClientError: (error: unknown) => GraphQLError;
  readonly #limits: Pick<Limits['operation'], 'resultSize'>;
  readonly #json: LargeJson;

  /** @param json Keeps what is written of large results. */
  constructor(
    toClientError: (error: unknown) => GraphQLError,
    limits: Pick<Limits['operation'], 'resultSize'>,
    json: LargeJson,
  ) {
    this.#toClientError = toClientError;
    this.#limits = limits;
    this.#json = json;
  }

  /**
   * Completes a result, an event of a subscription, or a part of a result. A promise for a large one, which is written meanwhile; it
   * rejects when its client has left.
   */
  complete(
    executed: IncrementalResult,
    completed: Completed,
  ): IncrementalResult | Promise<IncrementalResult> {
    const { request, operation } = completed;
    const { resultSize } = this.#limits;
    const result = addReported(executed, operation);
    const large = largeValuesOf(result, resultSize);
    if (large.length === 0) return this.#finish(result, completed);
    const pause = pauseOf({ pause: completed.pause, signal: request.requester.leaving });
    const write = async (): Promise<IncrementalResult> => {
      const room = operation.openResultRoom();
      const release = (): void => room?.close();
      try {
        await this.#write(large, room, completed, pause);
      } catch (error) {
        release();
        return this.#finish(refuseResult(result, error, operation), completed);
      }
      if (request.holdResult === undefined) release();
      else request.holdResult(release);
      return { ...this.#finish(result, completed), encode: this.#json.encode };
    };
    return request.writeInOrder?.(write) ?? write();
  }

  /** Writes values. Takes as much memory ahead of that as they seem to need: two that wait for each other's memory could not go on. */
  async #write(
    values: readonly object[],
    room: AnswerRoom | null,
    { operation, request }: Completed,
    pause: Pause,
  ): Promise<void> {
    const { resultSize } = this.#limits;
    const take = (bytes: number): Promise<void> | undefined =>
      room === null
        ? undefined
        : waitForRoom(room, Math.ceil(ANSWER_BYTES * bytes), request.requester.leaving, MAX_WAIT);
    const unwritten = values.filter((value) => this.#json.lengthOf(value) === null);
    const estimate = await estimateSize(unwritten, resultSize, pause);
    await take(estimate);
    const bytes = await this.#json.write(values, resultSize, pause);
    if (bytes === null) throw new ResultSizeError(resultSize, operation.hasWritten);
    if (bytes > estimate) await take(bytes - estimate);
  }

  #finish(
    completeResult: IncrementalResult,
    { request, operation, mayReadSchema }: Completed,
  ): IncrementalResult {
    const { requester } = request;
    let result = completeResult;
    if (result.errors !== undefined || result.incremental !== undefined || result.completed !== undefined) {
      if (!isPart(result)) result = withoutFailedData(result, operation);
      // There may be tens of thousands, and to mask one takes time.
      result = mapErrors(limitErrors(result, MAX_ERRORS), (error) => this.#mask(error, mayReadSchema));
      result = withIds(result, requester.requestId);
    }
    if (result.hasNext !== true) result = addCost(result, operation, requester.header('x-trace') === '1');
    report(result, request);
    return result;
  }

  /** The result of an operation that is not executed. */
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

/**
 * The error in place of a result that is too large, or for which there is no memory. The cost of an operation bounds its fields and its
 * answers, but aliases, and edges to the same object, repeat one long text in many fields.
 * @throws any other error.
 */
function refuseResult(
  { hasNext }: IncrementalResult,
  error: unknown,
  { hasWritten }: Operation,
): IncrementalResult {
  const originalError = error instanceof AnswerMemoryError ? new AnswerMemoryError(hasWritten) : error;
  if (!(originalError instanceof RequestError)) throw error;
  const errors = [new GraphQLError(originalError.message, { originalError })];
  return { errors, ...(hasNext !== undefined && { hasNext }) };
}

/** Stands for a large value that is written already. Its fields are those of the value. */
export class StandIn {}

/** The values of a result that are large. @param limit Characters above which a value is large at any rate. */
export function largeValuesOf(result: IncrementalResult, limit: number): readonly object[] {
  const size = Math.min(PIECE, limit);
  return valuesOf(result).filter((value) => value instanceof StandIn || exceedsSize(value, size));
}

/** The parts of a result that may be large. */
function valuesOf({ data, incremental }: IncrementalResult): readonly object[] {
  if (incremental === undefined) return data === undefined || data === null ? [] : [data];
  const values = [data, ...incremental.flatMap(({ data: ofPart, items }) => [ofPart, items])];
  return values.filter((value) => value !== undefined && value !== null);
}

/**
 * Whether the JSON of a value is longer than the limit, in characters. Numbers and escapes are not counted. Stops at the limit, and
 * does not recurse. It runs for each result, so it takes a few hundredths of the time that the execution takes.
 */
export function exceedsSize(value: unknown, limit: number): boolean {
  const size = new SizeEstimate(value);
  while (size.estimate <= limit && size.addNext());
  return size.estimate > limit;
}

/** Estimates the characters of the JSON of some values as `exceedsSize` does, at most somewhat more than a limit. */
async function estimateSize(values: readonly object[], limit: number, pause: Pause): Promise<number> {
  const size = new SizeEstimate(values);
  while (size.estimate <= limit && size.addNext()) {
    const paused = pause();
    if (paused !== undefined) await paused;
  }
  return size.estimate;
}

/** An estimate that grows by one object or list at a time. */
class SizeEstimate {
  estimate = 0;
  readonly #objects: object[];

  constructor(value: unknown) {
    this.#objects = [{ '': value }];
  }

  /** Returns whether there was another object or list. */
  addNext(): boolean {
    const next = this.#objects.pop();
    if (next === undefined) return false;
    if (Array.isArray(next)) for (const item of next) this.#add(item);
    // Faster than `Object.entries` for the results of the executor, which have no prototype.
    else
      for (const name in next) {
        this.estimate += name.length;
        this.#add((next as Record<string, unknown>)[name]);
      }
    return true;
  }

  #add(item: unknown): void {
    this.estimate += PUNCTUATION;
    if (typeof item === 'string') this.estimate += item.length;
    else if (typeof item === 'object' && item !== null) this.#objects.push(item);
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

/** Adds the errors that fields with a value have reported. */
function addReported(result: IncrementalResult, operation: Operation): IncrementalResult {
  const { reportedErrors } = operation;
  if (reportedErrors === null) return result;
  operation.reportedErrors = null;
  return { ...result, errors: [...(result.errors ?? []), ...(reportedErrors as GraphQLError[])] };
}

/** Adds the cost and the warnings of an operation to the extensions of a result; with `isTraced` also each upstream call. */
function addCost(
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

/** Reports a result. A client that has left gets none, and its errors only say that it has left. */
function report(result: IncrementalResult, { report, requester }: OperationRequest): void {
  if (requester.leaving?.aborted !== true) report?.addResult(result);
}
