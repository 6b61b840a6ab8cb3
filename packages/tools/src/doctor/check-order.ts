// Checks that pages of a list fit together: equal rows in an equal order for each limit, and `from_id` in the direction of the list.
import {
  type Direction,
  integerIdOf,
  isAfter,
  isOrdered,
  trendOf,
} from '../../../../src/loaders/paging/row-order.ts';
import { isConnection } from '../../../../src/schema/model/list-paging.ts';
import type { Action } from '../../../../src/upstream/description/description.ts';
import type { JsonObject } from '../../../../src/upstream/json.ts';
import { finding, type Observation, override } from './observation.ts';
import { type Check, type CheckInput, FEW_ROWS, type ProbedList } from './probed-list.ts';

/** Rows that show the order of a list. */
const ENOUGH_ROWS = 3;
/** Largest probability with which rows of an accidental order may be taken for sorted ones. */
const MAX_CHANCE = 0.001;
/** Limits whose rows are compared with those of the largest one. */
const LIMITS = [FEW_ROWS, 20];
/** What is done for lists that are served in any case. */
const SPARE = 'the override "listOrder" with "none" for the scope spares finding out';
/** Ids that an example names. */
const NAMED_IDS = 4;
const TYPES_IN_ORDER: ReadonlySet<string> = new Set(['Integer', 'Float', 'Datetime', 'String']);

/** Finds orders that depend on the limit, and a `from_id` that does not fit the order. */
export const checkOrder: Check = async (input) => {
  const { list, sample, overrides } = input;
  const { rows } = sample;
  if (sample.limit === null || rows.length < ENOUGH_ROWS || !isConnection(list.action)) return [];
  if (overrides.listOrder?.[list.action.scope] === 'none') return [];
  const changing = await findChangingOrder(input);
  if (changing !== null) return [changing];
  const direction = directionOf(rows);
  if (direction !== null) return list.takesFromId ? checkFromId(input, direction) : [];
  const tied = tiedOrder(rows, list.action);
  if (tied !== null && !tiesAreOrdered(rows, tied, list.action)) {
    const equal = rows.filter((row, index) => index > 0 && row[tied] === rows[index - 1]?.[tied]).length;
    return [
      finding(
        `rows with an equal "${tied}" have no order, and may come in another one when the limit is another`,
        `${equal} of ${rows.length} rows have the value of the row before`,
        orderTies(list),
      ),
    ];
  }
  const detail = 'pages are read from the start of the list, because it is not in the order of ids';
  return list.takesFromId ? [{ result: 'ok', detail, remedy: SPARE }] : [];
};

/** The direction of rows that are in the order of their ids; null where they are not, or are too few. */
export function directionOf(rows: readonly JsonObject[]): Direction | null {
  const ids = rows.map(integerIdOf);
  if (!ids.every((id) => id !== null)) return null;
  const direction = trendOf(ids);
  return direction !== null && isOrdered(ids, direction) ? direction : null;
}

/** Whether all rows come after an id in a direction. */
export const areAfter = (ids: readonly (number | null)[], fromId: number, direction: Direction): boolean =>
  ids.every((id) => id !== null && isAfter(id, fromId, direction));

/** Compares the rows of small limits with those of the large one. */
async function findChangingOrder({ list, sample }: CheckInput): Promise<Observation | null> {
  const { rows, limit } = sample;
  const keyOf = (row: JsonObject): string => JSON.stringify(list.idsOf(row) ?? row['id'] ?? row);
  const before = rows.map(keyOf);
  if (limit === null || new Set(before).size < before.length) return null;
  for (const few of LIMITS) {
    if (few >= rows.length) continue;
    const start = (await list.read({ limit: few })).rows;
    if (start.length > few || start.every((row, index) => keyOf(row) === before[index])) continue;
    // Rows that were added or removed between the reads do not count, only those that existed all the time.
    const after = new Set((await list.readAgain({ limit })).rows.map(keyOf));
    const lasting = rows.filter((row) => after.has(keyOf(row)));
    const known = new Set(lasting.map(keyOf));
    const first = start.filter((row) => known.has(keyOf(row)));
    const differs = first.findIndex((row, index) => keyOf(row) !== keyOf(lasting[index] ?? {}));
    if (differs === -1) continue;
    const idsOf = (all: readonly JsonObject[]): string =>
      all
        .slice(differs, differs + NAMED_IDS)
        .map((row) => integerIdOf(row) ?? '?')
        .join(' ');
    const tied = tiedOrder(lasting, list.action);
    return finding(
      `rows ${tied === null ? '' : `with an equal "${tied}" `}come in another order when the limit is another`,
      `from row ${differs + 1} on, limit ${few}: ${idsOf(first)}; limit ${limit}: ${idsOf(lasting)}`,
      orderTies(list),
    );
  }
  return null;
}

function orderTies(list: ProbedList): string {
  const best = 'let the API order equal rows by their ids';
  return list.takesFromId ? `${override('listOrder', list.action.scope, 'none')}; better, ${best}` : best;
}

/** Finds out which rows `from_id` leads to in a list that is in the order of its ids. */
async function checkFromId(
  { list, sample: { rows } }: CheckInput,
  direction: Direction,
): Promise<readonly Observation[]> {
  const middle = Math.floor((rows.length - 1) / 2);
  const ids = rows.map(integerIdOf);
  const fromId = ids[middle] ?? null;
  if (fromId === null) return [];
  const read = (await list.read({ limit: ENOUGH_ROWS, fromId })).rows.map(integerIdOf);
  if (read.length > 0 && areAfter(read, fromId, direction)) return [];
  const expected = ids.slice(middle + 1, middle + 1 + read.length).join(' ');
  const found = read.map((id) => id ?? '?').join(' ') || 'no rows';
  return [
    {
      result: 'ok',
      detail: `pages are read from the start of the list, because it is in ${direction} order of ids, and from_id leads elsewhere`,
      example: `after id ${fromId} follows ${expected}; from_id=${fromId} is answered with ${found}`,
      remedy: SPARE,
    },
  ];
}

/**
 * The output by whose values rows are ordered, while some are equal; null where there is none, or each value differs. Few different
 * values can be in order by chance, which proves nothing.
 */
function tiedOrder(rows: readonly JsonObject[], { output }: Action): string | null {
  const first = output.parameters.find(({ name, type }) => {
    const values = rows.map((row) => row[name]);
    const areComparable = values.every((value) => typeof value === 'number' || typeof value === 'string');
    return (
      name !== 'id' && TYPES_IN_ORDER.has(type) && areComparable && areSorted(values) && !isByChance(values)
    );
  });
  if (first === undefined) return null;
  const hasTies = rows.some((row, index) => index > 0 && row[first.name] === rows[index - 1]?.[first.name]);
  return hasTies ? first.name : null;
}

/** Whether an output orders the rows that are equal in another one, as far as they show. */
function tiesAreOrdered(rows: readonly JsonObject[], tied: string, { output }: Action): boolean {
  const pairs = rows.flatMap((row, index) => {
    const before = rows[index - 1];
    return before === undefined || before[tied] !== row[tied] ? [] : [[before, row] as const];
  });
  return output.parameters.some(({ name }) => {
    const steps = pairs.map(([before, row]) => Math.sign(compare(row[name], before[name])));
    return steps.every((step) => step === 1) || steps.every((step) => step === -1);
  });
}

/** Whether values run in one direction. Neighbours may be equal. */
function areSorted(values: readonly unknown[]): boolean {
  const steps = values.slice(1).map((value, index) => Math.sign(compare(value, values[index])));
  return new Set(steps.filter((step) => step !== 0)).size === 1;
}

/** Whether values in any order are sorted with more than this probability: of n! orders, each group of k equal ones has k! that are equal. */
function isByChance(values: readonly unknown[]): boolean {
  const counts = new Map<unknown, number>();
  // The logarithm of 2 · k1! · k2! … / n!, for both directions.
  let chance = Math.log(2);
  values.forEach((value, index) => {
    const count = (counts.get(value) ?? 0) + 1;
    counts.set(value, count);
    chance += Math.log(count / (index + 1));
  });
  return chance > Math.log(MAX_CHANCE);
}

/** Databases sort texts in many ways; most of them leave capitals out of account. */
function compare(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return String(a).toLowerCase().localeCompare(String(b).toLowerCase(), 'en');
}
