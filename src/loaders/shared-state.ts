// Defines what operations share: what they remember for later ones, and what applies to all.
import type { Observer } from '../telemetry/observer.ts';
import { CallerCaches } from './caller-cache.ts';
import { SentValues } from './completion.ts';
import { ShownObjects } from './id-windows.ts';
import type { UpstreamLimits } from './operation-cost.ts';
import { type ListMemory, RecentRows, ResponseSizes } from './paging/list-memory.ts';
import { UnavailableIncludes } from './unavailable-includes.ts';

/** What applies to all operations of a facade. */
export interface SharedOptions {
  readonly savings: CallSavings;
  /** Limits of each operation. */
  readonly limits: UpstreamLimits;
  /** Waits for the writes of operations. Each reports its begin, and calls the result at its end. */
  readonly shutdown: { readonly writes: { enter(): () => void } };
  readonly observer: Observer;
}

/** State that is shared between operations. */
export interface SharedState extends SharedOptions {
  /** What is remembered of callers' objects. */
  readonly callers: CallerCaches;
  /** What paging remembers. */
  readonly lists: ListMemory;
  /** Includes that make the upstream fail. */
  readonly includes: UnavailableIncludes;
  /** What `show` has answered. */
  readonly shown: ShownObjects;
  /** Which values `show` sends. */
  readonly sent: SentValues;
}

/** Makes the state of a facade, which remembers nothing yet. */
export function createSharedState(options: SharedOptions): SharedState {
  const callers = new CallerCaches();
  return {
    ...options,
    callers,
    lists: { sizes: new ResponseSizes(), recent: new RecentRows(callers) },
    includes: new UnavailableIncludes(options.observer),
    shown: new ShownObjects(callers),
    sent: new SentValues(),
  };
}

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
