// Defines the base class and the codes of the facade's errors.

/** The stable codes of the errors between clients, the facade and the management API. */
export type OptiongraphErrorCode =
  | 'UNREACHABLE'
  | 'TIMEOUT'
  | 'OUTCOME_UNKNOWN'
  | 'INVALID_RESPONSE'
  | 'RESPONSE_TOO_LARGE'
  | 'ACTION_FAILED'
  | 'ROWS_UNREADABLE'
  | 'DESCRIPTION_INVALID'
  | 'VERSION_UNKNOWN'
  | 'CREDENTIALS_AMBIGUOUS'
  | 'CREDENTIALS_UNSUPPORTED'
  | 'CREDENTIALS_UNKNOWN'
  | 'CREDENTIALS_MISSING'
  | 'ATTEMPTS_EXCEEDED'
  | 'RATE_LIMIT'
  | 'COST_LIMIT'
  | 'UPSTREAM_BUSY'
  | 'RESULT_TOO_LARGE'
  | 'UPSTREAM_BUDGET_EXCEEDED'
  | 'INTROSPECTION_REFUSED'
  | 'PERSISTED_QUERY_NOT_FOUND'
  | 'DOCUMENT_UNTRUSTED'
  | 'INPUT_INVALID'
  | 'NOT_OFFERED'
  | 'PAGE_FOREIGN'
  | 'SUBSCRIPTION_LIMIT'
  | 'OPERATION_LIMIT'
  | 'SHUTTING_DOWN'
  | 'PAGINATION_UNSUPPORTED';

/** Where an error occurred: the action's scope and the HTTP status. It holds names and numbers, never a value. */
export interface ErrorPlace {
  /** Scope of the action, e.g. `shelf.book#index`. */
  readonly action?: string | undefined;
  /** HTTP status of the response; undefined when none arrived. */
  readonly status?: number | undefined;
}

/** Base of the facade's errors. A message never contains a credential or the value of a path placeholder. */
export abstract class OptiongraphError extends Error {
  abstract readonly code: OptiongraphErrorCode;
  readonly action: string | undefined;
  readonly status: number | undefined;

  constructor(message: string, place: ErrorPlace = {}, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.action = place.action;
    this.status = place.status;
  }
}
