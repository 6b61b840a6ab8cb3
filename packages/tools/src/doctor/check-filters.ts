// Checks that a list can be read and counted for one object, as the reverse edge of that object does.
import { ActionFailedError } from '../../../../src/upstream/errors.ts';
import { isObject, type JsonObject } from '../../../../src/upstream/json.ts';
import { describeFailure, failureOf, finding, type Observation } from './observation.ts';
import type { Check, CheckInput, EdgeOfList } from './probed-list.ts';

/** Rows that are asked for. */
const ROWS = 25;

/** Reads the list with the filter of each reverse edge, and with the count. */
export const checkFilters: Check = async (input) =>
  (await Promise.all(input.edges.map((edge) => checkFilter(edge, input)))).flat();

async function checkFilter(edge: EdgeOfList, { list, sample }: CheckInput): Promise<readonly Observation[]> {
  const id = associatedId(edge, sample.rows) ?? edge.findId();
  if (id === null) return [];
  const limit = sample.limit === null ? {} : { limit: Math.min(ROWS, sample.limit) };
  const asked = { ...limit, filter: { [edge.filter]: id } };
  const count = list.action.metaInput.has('count');
  const fails = (isCounted: boolean) => list.read({ ...asked, count: isCounted }).then(() => null, failureOf);
  const failure = await fails(count);
  if (failure === null) return [];
  // A list that wants other inputs beside the filter is none that fails.
  if (failure instanceof ActionFailedError && [...failure.errors.keys()].some((name) => name !== edge.filter))
    return [];
  const filtered = `the list with the filter "${edge.filter}"`;
  if (count && (await fails(false)) === null)
    return [
      finding(
        `${filtered} can be read, but not with its count`,
        `${edge.coordinate}: ${describeFailure(failure)}`,
        "totalCount is null; see the API's log for this call",
      ),
    ];
  return [
    finding(
      `${filtered} cannot be read`,
      `${edge.coordinate}: ${describeFailure(failure)}`,
      `override "dropEdges": ${JSON.stringify([edge.coordinate])}; better, repair the filter in the API`,
    ),
  ];
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
