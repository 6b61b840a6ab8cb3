// Finds the order of rows.
import type { Action } from '../../../../upstream/description/description.ts';
import type { JsonObject } from '../../../../upstream/json.ts';
import { integerId } from './probed-list.ts';

export type Direction = 'ascending' | 'descending';

/** Rows that show the order of a list. */
export const ENOUGH_ROWS = 3;

const TYPES_IN_ORDER: ReadonlySet<string> = new Set(['Integer', 'Float', 'Datetime', 'String']);

/** The direction of rows that are in the order of their ids; null where they are not, or are too few. */
export function directionOf(rows: readonly JsonObject[]): Direction | null {
  const ids = rows.map(integerId);
  if (rows.length < 2 || ids.includes(null)) return null;
  return directionIn(ids, (a, b) => Number(a) - Number(b), false);
}

/** The output by whose values rows are ordered, while some are equal; null where there is none, or each value differs. */
export function tiedOrder(rows: readonly JsonObject[], { output }: Action): string | null {
  const ordered = output.parameters.filter(({ name, type }) => {
    const values = rows.map((row) => row[name]);
    const areComparable = values.every((value) => typeof value === 'number' || typeof value === 'string');
    if (name === 'id' || !TYPES_IN_ORDER.has(type) || !areComparable || new Set(values).size < 2)
      return false;
    return directionIn(values, compare, true) !== null;
  });
  const [first] = ordered;
  if (first === undefined) return null;
  const hasTies = rows.some((row, index) => index > 0 && row[first.name] === rows[index - 1]?.[first.name]);
  return hasTies ? first.name : null;
}

/** Whether an output orders the rows that are equal in another one, as far as they show. */
export function tiesAreOrdered(rows: readonly JsonObject[], tied: string, { output }: Action): boolean {
  const pairs = rows.flatMap((row, index) => {
    const before = rows[index - 1];
    return before === undefined || before[tied] !== row[tied] ? [] : [[before, row] as const];
  });
  return output.parameters.some(({ name }) => {
    const steps = pairs.map(([before, row]) => Math.sign(compare(row[name], before[name])));
    return steps.every((step) => step === 1) || steps.every((step) => step === -1);
  });
}

function directionIn<T>(
  values: readonly T[],
  comparer: (a: T, b: T) => number,
  mayBeEqual: boolean,
): Direction | null {
  let direction = 0;
  for (let index = 1; index < values.length; index += 1) {
    const step = Math.sign(comparer(values[index] as T, values[index - 1] as T));
    if (step === 0 && mayBeEqual) continue;
    if (step === 0 || step === -direction) return null;
    direction = step;
  }
  return direction === 0 ? null : direction === 1 ? 'ascending' : 'descending';
}

/** Databases sort texts in many ways; most of them leave capitals out of account. */
function compare(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return String(a).toLowerCase().localeCompare(String(b).toLowerCase(), 'en');
}
