// Encodes and decodes the opaque cursors of lists. A cursor holds all that the next page needs (docs/paging.md).
import { createHash } from 'node:crypto';
import { InvalidInputError } from '../../upstream/errors/request-errors.ts';
import type { Direction } from './direction.ts';

/** What a walk by `from_id` knows of its list. */
export interface WalkState {
  /** Id of the walk's first row. Rows before it were added after the walk began. */
  readonly head: number | null;
  /** The list's total at the latest page; null where it is unknown. */
  readonly total: number | null;
  /** Numbers of rows that were added and deleted during the walk, as far as the totals show. */
  readonly added: number;
  readonly deleted: number;
}

/** Where a walk by overlapping windows continues: at the rows beyond `from`, except the skipped ones. */
export interface Window {
  /** The value of `from_id`. Every row up to it is served. */
  readonly from: number;
  /** Ids beyond `from` that are already served. */
  readonly skip: readonly number[];
}

/** A cursor points to a row of a list. `served` counts the rows up to it. */
export type Cursor =
  /** The list is read by `from_id`. */
  | {
      readonly kind: 'keyset';
      readonly id: number;
      /** Id of the next row; null for the last row. */
      readonly next: number | null;
      readonly served: number;
      readonly direction: Direction | null;
      readonly walk: WalkState;
      /** Null while the rows run strictly by id: then the walk continues beyond `id`. */
      readonly window: Window | null;
    }
  /** The list is read from its start up to the page. `id` is null where rows have no id. */
  | { readonly kind: 'prefix'; readonly id: number | string | null; readonly served: number }
  /** A walk by `from_id` was abandoned after row `until`. The cursor points to one of the rows that the walk has lost. */
  | {
      readonly kind: 'rest';
      readonly until: number;
      readonly direction: Direction;
      readonly id: number;
      readonly served: number;
    }
  /** The list is read by `offset`. */
  | {
      readonly kind: 'offset';
      readonly id: number | string;
      /** Id of the next row; null for the last row. */
      readonly next: number | string | null;
      readonly served: number;
    };

export type KeysetCursor = Extract<Cursor, { kind: 'keyset' }>;
export type PrefixCursor = Extract<Cursor, { kind: 'prefix' }>;
export type RestCursor = Extract<Cursor, { kind: 'rest' }>;
export type OffsetCursor = Extract<Cursor, { kind: 'offset' }>;

/** Maximum number of ids that a cursor lists for skipping. */
export const MAX_SKIPPED = 64;

const KIND_LETTERS = { keyset: 'k', prefix: 'p', rest: 'r', offset: 'o' } as const;

/** A short fingerprint of a list's action, path ids and filter. */
export function listTag(scope: string, path: readonly string[], filter: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify([scope, path, filter]))
    .digest('base64url')
    .slice(0, 12);
}

/** Encodes a cursor of the list with this tag. */
export function encodeCursor(tag: string, cursor: Cursor): string {
  return Buffer.from(JSON.stringify([KIND_LETTERS[cursor.kind], tag, ...encodeFields(cursor)])).toString(
    'base64url',
  );
}

function encodeFields(cursor: Cursor): readonly unknown[] {
  switch (cursor.kind) {
    case 'keyset': {
      const { id, next, served, direction, walk, window } = cursor;
      const state = [id, next, served, direction, walk.head, walk.total, walk.added, walk.deleted];
      return window === null ? state : [...state, window.from, window.skip];
    }
    case 'prefix':
      return [cursor.id, cursor.served];
    case 'rest':
      return [cursor.until, cursor.direction, cursor.id, cursor.served];
    case 'offset':
      return [cursor.id, cursor.next, cursor.served];
  }
}

/**
 * Decodes a cursor of the list with this tag.
 * @throws InvalidInputError when the text is not a cursor, or belongs to another list or filter.
 */
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
  const [a, b, c, d] = fields;
  switch (letter) {
    case 'k':
      return parseKeyset(fields);
    case 'p':
      return (a === null || isId(a)) && isPosition(b) ? { kind: 'prefix', id: a, served: b } : null;
    case 'r':
      return isFromId(a) && isDirection(b) && isInteger(c) && isPosition(d)
        ? { kind: 'rest', until: a, direction: b, id: c, served: d }
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
  added,
  deleted,
  ...rest
]: readonly unknown[]) {
  if (!isFromId(id) || !(next === null || isFromId(next)) || !isPosition(served)) return null;
  if (!(direction === null || isDirection(direction))) return null;
  if (!(head === null || isFromId(head)) || !(total === null || isFromId(total))) return null;
  if (!isFromId(added) || !isFromId(deleted)) return null;
  const window = rest.length === 0 ? null : parseWindow(rest);
  if (window === undefined) return null;
  const walk = { head, total, added, deleted };
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
