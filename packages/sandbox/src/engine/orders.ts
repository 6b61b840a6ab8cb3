// Compares rows to sort lists.
import type { Row } from './definition.ts';

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
