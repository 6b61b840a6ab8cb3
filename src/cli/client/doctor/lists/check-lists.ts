// Checks the lists that a caller can read: each by a few calls, and nested ones on the first objects that have rows.
import pLimit from 'p-limit';
import { pathIdsOf } from '../../../../loaders/identity.ts';
import type { Overrides } from '../../../../schema/model/overrides.ts';
import { OptiongraphError } from '../../../../upstream/errors.ts';
import type { OpenApi } from '../../open-api.ts';
import type { CheckResult, Observation } from '../check-result.ts';
import type { Check } from './check.ts';
import { checkFields } from './fields.ts';
import { type DescribedList, findLists, KnownObjects, requiredInputs } from './find-lists.ts';
import { checkIds } from './ids.ts';
import { checkIncludes } from './includes.ts';
import { checkLimits } from './limits.ts';
import { checkPaging } from './paging.ts';
import { ProbedList } from './probed-list.ts';
import { OverBudgetError, Reader } from './reader.ts';
import { takeSample } from './sample.ts';
import { checkValues } from './values.ts';

const CHECKS: readonly Check[] = [
  checkFields,
  checkIds,
  checkIncludes,
  checkLimits,
  checkPaging,
  checkValues,
];
/** Lists at once. */
const MAX_CONCURRENT = 4;
/** Objects on which a nested list is tried until one has rows. */
const MAX_PARENTS = 3;

/** What was seen in one list. */
interface Seen extends Observation {
  readonly where: string;
}

/**
 * Checks all lists.
 * @param onProgress Called after each list, with how many are done.
 */
export async function checkLists(
  api: OpenApi,
  overrides: Overrides,
  onProgress: (done: number, all: number) => void,
): Promise<readonly CheckResult[]> {
  const lists = findLists(api.served.description, overrides);
  const checker = new ListChecker(api, overrides);
  const atOnce = pLimit(MAX_CONCURRENT);
  const seen: Seen[] = [];
  let done = 0;
  // Each depth needs the ids of the one before.
  for (const level of byDepth(lists))
    await Promise.all(
      level.map((list) =>
        atOnce(async () => {
          seen.push(...(await checker.check(list)).map((one) => ({ ...one, where: list.action.scope })));
          done += 1;
          onProgress(done, lists.length);
        }),
      ),
    );
  const untried = new Set(seen.filter(isUntried).map(({ where }) => where));
  const summary = `${lists.length - untried.size} of ${lists.length} were examined`;
  return [
    { check: 'lists', result: 'ok', detail: summary },
    ...seen
      .filter(({ result }) => result === 'finding')
      .sort(byPlace)
      .map(toResult),
    ...group(seen.filter(({ result }) => result === 'ok')),
    ...group(seen.filter(isUntried)),
  ];
}

/** Checks lists, and remembers the objects that they answer. */
class ListChecker {
  readonly #api: OpenApi;
  readonly #overrides: Overrides;
  readonly #reader: Reader;
  readonly #known = new KnownObjects();

  constructor(api: OpenApi, overrides: Overrides) {
    this.#api = api;
    this.#overrides = overrides;
    this.#reader = new Reader(api);
  }

  async check(described: DescribedList): Promise<readonly Observation[]> {
    const inputs = requiredInputs(described.action);
    if (inputs.length > 0) return [untried(`lists that need an input: ${inputs.join(', ')}`)];
    const paths = this.#known.pathsFor(described);
    if (paths.length === 0) return [untried('lists on objects of which none is known to this caller')];
    try {
      return await this.#checkOnFirst(described, paths.slice(0, MAX_PARENTS));
    } catch (error) {
      if (error instanceof OverBudgetError) return [untried('lists for which no call was left')];
      throw error;
    }
  }

  /** Checks a list on the first object on which it has rows. */
  async #checkOnFirst(described: DescribedList, paths: ReturnType<KnownObjects['pathsFor']>) {
    const { metaNamespace } = this.#api.served.description;
    let last: readonly Observation[] = [];
    for (const pathIds of paths) {
      const list = new ProbedList({ ...described, pathIds }, this.#reader, metaNamespace);
      const sample = await takeSample(list);
      if (!('rows' in sample)) {
        last = [sample];
        continue;
      }
      if (sample.rows.length === 0) {
        last = [untried('what rows would show, in lists that are empty for this caller')];
        continue;
      }
      this.#remember(list, sample.rows);
      const input = { list, sample, schema: this.#api.served.schema, overrides: this.#overrides };
      const checks = CHECKS.map(async (check) => check(input));
      return [...sample.faults, ...(await settle(checks))];
    }
    return last;
  }

  #remember(list: ProbedList, rows: readonly Readonly<Record<string, unknown>>[]): void {
    const { resource } = list;
    const ids = rows.map((row) => list.idsOf(row)).filter((one) => one !== null);
    this.#known.add(
      resource,
      ids.slice(0, MAX_PARENTS).map((one) => pathIdsOf(resource.identity, one)),
    );
  }
}

/** Waits for all checks of a list. One that fails is one that was not made. */
async function settle(checks: readonly Promise<readonly Observation[]>[]): Promise<readonly Observation[]> {
  const settled = await Promise.all(
    checks.map((check) =>
      check.catch((error: unknown) => {
        if (error instanceof OverBudgetError) return [untried('checks for which no call was left')];
        if (error instanceof OptiongraphError)
          return [
            untried(
              `checks whose calls failed: ${error.status === undefined ? error.code : `HTTP ${error.status}`}`,
            ),
          ];
        throw error;
      }),
    ),
  );
  return settled.flat();
}

const untried = (detail: string): Observation => ({ result: 'untried', detail });
const isUntried = ({ result }: Observation): boolean => result === 'untried';
const byPlace = (a: Seen, b: Seen): number => (a.where < b.where ? -1 : Number(a.where > b.where));
const toResult = ({ result, where, ...seen }: Seen): CheckResult => ({
  check: 'lists',
  result,
  where,
  ...seen,
});

function byDepth(lists: readonly DescribedList[]): readonly (readonly DescribedList[])[] {
  const levels = new Map<number, DescribedList[]>();
  for (const list of lists) {
    const depth = list.action.path.placeholders.length;
    levels.set(depth, [...(levels.get(depth) ?? []), list]);
  }
  return [...levels.values()];
}

/** Joins what is equal but for the place. */
function group(seen: readonly Seen[]): readonly CheckResult[] {
  const groups = new Map<string, Seen[]>();
  for (const one of seen) groups.set(one.detail, [...(groups.get(one.detail) ?? []), one]);
  return [...groups.values()].flatMap((alike) => {
    const [first, ...others] = alike;
    if (first === undefined) return [];
    if (others.length === 0) return [toResult(first)];
    const { example: _example, ...shared } = first;
    return [toResult({ ...shared, where: [...new Set(alike.map(({ where }) => where))].sort().join(', ') })];
  });
}
