// Writes and reads the opaque cursors of `after` and `endCursor`, which hold all that the next page needs.
import { createHash } from 'node:crypto';
import type { JsonObject } from '../../upstream/json.ts';
import { InvalidInputError } from '../errors.ts';
import { type Direction, idOf } from './row-order.ts';
import { ServedIds } from './served-ids.ts';

/**
 * What a walk relies on: that the list has the order of its ids (`ids`), that it has this order except that rows which stand near each
 * other are mixed (`ties`), or nothing (`none`). `unknown` until enough rows were seen.
 */
export type Trust = 'unknown' | 'ids' | 'ties' | 'none';

/** A walk after one of its rows. */
export interface Walk {
  /** Number of rows served. */
  readonly served: number;
  /** The ids of the served rows. Rows that are read again are known by them. */
  readonly ids: ServedIds;
  readonly trust: Trust;
  /** The direction of ids; null where the list has none or it is not known. */
  readonly direction: Direction | null;
  /** The `from_id` or the `offset` where the walk continues: all rows before it are served. Null for the start of the list. */
  readonly from: number | null;
  /** The highest id when the walk began: rows with higher ids are new, and no part of the walk. Null where it is not known. */
  readonly head: number | null;
  /** The list's total when the walk began; null if it is unknown. */
  readonly total: number | null;
  /** Number of gaps that were reported, each of which hides at least one row. */
  readonly gaps: number;
  /** Whether the walk has seen the whole list in the order of its ids, so that its end needs no proof. */
  readonly isVerified: boolean;
}

/** The row of a cursor in a list whose rows ids do not distinguish. */
export interface Position {
  /** Null if the rows have no ids. Then only `served` determines the row. */
  readonly id: number | string | null;
  /** Id of the row that follows; null when this was the last one. */
  readonly next: number | string | null;
  /** Number of rows served so far, including this one. */
  readonly served: number;
}

/** Creates the cursor of the row at a place. */
export const positionAt = (row: JsonObject, place: number, rows: readonly JsonObject[]) =>
  ({ kind: 'position', id: idOf(row), next: idOf(rows[place + 1]), served: place + 1 }) as const;

/** A cursor marks a row of a list. */
export type Cursor = ({ readonly kind: 'walk' } & Walk) | ({ readonly kind: 'position' } & Position);

/**
 * Maximum length of a cursor, in characters. One of a list of 10,000 rows in any order has about 8,500. A longer cursor is rejected
 * before it is parsed.
 */
const MAX_LENGTH = 16_384;
/** Maximum length of the served ids in a cursor, in characters. Other fields take up to a few hundred. */
export const MAX_IDS_LENGTH = 12_288;

const TRUSTS: readonly Trust[] = ['unknown', 'ids', 'ties', 'none'];

/** A short fingerprint of a list: its action, the ids in its path and its filter. */
export function listTag(scope: string, path: readonly string[], filter: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify([scope, path, filter]))
    .digest('base64url')
    .slice(0, 12);
}

/** Writes a cursor of the list with this tag. */
export function encodeCursor(tag: string, cursor: Cursor): string {
  if (cursor.kind === 'position') return toText(['p', tag, cursor.id, cursor.next, cursor.served]);
  const { served, trust, direction, from, head, total, gaps, isVerified, ids } = cursor;
  const isDescending = direction === null ? null : direction === 'descending';
  const fields = ['w', tag, served, TRUSTS.indexOf(trust), isDescending, from, head, total, gaps, isVerified];
  return `${toText(fields)}.${ids.toText()}`;
}

const toText = (fields: readonly unknown[]): string =>
  Buffer.from(JSON.stringify(fields)).toString('base64url');

/** Reads a cursor. @throws InvalidInputError when the text is not a cursor, or belongs to another list or filter. */
export function decodeCursor(tag: string, text: string): Cursor {
  if (text.length > MAX_LENGTH)
    throw new InvalidInputError(
      `"after" has ${text.length} characters, more than the ${MAX_LENGTH} of a cursor; use an endCursor or a cursor.`,
    );
  const [head = '', ids = '', ...rest] = text.split('.');
  const fields = parseFields(head);
  if (fields === null || rest.length > 0)
    throw new InvalidInputError('"after" is not a cursor of this API; use the value of endCursor or cursor.');
  const [letter, fieldsTag, ...values] = fields;
  if (fieldsTag !== tag)
    throw new InvalidInputError('"after" is a cursor of another list or filter; start again without it.');
  const cursor = letter === 'w' ? parseWalk(values, ids) : letter === 'p' ? parsePosition(values) : null;
  if (cursor === null) throw new InvalidInputError('"after" is a damaged cursor; start again without it.');
  return cursor;
}

function parseFields(text: string): readonly unknown[] | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    return Array.isArray(value) && typeof value[1] === 'string' ? value : null;
  } catch {
    return null;
  }
}

function parsePosition([id, next, served]: readonly unknown[]): Cursor | null {
  const isValid = isNullOr(isId)(id) && isNullOr(isId)(next) && isCount(served) && served > 0;
  return isValid ? { kind: 'position', id, next, served } : null;
}

function parseWalk(values: readonly unknown[], idsText: string): Cursor | null {
  const [served, trustIndex, isDescending, from, head, total, gaps, isVerified] = values;
  const ids = ServedIds.parse(idsText);
  const trust = isCount(trustIndex) ? TRUSTS[trustIndex] : undefined;
  if (ids === null || trust === undefined || !isCount(served) || !isCount(gaps)) return null;
  if (!isNullOr(isCount)(from) || !isNullOr(isInteger)(head) || !isNullOr(isCount)(total)) return null;
  if (!isNullOr(isBoolean)(isDescending) || !isBoolean(isVerified)) return null;
  const direction = isDescending === null ? null : isDescending ? 'descending' : 'ascending';
  return { kind: 'walk', served, ids, trust, direction, from, head, total, gaps, isVerified };
}

const isNullOr =
  <T>(is: (value: unknown) => value is T) =>
  (value: unknown): value is T | null =>
    value === null || is(value);
const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';
const isInteger = (value: unknown): value is number => Number.isSafeInteger(value);
/** Whether a value can be sent as `from_id` or `offset`. */
const isCount = (value: unknown): value is number => isInteger(value) && value >= 0;
const isId = (value: unknown): value is number | string => isInteger(value) || typeof value === 'string';
