// Reads the rows on which all checks of a list work, and finds out why they cannot be read.
import type { OptiongraphError } from '../../../../src/index.ts';
import {
  describeFailure,
  failureOf,
  finding,
  type Observation,
  refusedInputs,
  untried,
} from './observation.ts';
import type { Asked, ProbedList, Rows } from './probed-list.ts';

/** The rows on which all checks of a list work. */
export interface Sample extends Rows {
  /** The limit that was asked for; null for none. */
  readonly limit: number | null;
  /** What is wrong with reading them. */
  readonly faults: readonly Observation[];
}

/** A small limit, for lists that fail with a large one. */
const SMALL_LIMIT = 25;
const DESCRIBE_LIMIT = 'let the API describe the largest limit by a validator of the parameter';
const SEE_LOG = "see the API's log for this call";

/** Reads a sample, or says why the list cannot be read. @throws OverBudgetError */
export async function takeSample(list: ProbedList): Promise<Sample | Observation> {
  const { largestLimit: limit } = list;
  const rows: Asked = limit === null ? {} : { limit };
  const count = list.action.metaInput.has('count');
  try {
    return { ...(await list.read({ ...rows, count })), limit, faults: [] };
  } catch (error) {
    const failure = failureOf(error);
    const withoutCount = count ? await attempt(list, rows) : null;
    if (withoutCount !== null) {
      const detail = 'the list can be read, but not with its count';
      const fault = finding(detail, describeFailure(failure), `totalCount is null; ${SEE_LOG}`);
      return { ...withoutCount, limit, faults: [fault] };
    }
    if (limit === null) return unreadable(failure);
    const { good, rows: read } = await findReadable(list, limit);
    if (read === null) return unreadable(failure);
    const last = await list.read({ limit: good + 1 }).then(() => failure, failureOf);
    return { ...read, limit: good, faults: [stopsAt(good, last)] };
  }
}

/** The largest limit with which a list can be read, found by halving. */
async function findReadable(list: ProbedList, failing: number) {
  let [good, bad] = [0, failing];
  let rows: Rows | null = null;
  let limit = Math.min(SMALL_LIMIT, failing - 1);
  while (limit > good && limit < bad) {
    const read = await attempt(list, { limit });
    if (read === null) bad = limit;
    else [good, rows] = [limit, read];
    // A list that cannot be read at all is not searched.
    limit = rows === null && limit > 1 ? 1 : Math.floor((good + bad) / 2);
  }
  return { good, rows };
}

const attempt = (list: ProbedList, asked: Asked): Promise<Rows | null> =>
  list.read(asked).catch((error: unknown) => {
    failureOf(error);
    return null;
  });

function unreadable(failure: OptiongraphError): Observation {
  const inputs = refusedInputs(failure) ?? [];
  if (inputs.length > 0) return untried(`lists that the API reads only with an input: ${inputs.join(', ')}`);
  const example = describeFailure(failure);
  return failure.status === 403 || failure.status === 401
    ? finding(
        'the list is described to this caller, and refused',
        example,
        'give the caller the right to it, or leave it out with the setting hide',
      )
    : finding('the list cannot be read, with any limit', example, SEE_LOG);
}

function stopsAt(good: number, failure: OptiongraphError): Observation {
  const example = `limit ${good} is answered, limit ${good + 1} fails with ${describeFailure(failure)}`;
  return refusedInputs(failure)?.includes('limit') === true
    ? finding('the list refuses limits that its description allows', example, DESCRIBE_LIMIT)
    : finding(
        `the list fails as a whole with more than its first ${good} rows, as with one broken row`,
        example,
        `repair row ${good + 1} of the list in the API`,
      );
}
