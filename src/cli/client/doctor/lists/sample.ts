// Reads the rows on which all checks of a list work, and finds out why they cannot be read.

import { ActionFailedError, OptiongraphError } from '../../../../upstream/errors.ts';
import type { Observation } from '../check-result.ts';
import type { Asked, ProbedList, Rows } from './probed-list.ts';

/** The rows of a list, as far as they can be read. */
export interface Sample extends Rows {
  /** The limit that was asked for; null for none. */
  readonly limit: number | null;
  /** What is wrong with reading them. */
  readonly faults: readonly Observation[];
}

/** A small limit, for lists that fail with a large one. */
const SMALL_LIMIT = 25;

/** Reads a sample. Null rows: the list cannot be read. @throws OverBudgetError */
export async function takeSample(list: ProbedList): Promise<Sample | Observation> {
  const { largestLimit: limit } = list;
  const rows: Asked = limit === null ? {} : { limit };
  const count = list.action.metaInput.has('count');
  try {
    return { ...(await list.read({ ...rows, count })), limit, faults: [] };
  } catch (error) {
    const failure = known(error);
    const withoutCount = count ? await attempt(list, rows) : null;
    if (withoutCount !== null) return { ...withoutCount, limit, faults: [countFails(failure)] };
    if (limit === null) return unreadable(failure);
    const { good, rows: read } = await findReadable(list, limit);
    if (read === null) return unreadable(failure);
    const last = await list.read({ limit: good + 1 }).then(() => failure, known);
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
    known(error);
    return null;
  });

/** Passes on what is no failure of the API. */
function known(error: unknown): OptiongraphError {
  if (error instanceof OptiongraphError) return error;
  throw error;
}

function unreadable(failure: OptiongraphError): Observation {
  const inputs = failure instanceof ActionFailedError ? [...failure.errors.keys()] : [];
  if (inputs.length > 0)
    return { result: 'untried', detail: `lists that the API reads only with an input: ${inputs.join(', ')}` };
  const isRefused = failure.status === 403 || failure.status === 401;
  return {
    result: 'finding',
    detail: isRefused
      ? 'the list is described to this caller, and refused'
      : 'the list cannot be read, with any limit',
    example: seen(failure),
    remedy: isRefused
      ? 'give the caller the right to it, or leave it out with --hide'
      : "see the API's log for this call",
  };
}

const countFails = (failure: OptiongraphError): Observation => ({
  result: 'finding',
  detail: 'the list can be read, but not with its count',
  example: seen(failure),
  remedy: "do not select totalCount; see the API's log for this call",
});

function stopsAt(good: number, failure: OptiongraphError): Observation {
  const isLimit = failure instanceof ActionFailedError && failure.errors.has('limit');
  const example = `limit ${good} is answered, limit ${good + 1} fails with ${seen(failure)}`;
  return isLimit
    ? {
        result: 'finding',
        detail: 'the list refuses limits that its description allows',
        example,
        remedy: 'let the API describe the largest limit by a validator of the parameter',
      }
    : {
        result: 'finding',
        detail: `the list fails as a whole with more than its first ${good} rows, as with one broken row`,
        example,
        remedy: `repair row ${good + 1} of the list in the API`,
      };
}

const seen = ({ status, code }: OptiongraphError): string => (status === undefined ? code : `HTTP ${status}`);
