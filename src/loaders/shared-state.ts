// Defines what operations share: what they remember for later ones, and what applies to all.
import type { Observer } from '../observer.ts';
import { Additions } from './additions.ts';
import { SentValues } from './entity.ts';
import type { UpstreamLimits } from './operation-cost.ts';

/** What applies to all operations of a facade. */
interface SharedOptions {
  /** Limits of each operation. */
  readonly limits: UpstreamLimits;
  /** Waits for the writes of operations. Each reports its begin, and calls the result at its end. */
  readonly shutdown: { readonly writes: { enter(): () => void } };
  readonly observer: Observer;
}

/** State that is shared between operations. */
export interface SharedState extends SharedOptions {
  /** What reads are made with besides what clients have asked for. */
  readonly additions: Additions;
  /** Which values `show` sends. */
  readonly sent: SentValues;
}

/** Makes the state of a facade, which remembers nothing yet. */
export const createSharedState = (options: SharedOptions): SharedState => ({
  ...options,
  additions: new Additions(options.observer),
  sent: new SentValues(),
});
