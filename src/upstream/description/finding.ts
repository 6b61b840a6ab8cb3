// Defines what is reported of a part of a description that cannot be served.

/** A part of the description that the model omits, with its place and the reason. */
export interface Finding {
  /** Stable name of the kind of finding. */
  readonly code: string;
  /** Dotted path, e.g. `book#create input.title.validators.format`. */
  readonly path: string;
  /** What is expected, what the description holds instead, and how the parser proceeds. */
  readonly reason: string;
}
