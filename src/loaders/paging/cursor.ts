// The opaque cursors of `after` and `endCursor`. A cursor holds all that the next page needs, so it works in any process.
import { createHash } from 'node:crypto';
import { InvalidInputError } from '../../upstream/errors/request-errors.ts';
import type { Direction } from './direction.ts';

/** The state of a walk by `from_id` when its cursor was made. */
export interface WalkState {
  /** Id of the row that began the walk, which separates new rows at the list's head from those of the walk. */
  readonly head: number | null;
  /** The list's total at the latest page; null where it is not known. */
  readonly total: number | null;
  /** Rows that were deleted since then, as far as the totals show. */
  readonly deleted: number;
  /** Whether the start of the list was read once more, as it is for the second page. */
  readonly isChecked: boolean;
}

/** Where a walk by overlapping windows goes on: rows beyond `from`, without those that are served already. */
export interface Window {
  /** The value of `from_id`. Every row on this side of it is served. */
  readonly from: number;
  /** Ids beyond `from` that are served. */
  readonly skip: readonly number[];
}

/** A cursor stands on a row of a list. */
export type Cursor =
  /** The list is walked by `from_id`. */
  | {
      readonly kind: 'keyset';
      readonly id: number;
      /** Id of the row that follows; null when this was the last one. */
      readonly next: number | null;
      /** Rows served so far, this one included. */
      readonly served: number;
      readonly direction: Direction | null;
      readonly walk: WalkState;
      /** Null while the rows run strictly by id: then the walk goes on beyond `id`. */
      readonly window: Window | null;
    }
  /** The list is read from its start up to the page. The ids are null where rows have none. */
  | {
      readonly kind: 'prefix';
      readonly id: number | string | null;
      /** Id of the row that follows; null when this was the last one. */
      readonly next: number | string | null;
      readonly served: number;
    }
  /** A walk by `from_id` was given up after row `until`; the rows that it lost follow. */
  | {
      readonly kind: 'rest';
      readonly until: number;
      readonly direction: Direction;
      readonly id: number;
      /** Id of the row that follows; null when this was the last one. */
      readonly next: number | null;
      readonly served: number;
    }
  /** The list pages by offset. */
  | {
      readonly kind: 'offset';
      readonly id: number | string;
      /** Id of the row that follows; null when this was the last one. */
      readonly next: number | string | null;
      readonly served: number;
    };

export type KeysetCursor = Extract<Cursor, { kind: 'keyset' }>;
export type PrefixCursor = Extract<Cursor, { kind: 'prefix' }>;
export type RestCursor = Extract<Cursor, { kind: 'rest' }>;
export type OffsetCursor = Extract<Cursor, { kind: 'offset' }>;

/** Ids that a cursor may ask the next page to skip. */
export const MAX_SKIPPED = 64;

const LETTERS = { keyset: 'k', prefix: 'p', rest: 'r', offset: 'o' } as const;

/** A short fingerprint of a list: its action, the ids in its path and its filter. */
export function listTag(scope: string, path: readonly string[], filter: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify([scope, path, filter]))
    .digest('base64url')
    .slice(0, 12);
}

/** Writes a cursor of the list with this tag. */
export function encodeCursor(tag: string, cursor: Cursor): string {
  return Buffer.from(JSON.stringify([LETTERS[cursor.kind], tag, ...fieldsOf(cursor)])).toString('base64url');
}

function fieldsOf(cursor: Cursor): readonly unknown[] {
  switch (cursor.kind) {
    case 'keyset': {
      const { id, next, served, direction, walk, window } = cursor;
      const state = [id, next, served, direction, walk.head, walk.total, walk.deleted, walk.isChecked];
      return window === null ? state : [...state, window.from, window.skip];
    }
    case 'prefix':
      return [cursor.id, cursor.next, cursor.served];
    case 'rest':
      return [cursor.until, cursor.direction, cursor.id, cursor.next, cursor.served];
    case 'offset':
      return [cursor.id, cursor.next, cursor.served];
  }
}

/** Reads a cursor. @throws InvalidInputError when it is no cursor, or one of another list or filter. */
export function decodeCursor(tag: string, text: string): Cursor {
  const parts = parseParts(text);
  if (parts === null) {
    throw new InvalidInputError('"after" is no cursor of this API; use an endCursor or a cursor.');
  }
  const [letter, partsTag, ...fields] = parts;
  if (partsTag !== tag) {
    throw new InvalidInputError('"after" is a cursor of another list, or of this one under another filter.');
  }
  const cursor = parseFields(letter, fields);
  if (cursor === null) throw new InvalidInputError('"after" is a damaged cursor.');
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

function parseFields(letter: unknown, fields: readonly unknown[]): Cursor | null {
  const [a, b, c, d, e] = fields;
  switch (letter) {
    case 'k':
      return parseKeyset(fields);
    case 'p':
      return (a === null || isId(a)) && (b === null || isId(b)) && isPosition(c)
        ? { kind: 'prefix', id: a, next: b, served: c }
        : null;
    case 'r':
      return isFromId(a) && isDirection(b) && isInteger(c) && (d === null || isInteger(d)) && isPosition(e)
        ? { kind: 'rest', until: a, direction: b, id: c, next: d, served: e }
        : null;
    case 'o':
      return isId(a) && (b === null || isId(b)) && isPosition(c)
        ? { kind: 'offset', id: a, next: b, served: c }
        : null;
    default:
      return null;
  }
}

function parseKeyset([
  id,
  next,
  served,
  direction,
  head,
  total,
  deleted,
  isChecked,
  ...rest
]: readonly unknown[]) {
  if (!isFromId(id) || !(next === null || isFromId(next)) || !isPosition(served)) return null;
  if (!(direction === null || isDirection(direction))) return null;
  if (!(head === null || isFromId(head)) || !(total === null || isFromId(total))) return null;
  if (!isFromId(deleted) || typeof isChecked !== 'boolean') return null;
  const window = rest.length === 0 ? null : parseWindow(rest);
  if (window === undefined) return null;
  const walk = { head, total, deleted, isChecked };
  return { kind: 'keyset', id, next, served, direction, walk, window } as const;
}

function parseWindow([from, skip]: readonly unknown[]): Window | undefined {
  if (!isFromId(from) || !Array.isArray(skip) || skip.length > MAX_SKIPPED) return undefined;
  return skip.every(isFromId) ? { from, skip } : undefined;
}

const isInteger = (value: unknown): value is number => Number.isSafeInteger(value);
const isPosition = (value: unknown): value is number => isInteger(value) && value >= 1;
/** Whether a value can be sent as `from_id`; counts have the same bounds. */
const isFromId = (value: unknown): value is number => isInteger(value) && value >= 0;
const isId = (value: unknown): value is number | string => isInteger(value) || typeof value === 'string';
const isDirection = (value: unknown): value is Direction => value === 'ascending' || value === 'descending';
