// Defines what descriptions may take of the process.

/** What descriptions may take of the process. */
export interface DescriptionLimits {
  /** Longest description, in characters. A longer one is refused. */
  readonly length: number;
  /** Number of actions of a description. One with more is refused. */
  readonly actions: number;
  /**
   * Total length, in characters, of the descriptions whose schemas are cached. A schema takes about six bytes of heap for each
   * character (`npm run bench -- callers`), so the default is about 350 MB, or fifteen schemas of a large production API.
   */
  readonly cachedLength: number;
  /** Number of cached schemas. */
  readonly cachedSchemas: number;
}

/** The limits without configuration. */
export const DEFAULT_DESCRIPTION_LIMITS: DescriptionLimits = Object.freeze({
  length: 32_000_000,
  actions: 20_000,
  cachedLength: 60_000_000,
  cachedSchemas: 1000,
});
