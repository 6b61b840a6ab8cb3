// Defines the errors of rows that a list lacks, and of overrides that cannot be used.
import { OptiongraphError, UpstreamError } from '../upstream/errors.ts';

/** The overrides contradict the description. Thrown at start-up only, with all reasons. */
export class OverridesError extends OptiongraphError {
  override readonly code = 'OVERRIDES_INVALID';
}

/** Rows of a list make each call fail whose response would have them. All other rows of the list were read. */
export class UnreadableRowsError extends UpstreamError {
  override readonly code = 'ROWS_UNREADABLE';

  /** The last id before these rows, and the last of theirs, in the direction of the list. */
  readonly rows: { readonly after: number; readonly upTo: number };

  constructor(action: string, { after, upTo }: UnreadableRowsError['rows']) {
    const step = upTo > after ? 1 : -1;
    const ids = upTo === after + step ? `id ${upTo}` : `ids from ${after + step} to ${upTo}`;
    super(`The management API fails when it lists the rows with ${ids}. They are missing here.`, { action });
    this.rows = { after, upTo };
  }
}
