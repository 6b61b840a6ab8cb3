import { createHash } from 'node:crypto';
import { InvalidInputError } from '../../upstream/errors.ts';
import type { Direction } from './list-orders.ts';

/** Where in a list a cursor stands. It says all that is needed to go on, so that it works in any process. */
export type Cursor =
  /** On a row of a list that is walked by `from_id`. */
  | {
      readonly kind: 'keyset';
      readonly id: number;
      /** The row known to follow; null when this was the last one. */
      readonly next: number | null;
      /** Rows served so far, this one included. */
      readonly served: number;
      readonly direction: Direction | null;
    }
  /** On a row of a list that is read from its start up to the page wanted; `id` is null where rows have none. */
  | { readonly kind: 'prefix'; readonly id: number | string | null; readonly served: number }
  /** On a row of a list whose walk by `from_id` was given up after row `until`, to be followed by the rows it lost. */
  | {
      readonly kind: 'rest';
      readonly until: number;
      readonly direction: Direction;
      readonly id: number;
      readonly served: number;
    }
  /** On a row of a list that pages by offset, after so many rows. */
  | {
      readonly kind: 'offset';
      readonly id: number | string;
      /** The row known to follow; null when this was the last one. */
      readonly next: number | string | null;
      readonly served: number;
    };

export type KeysetCursor = Extract<Cursor, { kind: 'keyset' }>;
export type PrefixCursor = Extract<Cursor, { kind: 'prefix' }>;
export type RestCursor = Extract<Cursor, { kind: 'rest' }>;
export type OffsetCursor = Extract<Cursor, { kind: 'offset' }>;

const LETTERS = { keyset: 'k', prefix: 'p', rest: 'r', offset: 'o' } as const;

/** A short fingerprint of a list: its action, the ids it hangs on and its filter. */
export function listTag(scope: string, path: readonly string[], filter: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify([scope, path, filter]))
    .digest('base64url')
    .slice(0, 12);
}

/** Writes an opaque cursor for one list. */
export function encodeCursor(tag: string, cursor: Cursor): string {
  const fields = (): readonly unknown[] => {
    switch (cursor.kind) {
      case 'keyset':
        return [cursor.id, cursor.next, cursor.served, cursor.direction];
      case 'prefix':
        return [cursor.id, cursor.served];
      case 'rest':
        return [cursor.until, cursor.direction, cursor.id, cursor.served];
      case 'offset':
        return [cursor.id, cursor.next, cursor.served];
    }
  };
  return Buffer.from(JSON.stringify([LETTERS[cursor.kind], tag, ...fields()])).toString('base64url');
}

/** Reads a cursor. @throws InvalidInputError when it is none, or stands in another list or under another filter. */
export function decodeCursor(tag: string, text: string): Cursor {
  const parts = parse(text);
  if (parts === null)
    throw new InvalidInputError('"after" is no cursor of this API; use an endCursor or a cursor.');
  if (parts[1] !== tag) {
    throw new InvalidInputError('"after" is a cursor of another list, or of this one under another filter.');
  }
  const [letter, , a, b, c, d] = parts;
  if (
    letter === 'k' &&
    isPlace(a) &&
    (b === null || isPlace(b)) &&
    isCount(c) &&
    (d === null || isDirection(d))
  )
    return { kind: 'keyset', id: a, next: b, served: c, direction: d };
  if (letter === 'p' && (a === null || isId(a)) && isCount(b)) return { kind: 'prefix', id: a, served: b };
  if (letter === 'r' && isPlace(a) && isDirection(b) && isInt(c) && isCount(d))
    return { kind: 'rest', until: a, direction: b, id: c, served: d };
  if (letter === 'o' && isId(a) && (b === null || isId(b)) && isCount(c))
    return { kind: 'offset', id: a, next: b, served: c };
  throw new InvalidInputError('"after" is a damaged cursor.');
}

function parse(text: string): readonly unknown[] | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    return Array.isArray(value) && typeof value[1] === 'string' ? value : null;
  } catch {
    return null;
  }
}

const isInt = (value: unknown): value is number => Number.isSafeInteger(value);
const isCount = (value: unknown): value is number => isInt(value) && value >= 1;
/** What `from_id` takes. */
const isPlace = (value: unknown): value is number => isInt(value) && value >= 0;
const isId = (value: unknown): value is number | string => isInt(value) || typeof value === 'string';
const isDirection = (value: unknown): value is Direction => value === 'ascending' || value === 'descending';
