// Checks that associations can be included in a list.
import type { ResourceParameter } from '../../../../src/upstream/description/description.ts';
import { ActionFailedError } from '../../../../src/upstream/errors.ts';
import { isObject, type JsonObject } from '../../../../src/upstream/json.ts';
import { finding, type Observation } from './observation.ts';
import type { Check, ProbedList } from './probed-list.ts';

/** Rows that are read with associations. */
const ROWS = 25;

/** Reads the list with all associations at once, and one by one if that fails. */
export const checkIncludes: Check = async ({ list, sample }) => {
  const { associations } = list;
  if (associations.length === 0 || sample.rows.length === 0) return [];
  const limit = sample.limit === null ? {} : { limit: Math.min(ROWS, sample.limit) };
  /** The rows, or the refusal of the API. */
  const readWith = (included: readonly ResourceParameter[]) =>
    list.read({ ...limit, includes: included.map(({ name }) => name) }).catch((error: unknown) => {
      if (error instanceof ActionFailedError) return error;
      throw error;
    });
  const all = await readWith(associations);
  if (!(all instanceof ActionFailedError))
    return associations.flatMap((one) => missingIn(all.rows, one, list));
  const alone = associations.map(async (one) => {
    const read = await readWith([one]);
    return read instanceof ActionFailedError ? [failing(one, read)] : missingIn(read.rows, one, list);
  });
  return (await Promise.all(alone)).flat();
};

const failing = ({ name }: ResourceParameter, { status }: ActionFailedError): Observation =>
  finding(
    `the list fails with the association "${name}" included, and can be read without`,
    `includes=${name}: HTTP ${status}`,
    'Optiongraph reads it again without, and the associated objects by calls of their own; repair it in the API',
  );

/** Finds out whether no row has the whole object of an association. */
function missingIn(
  rows: readonly JsonObject[],
  { name, valueId, valueLabel }: ResourceParameter,
  list: ProbedList,
): readonly Observation[] {
  const seen = rows.map((row) => row[name]).filter((value) => isObject(value) && valueId in value);
  const isWhole = (value: JsonObject): boolean => {
    const meta = list.metaOf(value);
    if (isObject(meta) && typeof meta['resolved'] === 'boolean') return meta['resolved'];
    return Object.keys(value).some((key) => key !== valueId && key !== valueLabel && meta !== value[key]);
  };
  if (seen.length === 0 || seen.some((value) => isWhole(value as JsonObject))) return [];
  return [
    {
      result: 'ok',
      detail: `the association "${name}" costs calls of its own, because the list offers to include it, and does not`,
      example: `includes=${name}: 0 of ${seen.length} rows have it`,
    },
  ];
}
