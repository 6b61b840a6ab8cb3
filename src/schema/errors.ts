// Defines the error of overrides that cannot be used.
import { OptiongraphError } from '../upstream/errors.ts';

/** The overrides contradict the description. Thrown at start-up only, with all reasons. */
export class OverridesError extends OptiongraphError {
  override readonly code = 'OVERRIDES_INVALID';
}
