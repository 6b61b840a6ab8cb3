// Checks that pages of a list fit together: equal rows in an equal order for each limit, and `from_id` in the direction of the list.
import { isConnection } from '../../../../schema/model/list-paging.ts';
import type { JsonObject } from '../../../../upstream/json.ts';
import { type Observation, override } from '../check-result.ts';
import type { Check, CheckInput } from './check.ts';
import { FEW_ROWS } from './limits.ts';
import { directionOf, ENOUGH_ROWS, tiedOrder, tiesAreOrdered } from './order.ts';
import { integerId, type ProbedList } from './probed-list.ts';

/** Limits whose rows are compared with those of the largest one. */
const LIMITS = [FEW_ROWS, 20];
/** What is done for lists that are served in any case. */
const SPARE = 'the override "listOrder" with "none" for the scope spares finding out';
/** Ids that an example names. */
const NAMED_IDS = 4;

/** Finds orders that depend on the limit, and a `from_id` that does not fit the order. */
export const checkPaging: Check = async (input) => {
  const { list, sample, overrides } = input;
  if (sample.limit === null || sample.rows.length < ENOUGH_ROWS || !isConnection(list.action)) return [];
  if (overrides.listOrder?.[list.scope] === 'none') return [];
  const changing = await findChangingOrder(input);
  if (changing !== null) return [changing];
  if (directionOf(sample.rows) !== null) return list.takes('from_id') ? checkFromId(input) : [];
  const tied = tiedOrder(sample.rows, list.action);
  if (tied !== null && !tiesAreOrdered(sample.rows, tied, list.action))
    return [unorderedTies(list, sample.rows, tied)];
  return list.takes('from_id') ? [NOT_BY_ID] : [];
};

/** Compares the rows of small limits with those of the large one. */
async function findChangingOrder({ list, sample }: CheckInput): Promise<Observation | null> {
  const { rows, limit } = sample;
  const keyOf = keysOf(list);
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
    if (differs !== -1) return changingOrder(list, [few, first], [limit, lasting], differs);
  }
  return null;
}

/** What identifies a row. */
const keysOf =
  (list: ProbedList) =>
  (row: JsonObject): string =>
    JSON.stringify(list.idsOf(row) ?? row['id'] ?? row);

type Answer = readonly [limit: number, rows: readonly JsonObject[]];

function changingOrder(list: ProbedList, few: Answer, many: Answer, at: number): Observation {
  const tied = tiedOrder(many[1], list.action);
  const idsFrom = ([limit, rows]: Answer): string =>
    `limit ${limit}: ${rows
      .slice(at, at + NAMED_IDS)
      .map((row) => integerId(row) ?? '?')
      .join(' ')}`;
  return {
    result: 'finding',
    detail: `rows ${tied === null ? '' : `with an equal "${tied}" `}come in another order when the limit is another`,
    example: `from row ${at + 1} on, ${idsFrom(few)}; ${idsFrom(many)}`,
    remedy: orderTies(list),
  };
}

function unorderedTies(list: ProbedList, rows: readonly JsonObject[], tied: string): Observation {
  const equal = rows.filter((row, index) => index > 0 && row[tied] === rows[index - 1]?.[tied]).length;
  return {
    result: 'finding',
    detail: `rows with an equal "${tied}" have no order, and may come in another one when the limit is another`,
    example: `${equal} of ${rows.length} rows have the value of the row before`,
    remedy: orderTies(list),
  };
}

function orderTies(list: ProbedList): string {
  const best = 'let the API order equal rows by their ids';
  return list.takes('from_id') ? `${override('listOrder', list.scope, 'none')}; better, ${best}` : best;
}

/** Finds out which rows `from_id` leads to in a list that is in the order of its ids. */
async function checkFromId({ list, sample: { rows } }: CheckInput): Promise<readonly Observation[]> {
  const middle = Math.floor((rows.length - 1) / 2);
  const ids = rows.map(integerId);
  const fromId = ids[middle] ?? null;
  if (fromId === null) return [];
  const read = (await list.read({ limit: ENOUGH_ROWS, fromId })).rows.map(integerId);
  const expected = ids.slice(middle + 1, middle + 1 + read.length);
  // Rows may have been removed meanwhile, but not have changed the direction.
  const direction = directionOf(rows);
  const follows = read.every((id) => id !== null && (direction === 'ascending' ? id > fromId : id < fromId));
  if (read.length > 0 && follows) return [];
  return [
    {
      result: 'ok',
      detail: `pages are read from the start of the list, because it is in ${direction} order of ids, and from_id leads elsewhere`,
      example: `after id ${fromId} follows ${expected.join(' ')}; from_id=${fromId} is answered with ${read.map((id) => id ?? '?').join(' ') || 'no rows'}`,
      remedy: SPARE,
    },
  ];
}

const NOT_BY_ID: Observation = {
  result: 'ok',
  detail: 'pages are read from the start of the list, because it is not in the order of ids',
  remedy: SPARE,
};
