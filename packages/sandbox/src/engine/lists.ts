// Answers lists: sorts their rows, takes one page and counts them. Compares rows to sort them.
import type { Call, Outcome, Row } from './definition.ts';

/** The rows of a list, before they are sorted and cut to a page. */
export interface ListRows {
  /** The rows that match the filters and that the caller sees, by ascending id. */
  readonly rows: readonly Row[];
  /** Default: by ascending id. */
  readonly order?: Order | undefined;
  /** Whether `from_id` keeps the ids above or below it, in any order. Default: above. */
  readonly fromIdKeeps?: 'above' | 'below' | undefined;
}

/** Answers a list by the paging parameters of its input. A clamped limit is for lists that describe a limit and obey it. */
export function answerList(
  { input, action, clampedLimit }: Call,
  { rows, order, fromIdKeeps = 'above' }: ListRows,
): Outcome {
  const readNumber = (name: string): number | undefined => {
    const value = input.get(name);
    return typeof value === 'number' ? value : undefined;
  };
  const { ignoresLimit = false } = action.definition;
  const obeysLimit = 'limit' in action.input.parameters && !ignoresLimit;
  const asked = ignoresLimit ? undefined : readNumber('limit');
  const limit = clampedLimit !== null && obeysLimit ? Math.min(asked ?? clampedLimit, clampedLimit) : asked;
  const fromId = readNumber('from_id');
  const offset = readNumber('offset') ?? 0;
  const sorted = order ? rows.toSorted(order) : rows;
  const rest =
    fromId === undefined
      ? sorted
      : sorted.filter(({ id }) => (fromIdKeeps === 'above' ? id > fromId : id < fromId));
  return {
    ok: true,
    items: rest.slice(offset, limit === undefined ? undefined : offset + limit),
    total: rows.length,
  };
}

/** Compares two rows. 0: they tie, and come in the order in which they are stored. */
export type Order = (a: Row, b: Row) => number;

/** Sorts by the text of a column. The times of a table have one format and zone, so this sorts them too. */
export function ascendingBy(column: string): Order {
  return (a, b) => compareText(String(a[column]), String(b[column]));
}

/** Sorts by the text of a column in reverse. */
export function descendingBy(column: string): Order {
  const ascending = ascendingBy(column);
  return (a, b) => ascending(b, a);
}

/** Sorts by descending id. */
export const byDescendingId: Order = (a, b) => b.id - a.id;

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
