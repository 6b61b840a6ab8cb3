// Reads a whole list, for pages that no other way of reading can serve.
import type { Parameter } from '../../upstream/description/description.ts';
import { PaginationUnsupportedError } from '../../upstream/errors/request-errors.ts';
import { UpstreamResponseTooLargeError } from '../../upstream/errors/upstream-errors.ts';
import type { JsonObject } from '../../upstream/reader.ts';
import type { ListStart } from './kept/recent-rows.ts';
import { type Fetched, isShort, type Limited, type ListSource, MAX_EMULATED_ROWS } from './list-source.ts';
import { idOf, integerIdOf, integerIdsOf } from './row-ids.ts';

/** Values of a filter that may split a list, and filters that are tried. */
const MAX_PARTS = 20;
const MAX_SPLITS = 3;

/** Reads all rows of a list as `fetchWholeList` does, unless a recent page has read them. */
export async function readWholeList(source: ListSource, start?: Limited): Promise<ListStart> {
  return source.recentWhole() ?? (await fetchWholeList(source, start));
}

/**
 * Reads all rows of a list in the server's order, with its total where that is offered.
 * @param start The start of the list, where the server has answered fewer rows than the limit asks for.
 * @throws PaginationUnsupportedError when the list is longer than what is read for one page, or the server answers only
 *   a part of it.
 */
export async function fetchWholeList(source: ListSource, start?: Limited): Promise<ListStart> {
  try {
    const keep = source.keeper();
    const fetched = await fetchWhole(source, start);
    if (fetched !== null) {
      const whole = { ...fetched, isWhole: true, limit: Number.POSITIVE_INFINITY };
      keep(whole);
      return whole;
    }
  } catch (error) {
    if (error instanceof UpstreamResponseTooLargeError) throw refusal(source, error);
    throw error;
  }
  throw refusal(source);
}

async function fetchWhole(source: ListSource, known?: Limited): Promise<Fetched | null> {
  const { limited, limitDefault, cap, paging } = source.selection.list;
  let start: Limited | null = null;
  if (limited) {
    const limit = Math.min(cap, MAX_EMULATED_ROWS + 1);
    start = known ?? { ...(await source.fetch({ limit }, true)), limit };
    if (source.isWhole(start)) return start;
    if (paging === 'keyset' && source.mayBeCut(start) && (await source.endsAfter(start))) return start;
    if (start.rows.length > MAX_EMULATED_ROWS) return null;
    if (limitDefault) return isShort(start) ? fetchParts(source, start) : unlessFull(start);
  }
  // The cap bounds the limit only: most servers answer the whole list when no limit is sent. A server that then answers
  // no more rows than before may apply a limit that it does not describe; only the total shows whether it does.
  const all = await source.fetch({}, true);
  if (all.rows.length > MAX_EMULATED_ROWS) return null;
  if (isShort(all)) return start !== null && (await isMiscounted(source, start, all)) ? all : null;
  if (start === null || all.total !== null || all.rows.length > start.rows.length) return all;
  if (start.rows.length >= start.limit || source.isCut(all)) return null;
  source.recordEnd(all);
  return all;
}

/**
 * Whether a total counts rows that the caller cannot read: answers with and without a limit hold the same rows, and
 * `from_id` in the middle of their ids shows no other. A hidden limit would keep rows from both, but not from the third.
 */
async function isMiscounted(source: ListSource, start: Limited, all: Fetched): Promise<boolean> {
  if (source.selection.list.paging !== 'keyset') return false;
  if (start.rows.length !== all.rows.length || start.rows.length >= start.limit) return false;
  const ids = integerIdsOf(all.rows);
  const middle = ids?.toSorted((a, b) => a - b)[Math.floor(ids.length / 2)];
  if (middle === undefined) return false;
  const known = new Set<unknown>(ids);
  const { rows } = await source.fetch({ from_id: middle, limit: start.limit });
  return rows.every((row) => known.has(integerIdOf(row)));
}

/** A full answer may be followed by rows. One that a hidden limit may have cut is taken as it is: nothing else can be asked. */
const unlessFull = (answer: Limited): Fetched | null => (answer.rows.length < answer.limit ? answer : null);

/**
 * Reads a list that is longer than the largest answer through a filter that splits it into parts that are not: the
 * totals prove that no row is missing. The rows of `start` come first, in the server's order.
 */
async function fetchParts(source: ListSource, start: Fetched): Promise<Fetched | null> {
  const { total } = start;
  if (total === null || total > MAX_EMULATED_ROWS) return null;
  const { list, filter } = source.selection;
  const splitting = list.action.input.parameters
    .map((parameter) => ({ name: parameter.name, values: choicesOf(parameter) }))
    .filter(({ name, values }) => values.length > 1 && values.length <= MAX_PARTS && !(name in filter))
    .sort((a, b) => b.values.length - a.values.length)
    .slice(0, MAX_SPLITS);
  for (const { name, values } of splitting) {
    const rows = await fetchSplit(source, name, values, start);
    if (rows !== null) return { rows, total };
  }
  return null;
}

async function fetchSplit(
  source: ListSource,
  name: string,
  values: readonly unknown[],
  start: Fetched,
): Promise<readonly JsonObject[] | null> {
  const limit = Math.min(source.selection.list.cap, MAX_EMULATED_ROWS);
  const byId = new Map(start.rows.map((row) => [idOf(row), row]));
  for (const value of values) {
    const part = await source.fetch({ limit }, true, { [name]: value });
    if (part.total === null || isShort(part)) return null;
    for (const row of part.rows) if (!byId.has(idOf(row))) byId.set(idOf(row), row);
  }
  return byId.size === start.total && !byId.has(null) ? [...byId.values()] : null;
}

/** The values that a filter takes, where the description lists them. */
function choicesOf(parameter: Parameter): readonly unknown[] {
  if (parameter.type === 'Boolean') return [true, false];
  if (parameter.type === 'Resource') return [];
  return (parameter.validators.include?.values ?? []).map(({ value }) => value);
}

/** The error says how far the list can be read, and which filters would shorten it. */
function refusal(source: ListSource, cause?: unknown): PaginationUnsupportedError {
  const { limited, limitDefault, cap, filterNames, action } = source.selection.list;
  const bound = limited && limitDefault ? Math.min(cap, MAX_EMULATED_ROWS) : MAX_EMULATED_ROWS;
  const reason =
    cause === undefined
      ? `only its first ${bound} rows can be read`
      : 'it is too large to be read in one answer';
  const remedy =
    filterNames.length === 0 ? '' : ` Shorten it with a filter: ${filterNames.slice(0, 8).join(', ')}.`;
  return new PaginationUnsupportedError(
    `This list cannot be paged further: the API does not page it in the order of its rows, and ${reason}.${remedy}`,
    { action: action.scope },
    { cause },
  );
}
