// Defines what operations share: what they remember for later ones, and what applies to all.
import type { Observer } from '../telemetry/observer.ts';
import type { CallSavings } from './calls/call-savings.ts';
import type { UpstreamLimits } from './operation-cost.ts';
import type { RecentRows } from './paging/cache/recent-rows.ts';
import type { SentValues } from './sent-values.ts';
import type { Shutdown } from './shutdown.ts';
import type { UnavailableIncludes } from './unavailable-includes.ts';
import type { ShownObjects } from './windows/shown-objects.ts';

/** State that is shared between operations. */
export interface SharedState {
  /** Rows of lists that callers read page by page. */
  readonly recentRows: RecentRows;
  /** Includes that make the upstream fail. */
  readonly includes: UnavailableIncludes;
  /** What `show` has answered. */
  readonly shown: ShownObjects;
  /** Which values `show` sends. */
  readonly sent: SentValues;
  readonly savings: CallSavings;
  /** Limits of each operation. */
  readonly limits: UpstreamLimits;
  /** Waits for the writes of operations. */
  readonly shutdown: Shutdown;
  readonly observer: Observer;
}
