// Writes and reads the opaque cursors of `after` and `endCursor`, which hold all that the next page needs.
import { createHash } from 'node:crypto';
import { InvalidInputError } from '../errors.ts';
import type { Block, List } from './list.ts';
import { type Direction, fromIdBefore, isAfter, overlapOf } from './row-order.ts';
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
  /** Whether the walk has seen the whole list in the order of its ids, so that its end needs no proof. */
  readonly isVerified: boolean;
}

/** A cursor marks a row of a list: by its walk, or by the number of rows up to it in a list whose rows ids do not distinguish. */
export type Cursor = ({ readonly kind: 'walk' } & Walk) | { readonly kind: 'place'; readonly served: number };

/**
 * Maximum length of a cursor, in characters. One of a list of 10,000 rows in any order has about 18,000, with texts as ids 70,000, with
 * large integers 95,000. A longer cursor is rejected before it is parsed.
 */
const MAX_LENGTH = 131_072;

/** Maximum number of ranges of served ids in the cursor of a list that is read by `from_id` or `offset`. */
const MAX_RANGES = 4_000;

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
  if (cursor.kind === 'place') return toText(['p', tag, cursor.served]);
  const { served, trust, direction, from, head, total, isVerified, ids } = cursor;
  const isDescending = direction === null ? null : direction === 'descending';
  const fields = ['w', tag, served, TRUSTS.indexOf(trust), isDescending, from, head, total, isVerified];
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
  const cursor = letter === 'w' ? parseWalk(values, ids) : letter === 'p' ? parsePlace(values) : null;
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

function parsePlace([served, ...rest]: readonly unknown[]): Cursor | null {
  return isCount(served) && served > 0 && rest.length === 0 ? { kind: 'place', served } : null;
}

function parseWalk(values: readonly unknown[], idsText: string): Cursor | null {
  const [served, trustIndex, isDescending, from, head, total, isVerified] = values;
  const ids = ServedIds.parse(idsText);
  const trust = isCount(trustIndex) ? TRUSTS[trustIndex] : undefined;
  if (ids === null || trust === undefined || !isCount(served)) return null;
  if (!isNullOr(isCount)(from) || !isNullOr(isInteger)(head) || !isNullOr(isCount)(total)) return null;
  if (!isNullOr(isBoolean)(isDescending) || !isBoolean(isVerified)) return null;
  const direction = isDescending === null ? null : isDescending ? 'descending' : 'ascending';
  return { kind: 'walk', served, ids, trust, direction, from, head, total, isVerified };
}

const isNullOr =
  <T>(is: (value: unknown) => value is T) =>
  (value: unknown): value is T | null =>
    value === null || is(value);
const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';
const isInteger = (value: unknown): value is number => Number.isSafeInteger(value);
/** Whether a value can be sent as `from_id` or `offset`. */
const isCount = (value: unknown): value is number => isInteger(value) && value >= 0;

/** The rows of a block that a walk has not served. */
export interface Unserved {
  /** The walk up to these rows, as far as the block corrects it. */
  readonly walk: Walk;
  readonly block: Block;
  /** The indexes of the rows in the block. */
  readonly indexes: readonly number[];
  /** The keys of all rows of the block. */
  readonly keys: readonly number[];
}

/** Makes the cursors of one page. */
export class WalkCursors {
  readonly #list: List;
  readonly #unserved: Unserved;
  /** Keys of the unserved rows. */
  readonly #keys: readonly number[];
  /** The ids that are served after a row. Most clients select the cursors of no row but the last, or of each row in turn. */
  #latest: { readonly index: number; readonly ids: ServedIds };

  constructor(list: List, unserved: Unserved) {
    this.#list = list;
    this.#unserved = unserved;
    this.#keys = unserved.indexes.map((index) => unserved.keys[index] ?? 0);
    this.#latest = { index: -1, ids: unserved.walk.ids };
  }

  /** @param index The index among the unserved rows. */
  cursorAt(index: number): Cursor {
    const { walk } = this.#unserved;
    const served = walk.served + index + 1;
    const exact = this.#idsAt(index);
    const from = this.#placeAt(index, exact);
    if (from === null) return { kind: 'walk', ...walk, served, ids: exact, from };
    const ids = exact.withAtMost(MAX_RANGES, walk.direction ?? 'ascending');
    // Where ids are served in no order, rows in filled gaps would be lost.
    if (walk.direction === null && ids !== exact)
      return { kind: 'walk', ...walk, served, ids: exact, trust: 'none', from: null };
    return { kind: 'walk', ...walk, served, ids, from };
  }

  #idsAt(index: number): ServedIds {
    const isNext = this.#latest.index <= index;
    const base = isNext ? this.#latest.ids : this.#unserved.walk.ids;
    const added = this.#keys.slice(isNext ? this.#latest.index + 1 : 0, index + 1);
    this.#latest = { index, ids: base.with(added) };
    return this.#latest.ids;
  }

  /** Where the walk continues after a row; null for the start of the list. */
  #placeAt(index: number, served: ServedIds): number | null {
    const { walk, block, indexes } = this.#unserved;
    const { trust, direction, from } = walk;
    if (trust === 'ids') return this.#keys[index] ?? 0;
    if (trust !== 'ties' || block.isWhole) return null;
    const overlap = overlapOf(this.#list);
    if (this.#list.paging === 'offset')
      return Math.max(0, (block.from ?? 0) + (indexes[index] ?? 0) + 1 - overlap) || null;
    const furthest = direction && served.furthest(overlap, direction);
    if (furthest === null || direction === null) return from;
    const nearest = this.#keys
      .slice(index + 1)
      .reduce((a, b) => (isAfter(b, a, direction) ? a : b), furthest);
    const place = fromIdBefore(nearest, direction);
    return place !== null && from !== null && isAfter(from, place, direction) ? from : place;
  }
}
