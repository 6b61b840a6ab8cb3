// Defines the errors of reads and writes that the loaders refuse, or whose outcome they do not know, and the warnings of results.
import {
  AnswerMemoryError,
  type ErrorPlace,
  type OptiongraphError,
  RequestError,
  UpstreamError,
  UpstreamProtocolError,
  UpstreamResponseTooLargeError,
  UpstreamTimeoutError,
  UpstreamUnreachableError,
} from '../upstream/errors.ts';

/** The input cannot be sent upstream, e.g. an invalid id, cursor or page size. */
export class InvalidInputError extends RequestError {
  override readonly code = 'INPUT_INVALID';
  /** Errors of single inputs by the described rules; empty where no rule applies. */
  readonly userErrors: readonly object[];

  constructor(message: string, place: ErrorPlace = {}, userErrors: readonly object[] = []) {
    super(message, place);
    this.userErrors = userErrors;
  }
}

/** The operation has made all the upstream calls, or read all the bytes, that one operation may. */
export class UpstreamBudgetError extends RequestError {
  override readonly code = 'UPSTREAM_BUDGET_EXCEEDED';
}

/** The order of a list prevents exact paging, and the list is too long to be read completely. */
export class PaginationUnsupportedError extends RequestError {
  override readonly code = 'PAGINATION_UNSUPPORTED';
}

/** The description offers this caller no action that reads a value. */
export class NotOfferedError extends RequestError {
  override readonly code = 'NOT_OFFERED';

  constructor(resource: string) {
    super(
      `The management API offers you no action that reads a single ${resource}, so only the values that another response contained are available.`,
    );
  }
}

/** A write was sent, but no response shows whether it was carried out. It is never retried. */
export class OutcomeUnknownError extends UpstreamError {
  override readonly code = 'OUTCOME_UNKNOWN';
}

/** Whether the upstream may have carried out a call that failed. */
export function isOutcomeUnknown(error: unknown): error is OptiongraphError {
  if (error instanceof UpstreamUnreachableError) return error.mayHaveArrived;
  return (
    error instanceof UpstreamTimeoutError ||
    error instanceof UpstreamProtocolError ||
    error instanceof UpstreamResponseTooLargeError ||
    // Thrown while a response is read; a call beyond the budget is refused before.
    error instanceof AnswerMemoryError ||
    error instanceof UpstreamBudgetError
  );
}

/** What the codes of warnings say. */
export const WARNING_CODES = {
  ASSOCIATION_HIDDEN: 'the caller may not see the association, which is null',
  COUNT_UNAVAILABLE:
    'the API does not count the list, or has more rows than an `Int` can say; `totalCount` is null',
  ENUM_VALUE_UNKNOWN: 'the enum has no name for the value; the field is null',
  FIELD_NOT_SENT: 'the API describes the value and does not send it; the field is null',
  INCLUDES_UNAVAILABLE: 'the API fails to include the associations; other calls have fetched them',
  NOT_LIVE: 'the query is live, but its transport carries one result',
  PAGINATION_EMULATED: 'the list was read from its start, or the API ignores the limit',
  PAGINATION_UNVERIFIED:
    'the walk may have missed rows; `details { served total }`, where `total` is null without a count',
  REFERENCE_NOT_FOUND: 'the API does not find the object, or the text names no resource; the edge is null',
  RESULT_MISSING: 'the write succeeded, and answered neither an object nor its id',
} as const;

/** A notice for the client about a result that is not an error. */
export interface Warning {
  readonly code: keyof typeof WARNING_CODES;
  /** Coordinate of the field, e.g. `Book.author`. */
  readonly coordinate: string;
  /** Number of occurrences in this operation. */
  readonly count: number;
  /** Further values that are documented for the code; numbers only. */
  readonly details?: Readonly<Record<string, number | null>>;
}
