// Lists the limits of a GraphQL operation, with their defaults.

/** Limits of one operation. All are checked before it is executed. */
export interface QueryLimits {
  /** Tokens of a document, comments aside. Default: 20,000, far above what people and their tools write. */
  readonly tokens: number;
  /** Brackets within brackets, which the parser handles recursively. Default: 200. */
  readonly brackets: number;
  /** Fields within fields, through fragments. Default: 30; the query of introspection tools needs 15. */
  readonly depth: number;
  /** Aliases in a document. Default: 250. */
  readonly aliases: number;
  /** Fields at the top of an operation, through fragments. Default: 100. */
  readonly rootFields: number;
  /** Directives in a document. Default: 250. */
  readonly directives: number;
  /** Fragments that a document defines. Default: 150, because validation compares them in pairs. */
  readonly fragments: number;
  /** Estimated fields in the result, lists multiplied by their `first`. Default: 50,000, about half a second of processor time. */
  readonly cost: number;
}

/** The limits without configuration. */
export const DEFAULT_QUERY_LIMITS: QueryLimits = Object.freeze({
  tokens: 20_000,
  brackets: 200,
  depth: 30,
  aliases: 250,
  rootFields: 100,
  directives: 250,
  fragments: 150,
  cost: 50_000,
});
