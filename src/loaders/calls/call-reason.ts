// Defines why an operation makes a call, for the trace that clients can ask for.

/** What a call is for. */
export type CallPurpose =
  /** A page of a list. */
  | 'PAGE'
  /** An object that is asked for by its id. */
  | 'OBJECT'
  /** Selected values, some of which a row or an association lacks. */
  | 'VALUES'
  /** The same for several objects, by one call of their list. */
  | 'ID_WINDOW'
  /** The value of the field itself. */
  | 'READ'
  /** The write of the field. */
  | 'WRITE'
  /** The running action that is waited for. */
  | 'ACTION_STATE'
  /** The step at which an action failed. */
  | 'FAILED_STEP'
  /** Whether the action exists whose cancellation was refused. */
  | 'REFUSED_CANCEL';

/** Why a call is made. It holds names and numbers of the description and the schema, never a value. */
export interface CallReason {
  readonly reason: CallPurpose;
  /** Coordinates of the fields that need it, e.g. `Query.books`. */
  readonly fields: readonly string[];
  /** Selected output parameters. */
  readonly values?: ReadonlySet<string>;
  /** Selected output parameters of associations, by the includes that supply them. */
  readonly includes?: IncludeNeeds;
  /** Number of objects for which a window of ids is read. */
  readonly objects?: number;
  /** Whether the call does not wait for the object on which its field stands. */
  readonly isEarly?: boolean;
}

/** Output parameters that a selection needs of associations, by their includes, e.g. `author__city`. */
export type IncludeNeeds = ReadonlyMap<string, ReadonlySet<string>>;
