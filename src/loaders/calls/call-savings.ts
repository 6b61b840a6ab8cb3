// Defines the techniques that save upstream calls, each with its off switch.

/** The techniques that save upstream calls. None changes what an operation answers, but for the age of kept answers. */
export interface CallSavings {
  /** Whether the lists below an object asked for by id are read together with the object. */
  readonly earlyReads: boolean;
  /** Whether one list call reads again the objects with ids close to each other that `show` has answered before. */
  readonly idWindows: boolean;
  /** Whether equal reads under way of one credential share a call. */
  readonly sharedReads: boolean;
  /** How long answers are kept for their credential, in milliseconds by dotted resource path; empty: not at all. */
  readonly keptAnswers: ReadonlyMap<string, number>;
}

/** The techniques without configuration. */
export const DEFAULT_CALL_SAVINGS: CallSavings = Object.freeze({
  earlyReads: true,
  idWindows: true,
  sharedReads: true,
  keptAnswers: new Map<string, number>(),
});
