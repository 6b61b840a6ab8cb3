// Defines findings: what is reported about a description.

/** A part of the description that is omitted, renamed or does not work, with its place and the reason. */
export interface Finding {
  /** Stable name of the kind of finding. */
  readonly code: string;
  /** Dotted path, e.g. `book#create input.title.validators.format`. */
  readonly path: string;
  /** What is expected, what the description holds instead, and how the parser proceeds. */
  readonly reason: string;
}
