// Checks how a list pages: its limit, its count, its order, and its filters.
import { isObject, type JsonObject } from '../output/values.ts';
import type { Check, CheckInput, EdgeOfList } from './check-lists.ts';
import {
  describeFailure,
  failureOf,
  finding,
  type Observation,
  override,
  refusedInputs,
} from './observation.ts';
import type { ProbedList } from './probed-list.ts';

/** A limit that is smaller than most lists are. */
const FEW_ROWS = 7;
/** Limits whose rows are compared with those of the largest one. */
const LIMITS = [FEW_ROWS, 20];
/** Rows that show the order of a list. */
const ENOUGH_ROWS = 3;
/** Rows that are asked for with a filter. */
const FILTERED_ROWS = 25;
/** Ids that an example names. */
const NAMED_IDS = 4;
const DESCRIBE_LIMIT = 'let the API describe the largest limit by a validator of the parameter';

/** Finds limits that are ignored or lower than described, and counts that differ from the rows. */
export const checkLimits: Check = async ({ list, sample: { rows, total, limit } }) => {
  const countDiffers =
    total === null || total === rows.length
      ? []
      : [
          finding(
            'the count of the list differs from its rows',
            `${rows.length} rows, count ${total}`,
            'do not rely on totalCount; let the API count what the caller may see',
          ),
        ];
  if (limit === null) return countDiffers;
  const few = Math.min(FEW_ROWS, rows.length - 1);
  const short = few > 0 ? (await list.read({ limit: few })).rows.length : 0;
  // A list that ignores its limit shows all rows.
  if (short > few || rows.length >= limit) return [];
  // Fewer rows than asked for: they should be all.
  const next = await hasNext(list, rows);
  const answered = `limit ${limit} is answered with ${rows.length} rows`;
  if (next === true) {
    const detail = 'the list has a limit of its own, which is not described';
    return [finding(detail, `${answered}, and more follow`, DESCRIBE_LIMIT)];
  }
  if (next === false || total === null || total <= rows.length) return countDiffers;
  return [
    finding(
      'the list has a limit of its own, or counts rows that this caller cannot see',
      `${answered}, count ${total}`,
      `${DESCRIBE_LIMIT}, and count what the caller may see`,
    ),
  ];
};

/** Whether there are rows behind those that were read; null where the list gives no way to ask. */
async function hasNext(list: ProbedList, rows: readonly JsonObject[]): Promise<boolean | null> {
  const fromId = integerIdOf(rows.at(-1));
  const direction = directionOf(rows);
  if (fromId === null || direction === null || !list.takesFromId) return null;
  const next = await list.read({ limit: FEW_ROWS, fromId });
  if (next.rows.length === 0) return false;
  // Where `from_id` has another direction, the rows before the last one come again.
  return areAfter(next.rows, fromId, direction) ? true : null;
}

/** Finds orders that depend on the limit. */
export const checkOrder: Check = async (input) => {
  const { list, sample, overrides } = input;
  if (sample.limit === null || sample.rows.length < ENOUGH_ROWS) return [];
  if (overrides.listOrder?.[list.action.scope] === 'none') return [];
  const changing = await findChangingOrder(input);
  return changing === null ? [] : [changing];
};

type Direction = 'ascending' | 'descending';

/** The direction of rows that are in the order of their ids; null where they are not, or are too few. */
function directionOf(rows: readonly JsonObject[]): Direction | null {
  const ids = rows.map(integerIdOf);
  return (
    (['ascending', 'descending'] as const).find(
      (direction) =>
        ids.length > 1 &&
        ids.every(
          (id, index) => id !== null && (index === 0 || isAfter(id, ids[index - 1] ?? null, direction)),
        ),
    ) ?? null
  );
}

const isAfter = (id: number | null, other: number | null, direction: Direction): boolean =>
  id !== null && other !== null && (direction === 'ascending' ? id > other : id < other);

/** Whether all rows come after an id in a direction. */
const areAfter = (rows: readonly JsonObject[], fromId: number, direction: Direction): boolean =>
  rows.every((row) => isAfter(integerIdOf(row), fromId, direction));

function integerIdOf(row: JsonObject | undefined): number | null {
  const id = row?.['id'];
  return typeof id === 'number' && Number.isSafeInteger(id) ? id : null;
}

const idsIn = (rows: readonly JsonObject[]): string => rows.map((row) => integerIdOf(row) ?? '?').join(' ');

/** Compares the rows of small limits with those of the large one. */
async function findChangingOrder({ list, sample }: CheckInput): Promise<Observation | null> {
  const { rows, limit } = sample;
  const keyOf = (row: JsonObject): string =>
    JSON.stringify([...(list.idsOf(row)?.values() ?? [row['id'] ?? row])]);
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
    const named = (all: readonly JsonObject[]): string => idsIn(all.slice(differs, differs + NAMED_IDS));
    const best = 'let the API order equal rows by their ids';
    return finding(
      'rows come in another order when the limit is another',
      `from row ${differs + 1} on, limit ${few}: ${named(first)}; limit ${limit}: ${named(lasting)}`,
      list.takesFromId ? `${override('listOrder', list.action.scope, 'none')}; better, ${best}` : best,
    );
  }
  return null;
}

/** Reads the list with the filter of each reverse edge, and with the count. */
export const checkFilters: Check = async (input) =>
  (await Promise.all(input.edges.map((edge) => checkFilter(edge, input)))).flat();

async function checkFilter(edge: EdgeOfList, { list, sample }: CheckInput): Promise<readonly Observation[]> {
  const id = associatedId(edge, sample.rows) ?? edge.knownId;
  if (id === null) return [];
  const limit = sample.limit === null ? {} : { limit: Math.min(FILTERED_ROWS, sample.limit) };
  const asked = { ...limit, filter: { [edge.filter]: id } };
  const count = list.action.metaInput.has('count');
  const fails = (isCounted: boolean) => list.read({ ...asked, count: isCounted }).then(() => null, failureOf);
  const failure = await fails(count);
  // A list that wants other inputs beside the filter is none that fails.
  if (failure === null || refusedInputs(failure)?.some((name) => name !== edge.filter)) return [];
  const filtered = `the list with the filter "${edge.filter}"`;
  const example = `${edge.coordinate}: ${describeFailure(failure)}`;
  if (count && (await fails(false)) === null)
    return [
      finding(
        `${filtered} can be read, but not with its count`,
        example,
        "totalCount is null; see the API's log for this call",
      ),
    ];
  const remedy = `override "dropEdges": ${JSON.stringify([edge.coordinate])}; better, repair the filter in the API`;
  return [finding(`${filtered} cannot be read`, example, remedy)];
}

/** The id of the object with which the first row is associated that has one. */
function associatedId({ association }: EdgeOfList, rows: readonly JsonObject[]): string | number | null {
  if (association === null) return null;
  for (const row of rows) {
    const value = row[association.name];
    const id = association.type === 'Resource' && isObject(value) ? value[association.valueId] : value;
    if (typeof id === 'string' || typeof id === 'number') return id;
  }
  return null;
}
