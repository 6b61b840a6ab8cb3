// Checks the lists that a caller can read: each by a few calls, and nested ones on the first objects that have rows.
import pLimit from 'p-limit';
import { type PathIds, pathIdsOf } from '../../../../src/loaders/identity.ts';
import { returnsRows } from '../../../../src/schema/model/list-paging.ts';
import { createModel, type Model, type ResourceModel } from '../../../../src/schema/model/model.ts';
import type { Overrides } from '../../../../src/schema/model/overrides.ts';
import { Report } from '../../../../src/schema/model/report.ts';
import { filteredOutputOf } from '../../../../src/schema/names/edge-names.ts';
import { reserveNames } from '../../../../src/schema/names/naming.ts';
import type { Action, Description } from '../../../../src/upstream/description/description.ts';
import type { OpenApi } from '../open-api.ts';
import { checkFilters } from './check-filters.ts';
import { checkIncludes } from './check-includes.ts';
import { checkLimits } from './check-limits.ts';
import { checkOrder } from './check-order.ts';
import { checkIds, checkOutputs, checkValues } from './check-rows.ts';
import { type CheckResult, describeFailure, failureOf, type Observation, untried } from './observation.ts';
import { type Check, createReader, type EdgeOfList, OverBudgetError, ProbedList } from './probed-list.ts';
import { takeSample } from './take-sample.ts';

const CHECKS: readonly Check[] = [
  checkOutputs,
  checkIds,
  checkIncludes,
  checkFilters,
  checkLimits,
  checkOrder,
  checkValues,
];
/** Lists at once. */
const MAX_CONCURRENT = 4;
/** Objects on which a nested list is tried until one has rows. */
const MAX_PARENTS = 3;

interface DescribedList {
  readonly action: Action;
  readonly resource: ResourceModel;
}

/** What was seen in one list. */
type Seen = Observation & { readonly where: string };

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
  for (const level of groupBy(lists, depthOf).values())
    await Promise.all(
      level.map((list) =>
        atOnce(async () => {
          seen.push(...(await checker.check(list)).map((one) => ({ ...one, where: list.action.scope })));
          done += 1;
          onProgress(done, lists.length);
        }),
      ),
    );
  const of = (wanted: Observation['result']): readonly Seen[] =>
    seen.filter(({ result }) => result === wanted);
  const missed = new Set(of('untried').map(({ where }) => where)).size;
  const results: readonly Observation[] = [
    { result: 'ok', detail: `${lists.length - missed} of ${lists.length} were examined` },
    ...[...of('finding')].sort((a, b) => (a.where < b.where ? -1 : Number(a.where > b.where))),
    ...joinAlike(of('ok')),
    ...joinAlike(of('untried')),
  ];
  return results.map((one) => ({ check: 'lists', ...one }));
}

/** The lists of a description. Those whose objects have the ids for the paths of others come before these. */
function findLists(description: Description, overrides: Overrides): readonly DescribedList[] {
  const model: Model = createModel(description, overrides, reserveNames([]), new Report());
  const lists = [...model.values()].flatMap((resource) =>
    resource.reads
      .filter((action) => action.method === 'GET' && returnsRows(action))
      .map((action) => ({ action, resource })),
  );
  return lists.sort((a, b) => depthOf(a) - depthOf(b));
}

const depthOf = ({ action }: DescribedList): number => action.path.placeholders.length;

function groupBy<Item, Key>(
  items: readonly Item[],
  keyOf: (item: Item) => Key,
): ReadonlyMap<Key, readonly Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}

/** Joins what is equal but for the place. */
const joinAlike = (seen: readonly Seen[]): readonly Observation[] =>
  [...groupBy(seen, ({ detail }) => detail).values()].flatMap((alike) => {
    const [first, ...others] = alike;
    if (first === undefined || others.length === 0) return alike;
    const { example: _example, ...shared } = first;
    return [{ ...shared, where: [...new Set(alike.map(({ where }) => where))].sort().join(', ') }];
  });

/** Checks lists, and remembers the objects that they answer. */
class ListChecker {
  readonly #api: OpenApi;
  readonly #overrides: Overrides;
  readonly #call: OpenApi['read'];
  /** The ids of some objects by the dotted path of their resource. The paths of nested lists need them. */
  readonly #known = new Map<string, readonly PathIds[]>();

  constructor(api: OpenApi, overrides: Overrides) {
    this.#api = api;
    this.#overrides = overrides;
    this.#call = createReader(api);
  }

  async check(described: DescribedList): Promise<readonly Observation[]> {
    const inputs = described.action.input.parameters.filter(({ required }) => required);
    if (inputs.length > 0)
      return [untried(`lists that need an input: ${inputs.map(({ name }) => name).join(', ')}`)];
    const paths = this.#pathsFor(described);
    if (paths.length === 0) return [untried('lists on objects, because this caller knows no such object')];
    try {
      return await this.#checkOnFirst(described, paths.slice(0, MAX_PARENTS));
    } catch (error) {
      if (error instanceof OverBudgetError) return [untried('lists for which no call was left')];
      throw error;
    }
  }

  /** Checks a list on the first object on which it has rows. */
  async #checkOnFirst(described: DescribedList, paths: readonly PathIds[]): Promise<readonly Observation[]> {
    const { description, schema } = this.#api.served;
    const edges = this.#edgesOf(described);
    let last: readonly Observation[] = [];
    for (const pathIds of paths) {
      const list = new ProbedList(described, pathIds, this.#call, description.metaNamespace);
      const sample = await takeSample(list);
      if (!('rows' in sample)) last = [sample];
      else if (sample.rows.length === 0)
        last = [untried('what rows would show, in lists that are empty for this caller')];
      else {
        this.#remember(list, sample.rows);
        const input = { list, sample, schema, edges, overrides: this.#overrides };
        const seen = await Promise.all(CHECKS.map(async (check) => check(input)).map(settle));
        return [...sample.faults, ...seen.flat()];
      }
    }
    return last;
  }

  /** The reverse edges that read a list, without those that overrides drop. */
  #edgesOf({ action }: DescribedList): readonly EdgeOfList[] {
    const { edges } = this.#api.served.basis.assembled.assembly;
    const inputs = new Set(action.input.parameters.map(({ name }) => name));
    return edges
      .filter(({ index, parameter }) => index.scope === action.scope && inputs.has(parameter.name))
      .map((edge) => ({
        filter: edge.parameter.name,
        coordinate: `${edge.target.typeName}.${edge.name}`,
        association: filteredOutputOf(edge) ?? null,
        findId: () => {
          const [ids] = this.#known.get(edge.target.path.join('.')) ?? [];
          return [...(ids?.values() ?? [])].at(-1) ?? null;
        },
      }))
      .filter(({ coordinate }) => this.#overrides.dropEdges?.includes(coordinate) !== true);
  }

  #remember(list: ProbedList, rows: readonly Readonly<Record<string, unknown>>[]): void {
    const { path, identity } = list.resource;
    const ids = rows.map((row) => list.idsOf(row)).filter((one) => one !== null);
    if (ids.length === 0 || this.#known.has(path.join('.'))) return;
    this.#known.set(
      path.join('.'),
      ids.slice(0, MAX_PARENTS).map((one) => pathIdsOf(identity, one)),
    );
  }

  /** The ids for the path of a list, one for each object that has the list; empty where no such object is known. */
  #pathsFor({ action, resource }: DescribedList): readonly PathIds[] {
    const { placeholders } = action.path;
    if (placeholders.length === 0) return [new Map()];
    for (let owner: ResourceModel | null = resource; owner !== null; owner = owner.parent) {
      const known = this.#known.get(owner.path.join('.')) ?? [];
      const fitting = known.filter((ids) => placeholders.every((name) => ids.has(name)));
      if (fitting.length > 0) return fitting;
    }
    return [];
  }
}

/** Waits for a check. One that fails is one that was not made. */
const settle = (check: Promise<readonly Observation[]>): Promise<readonly Observation[]> =>
  check.catch((error: unknown) => [
    untried(
      error instanceof OverBudgetError
        ? 'checks for which no call was left'
        : `checks whose calls failed: ${describeFailure(failureOf(error))}`,
    ),
  ]);
