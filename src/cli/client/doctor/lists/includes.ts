// Checks that associations can be included in a list.
import type { ResourceParameter } from '../../../../upstream/description/description.ts';
import { ActionFailedError } from '../../../../upstream/errors.ts';
import { isObject, type JsonObject } from '../../../../upstream/json.ts';
import type { Observation } from '../check-result.ts';
import type { Check } from './check.ts';
import type { ProbedList } from './probed-list.ts';

/** Rows that are read with associations. */
const ROWS = 25;

/** Reads the list with all associations at once, and one by one if that fails. */
export const checkIncludes: Check = async ({ list, sample }) => {
  const { associations } = list;
  const limit = sample.limit === null ? {} : { limit: Math.min(ROWS, sample.limit) };
  if (associations.length === 0 || sample.rows.length === 0) return [];
  const readWith = (included: readonly ResourceParameter[]) =>
    list.read({ ...limit, includes: included.map(({ name }) => name) });
  const rows = await readWith(associations).then(
    (read) => read.rows,
    (error: unknown) => ignoreRefusal(error),
  );
  if (rows !== null) return associations.flatMap((one) => missingIn(rows, one, list));
  const observations = associations.map(async (one) =>
    readWith([one]).then(
      (read) => missingIn(read.rows, one, list),
      (error: unknown) => {
        ignoreRefusal(error);
        return [failing(one, error)];
      },
    ),
  );
  return (await Promise.all(observations)).flat();
};

function ignoreRefusal(error: unknown): null {
  if (error instanceof ActionFailedError) return null;
  throw error;
}

const failing = ({ name }: ResourceParameter, error: unknown): Observation => ({
  result: 'finding',
  detail: `the list fails with the association "${name}" included, and can be read without`,
  example: error instanceof ActionFailedError ? `includes=${name}: HTTP ${error.status}` : `includes=${name}`,
  remedy:
    'Optiongraph reads it again without, and the associated objects by calls of their own; repair it in the API',
});

/** Finds out whether no row has the whole object of an association. */
function missingIn(
  rows: readonly JsonObject[],
  parameter: ResourceParameter,
  list: ProbedList,
): readonly Observation[] {
  const { name, valueId, valueLabel } = parameter;
  const values = rows.map((row) => row[name]).filter(isObject);
  const seen = values.filter((value) => valueId in value);
  const isWhole = (value: JsonObject): boolean => {
    const meta = list.metaOf(value);
    if (isObject(meta) && typeof meta['resolved'] === 'boolean') return meta['resolved'];
    return Object.keys(value).some(
      (key) => key !== valueId && key !== valueLabel && list.metaOf(value) !== value[key],
    );
  };
  if (seen.length === 0 || seen.some(isWhole)) return [];
  return [
    {
      result: 'ok',
      detail: `the association "${name}" costs calls of its own, because the list offers to include it, and does not`,
      example: `includes=${name}: 0 of ${seen.length} rows have it`,
    },
  ];
}
