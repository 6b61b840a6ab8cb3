// Writes and reads the opaque cursors of `after` and `endCursor`, which hold all that the next page needs.
import { createHash } from 'node:crypto';
import { InvalidInputError } from '../../upstream/errors/request-errors.ts';
import type { Direction, Position } from './row-ids.ts';

/** The list is walked by `from_id`. */
export interface KeysetCursor extends Position {
  readonly kind: 'keyset';
  readonly id: number;
  readonly next: number | null;
  /** Null while fewer than two rows were seen. */
  readonly direction: Direction | null;
  readonly walk: WalkState;
  /** Null while the rows are strictly ordered by id: then the walk continues beyond `id`. */
  readonly window: Window | null;
}

/** The state of a walk by `from_id` when its cursor was made. */
export interface WalkState {
  /** Id of the row that began the walk, which separates new rows at the list's head from those of the walk. */
  readonly head: number | null;
  /** The list's total at the latest page; null if it is unknown. */
  readonly total: number | null;
  /** Number of rows that were deleted during the walk, as far as the totals show. */
  readonly deleted: number;
  /** Whether the second page has read the start of the list again. */
  readonly isChecked: boolean;
}

/** Where a walk by overlapping windows continues: at the rows beyond `from` that have not been served. */
export interface Window {
  /** The value of `from_id`. Every row on this side of it is served. */
  readonly from: number;
  /** Ids beyond `from` that are served. */
  readonly skip: readonly number[];
}

/** The list is read from its start up to the page. */
export interface PrefixCursor extends Position {
  readonly kind: 'prefix';
  /** Set if a walk by `from_id` was given up. The rows that it served come first. */
  readonly walked: WalkedRows | null;
}

/** The rows that a strict walk by `from_id` has served, up to row `until`. */
export interface WalkedRows {
  readonly until: number;
  readonly direction: Direction;
}

/** The list pages by offset. */
export interface OffsetCursor extends Position {
  readonly kind: 'offset';
  readonly id: number | string;
}

/** A cursor marks a row of a list. */
export type Cursor = KeysetCursor | PrefixCursor | OffsetCursor;

/** Maximum number of ids that the next page skips. */
export const MAX_SKIPPED = 64;

/**
 * Maximum length of a cursor, in characters. One with 64 skipped ids has about 1,600, and one of a list with text ids is as long
 * as the id. A longer cursor is rejected before it is parsed.
 */
const MAX_LENGTH = 8_192;

/** A short fingerprint of a list: its action, the ids in its path and its filter. */
export function listTag(scope: string, path: readonly string[], filter: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify([scope, path, filter]))
    .digest('base64url')
    .slice(0, 12);
}

/** Writes a cursor of the list with this tag. */
export function encodeCursor(tag: string, cursor: Cursor): string {
  const { kind, id, next, served } = cursor;
  const fields = [kind.charAt(0), tag, id, next, served, ...stateOf(cursor)];
  return Buffer.from(JSON.stringify(fields)).toString('base64url');
}

function stateOf(cursor: Cursor): readonly unknown[] {
  if (cursor.kind === 'prefix') return cursor.walked ? [cursor.walked.until, cursor.walked.direction] : [];
  if (cursor.kind === 'offset') return [];
  const { direction, walk, window } = cursor;
  const state = [direction, walk.head, walk.total, walk.deleted, walk.isChecked];
  return window === null ? state : [...state, window.from, window.skip];
}

/** Reads a cursor. @throws InvalidInputError when the text is not a cursor, or belongs to another list or filter. */
export function decodeCursor(tag: string, text: string): Cursor {
  if (text.length > MAX_LENGTH)
    throw new InvalidInputError(
      `"after" has ${text.length} characters, more than the ${MAX_LENGTH} of a cursor; use an endCursor or a cursor.`,
    );
  const parts = parseParts(text);
  if (parts === null)
    throw new InvalidInputError('"after" is not a cursor of this API; use the value of endCursor or cursor.');
  const [letter, partsTag, id, next, served, ...state] = parts;
  if (partsTag !== tag)
    throw new InvalidInputError('"after" is a cursor of another list or filter; start again without it.');
  const cursor =
    isNullOr(isId)(id) && isNullOr(isId)(next) && isPosition(served)
      ? parseCursor(letter, { id, next, served }, state)
      : null;
  if (cursor === null) throw new InvalidInputError('"after" is a damaged cursor; start again without it.');
  return cursor;
}

function parseParts(text: string): readonly unknown[] | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    return Array.isArray(value) && typeof value[1] === 'string' ? value : null;
  } catch {
    return null;
  }
}

function parseCursor(letter: unknown, position: Position, state: readonly unknown[]): Cursor | null {
  if (letter === 'k') return parseKeyset(position, state);
  if (letter === 'p') {
    const [until, direction] = state;
    if (state.length === 0) return { kind: 'prefix', ...position, walked: null };
    return isFromId(until) && isDirection(direction)
      ? { kind: 'prefix', ...position, walked: { until, direction } }
      : null;
  }
  const { id } = position;
  return letter === 'o' && id !== null ? { kind: 'offset', ...position, id } : null;
}

function parseKeyset({ id, next, served }: Position, state: readonly unknown[]): KeysetCursor | null {
  const [direction, head, total, deleted, isChecked, from, skip] = state;
  if (!isFromId(id) || !isNullOr(isFromId)(next) || !isNullOr(isDirection)(direction)) return null;
  if (!isNullOr(isFromId)(head) || !isNullOr(isFromId)(total) || !isFromId(deleted)) return null;
  if (typeof isChecked !== 'boolean') return null;
  const walk = { head, total, deleted, isChecked };
  const cursor = { kind: 'keyset', id, next, served, direction, walk } as const;
  if (state.length <= 5) return { ...cursor, window: null };
  const isWindow =
    isFromId(from) && Array.isArray(skip) && skip.length <= MAX_SKIPPED && skip.every(isFromId);
  return isWindow ? { ...cursor, window: { from, skip } } : null;
}

const isNullOr =
  <T>(is: (value: unknown) => value is T) =>
  (value: unknown): value is T | null =>
    value === null || is(value);
const isInteger = (value: unknown): value is number => Number.isSafeInteger(value);
const isPosition = (value: unknown): value is number => isInteger(value) && value >= 1;
/** Whether a value can be sent as `from_id`; counts have the same bounds. */
const isFromId = (value: unknown): value is number => isInteger(value) && value >= 0;
const isId = (value: unknown): value is number | string => isInteger(value) || typeof value === 'string';
const isDirection = (value: unknown): value is Direction => value === 'ascending' || value === 'descending';
