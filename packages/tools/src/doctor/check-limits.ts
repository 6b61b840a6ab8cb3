// Checks that the list obeys its limit, and that its count fits its rows.
import { integerIdOf } from '../../../../src/loaders/paging/row-order.ts';
import { areAfter, directionOf } from './check-order.ts';
import { finding, type Observation } from './observation.ts';
import { type Check, type CheckInput, FEW_ROWS } from './probed-list.ts';

/** Finds limits that are ignored or lower than described, and counts that differ from the rows. */
export const checkLimits: Check = async (input) => {
  const { rows, total, limit } = input.sample;
  const countDiffers = (): readonly Observation[] =>
    total === null || total === rows.length
      ? []
      : [
          finding(
            'the count of the list differs from its rows',
            `${rows.length} rows, count ${total}`,
            'do not rely on totalCount; let the API count what the caller may see',
          ),
        ];
  if (limit === null) return countDiffers();
  const ignored = await findIgnoredLimit(input);
  if (ignored.length > 0) return ignored;
  if (rows.length === 0 || rows.length >= limit) return [];
  // Fewer rows than asked for: they should be all.
  const next = await hasNext(input);
  const answered = `limit ${limit} is answered with ${rows.length} rows`;
  if (next === true)
    return [
      finding(
        'the list has a limit of its own, which is not described',
        `${answered}, and more follow`,
        'let the API describe the largest limit by a validator of the parameter',
      ),
    ];
  if (next === false || total === null || total <= rows.length) return countDiffers();
  return [
    finding(
      'the list has a limit of its own, or counts rows that this caller cannot see',
      `${answered}, count ${total}`,
      'let the API describe the largest limit by a validator of the parameter, and count what the caller may see',
    ),
  ];
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
async function hasNext({ list, sample: { rows } }: CheckInput): Promise<boolean | null> {
  const fromId = integerIdOf(rows.at(-1));
  const direction = directionOf(rows);
  if (fromId === null || direction === null || !list.takesFromId) return null;
  const next = await list.read({ limit: FEW_ROWS, fromId });
  if (next.rows.length === 0) return false;
  // Where `from_id` has another direction, the rows before the last one come again.
  return areAfter(next.rows.map(integerIdOf), fromId, direction) ? true : null;
}
