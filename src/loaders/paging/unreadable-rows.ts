// Reads around rows that the API cannot answer with: a response that would have one fails as a whole.
import { ActionFailedError } from '../../upstream/errors.ts';
import type { ListResponse } from './list.ts';
import type { Direction } from './row-order.ts';

/** The ids of rows that cannot be read, in the direction of the list. */
export interface RowGap {
  /** The last id before them. */
  readonly after: number;
  /** The last id of them: rows beyond it can be read. */
  readonly upTo: number;
}

/** The largest number of ids that a gap may have. */
const MAX_GAP = 1 << 16;

/** Statuses that say something about the caller or the moment, not about a row. */
const OTHER_STATUSES: ReadonlySet<number> = new Set([400, 401, 403, 409, 410, 422, 423, 429]);

/** Whether one row may be the reason for the failure of a list. */
export const mayBeRowFailure = (error: unknown): boolean =>
  error instanceof ActionFailedError && error.errors.size === 0 && !OTHER_STATUSES.has(error.status ?? 0);

/** Returns what a call answers with; null where a row may be the reason for its failure. */
const attempt = (call: Promise<ListResponse>): Promise<ListResponse | null> =>
  call.catch((error: unknown) => {
    if (mayBeRowFailure(error)) return null;
    throw error;
  });

/**
 * Reads the rows before the first one that cannot be read; null if it is the first.
 * @param limit A limit with which the call fails.
 */
export async function readBeforeFailure(
  call: (limit: number) => Promise<ListResponse>,
  limit: number,
): Promise<ListResponse | null> {
  let readable = await attempt(call(1));
  for (let [low, high] = [1, limit]; readable !== null && high - low > 1; ) {
    const middle = Math.floor((low + high) / 2);
    const response = await attempt(call(middle));
    if (response === null) high = middle;
    else [low, readable] = [middle, response];
  }
  return readable;
}

/**
 * Finds the rows that cannot be read after an id: the least place from which the list can be read again. Null if none is near.
 * @param call Reads one row after an id.
 */
export async function findGap(
  call: (from: number) => Promise<ListResponse>,
  after: number,
  direction: Direction,
): Promise<RowGap | null> {
  const placeAt = (distance: number): number =>
    direction === 'ascending' ? after + distance : after - distance;
  let [failing, readable] = [0, 1];
  while ((await attempt(call(placeAt(readable)))) === null) {
    [failing, readable] = [readable, readable * 2];
    if (readable > MAX_GAP || placeAt(readable) < 0) return null;
  }
  while (readable - failing > 1) {
    const middle = Math.floor((failing + readable) / 2);
    if ((await attempt(call(placeAt(middle)))) === null) failing = middle;
    else readable = middle;
  }
  return { after, upTo: placeAt(readable) };
}
