// Checks that the list obeys its limit, and that its count fits its rows.
import type { Observation } from '../check-result.ts';
import type { Check, CheckInput } from './check.ts';
import { directionOf } from './order.ts';
import { integerId } from './probed-list.ts';

/** A limit that is smaller than most lists are. */
export const FEW_ROWS = 7;

/** Finds limits that are ignored or lower than described, and counts that differ from the rows. */
export const checkLimits: Check = async (input) => {
  const { rows, total, limit } = input.sample;
  if (limit === null)
    return total === null || total === rows.length ? [] : [countDiffers(rows.length, total)];
  const ignored = await findIgnoredLimit(input);
  if (ignored.length > 0) return ignored;
  if (rows.length === 0 || rows.length >= limit) return [];
  // Fewer rows than asked for: they should be all.
  const next = await readNext(input);
  if (next === true) return [hiddenLimit(limit, rows.length)];
  if (total === null || total === rows.length) return [];
  if (next === false) return [countDiffers(rows.length, total)];
  return [total > rows.length ? eitherOf(limit, rows.length, total) : countDiffers(rows.length, total)];
};

async function findIgnoredLimit({ list, sample: { rows } }: CheckInput): Promise<readonly Observation[]> {
  if (rows.length < 2) return [];
  const few = Math.min(FEW_ROWS, rows.length - 1);
  const read = await list.read({ limit: few });
  if (read.rows.length <= few) return [];
  return [
    {
      result: 'ok',
      detail: 'each page costs the whole list, because the list ignores its limit',
      example: `limit ${few} is answered with ${read.rows.length} rows`,
    },
  ];
}

/** Whether there are rows behind those that were read; null where the list gives no way to ask. */
async function readNext({ list, sample: { rows } }: CheckInput): Promise<boolean | null> {
  const last = rows.at(-1);
  const fromId = last === undefined ? null : integerId(last);
  const direction = directionOf(rows);
  if (fromId === null || direction === null || !list.takes('from_id')) return null;
  const next = await list.read({ limit: FEW_ROWS, fromId });
  const ids = next.rows.map(integerId);
  // Where `from_id` has another direction, the rows before the last one come again.
  const isBehind = (id: number | null): boolean =>
    id !== null && (direction === 'ascending' ? id > fromId : id < fromId);
  if (next.rows.length === 0) return false;
  return ids.every(isBehind) ? true : null;
}

const hiddenLimit = (limit: number, answered: number): Observation => ({
  result: 'finding',
  detail: 'the list has a limit of its own, which is not described',
  example: `limit ${limit} is answered with ${answered} rows, and more follow`,
  remedy: 'let the API describe the largest limit by a validator of the parameter',
});

const countDiffers = (rows: number, total: number): Observation => ({
  result: 'finding',
  detail: 'the count of the list differs from its rows',
  example: `${rows} rows, count ${total}`,
  remedy: 'do not rely on totalCount; let the API count what the caller may see',
});

const eitherOf = (limit: number, rows: number, total: number): Observation => ({
  result: 'finding',
  detail: 'the list has a limit of its own, or counts rows that this caller cannot see',
  example: `limit ${limit} is answered with ${rows} rows, count ${total}`,
  remedy:
    'let the API describe the largest limit by a validator of the parameter, and count what the caller may see',
});
