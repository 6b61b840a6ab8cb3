// Checks the lists that a caller can read: each by a few calls, and nested ones on the first objects that have rows.
import { type GraphQLSchema, isObjectType } from 'graphql';
import pLimit from 'p-limit';
import { type Overrides, originOf, resourceOf } from '../../../../src/index.ts';
import type { OpenApi } from '../client/open-api.ts';
import { type Parameter, resourcesIn } from '../description.ts';
import type { JsonObject } from '../output/values.ts';
import { type CheckResult, describeFailure, failureOf, type Observation, untried } from './observation.ts';
import { checkFilters, checkLimits, checkOrder } from './page-checks.ts';
import {
  createReader,
  type DescribedList,
  OverBudgetError,
  type PathIds,
  ProbedList,
} from './probed-list.ts';
import { checkIds, checkIncludes, checkOutputs, checkValues } from './row-checks.ts';
import { type Sample, takeSample } from './sample.ts';

/** A list with rows, and the schema in which it is served. */
export interface CheckInput {
  readonly list: ProbedList;
  readonly sample: Sample;
  readonly schema: GraphQLSchema;
  /** The reverse edges that read the list. */
  readonly edges: readonly EdgeOfList[];
  /** The overrides in use. What they settle is not found again. */
  readonly overrides: Overrides;
}

/** A reverse edge: the list, filtered by an object. */
export interface EdgeOfList {
  /** The input that filters. */
  readonly filter: string;
  /** The type and the field, e.g. `Author.books`. */
  readonly coordinate: string;
  /** The output of the rows that has the object; null where they do not show it. */
  readonly association: Parameter | null;
  /** The id of an object that another list has shown; null where none has. */
  readonly knownId: string | null;
}

/** Finds what is wrong with a list. Rejects with OverBudgetError or OptiongraphError when it cannot be made. */
export type Check = (input: CheckInput) => readonly Observation[] | Promise<readonly Observation[]>;

const CHECKS: readonly Check[] = [
  ...[checkOutputs, checkIds, checkIncludes],
  ...[checkFilters, checkLimits, checkOrder, checkValues],
];
/** Lists at once. */
const MAX_CONCURRENT = 4;
/** Objects on which a nested list is tried until one has rows. */
const MAX_PARENTS = 3;

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
  const lists = findLists(api, overrides);
  const checker = new ListChecker(api, overrides);
  const atOnce = pLimit(MAX_CONCURRENT);
  const seen: Seen[] = [];
  let done = 0;
  // Each depth needs the ids of the one before.
  for (const level of groupBy(lists, ({ action }) => action.path.placeholders.length).values())
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
    ...joinAlike(of('untried')),
  ];
  return results.map((one) => ({ check: 'lists', ...one }));
}

/** The lists of a description. Those whose objects have the ids for the paths of others come before these. */
function findLists({ served }: OpenApi, { pathIds = {} }: Overrides): readonly DescribedList[] {
  const lists = resourcesIn(served.description).flatMap((resource) => {
    const declared = pathIds[resource.path.join('.')];
    const isIdDeclared = declared !== undefined;
    return resource.actions
      .filter(
        ({ method, output, blocking }) =>
          method === 'GET' && !blocking && output.layout.endsWith('_list') && output.parameters.length > 0,
      )
      .map((action) => ({ action, resource, idParameter: declared ?? 'id', isIdDeclared }));
  });
  const depthOf = ({ action }: DescribedList): number => action.path.placeholders.length;
  return lists.sort((a, b) => depthOf(a) - depthOf(b) || (a.action.scope < b.action.scope ? -1 : 1));
}

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
      return await this.#checkOnFirst(described, paths);
    } catch (error) {
      if (error instanceof OverBudgetError) return [untried('lists for which no call was left')];
      throw error;
    }
  }

  /** Checks a list on the first object on which it has rows. */
  async #checkOnFirst(described: DescribedList, paths: readonly PathIds[]): Promise<readonly Observation[]> {
    const { description, schema } = this.#api.served;
    let last: readonly Observation[] = [];
    for (const pathIds of paths) {
      const list = new ProbedList(described, pathIds, this.#call, description.metaNamespace);
      const sample = await takeSample(list);
      if (!('rows' in sample)) last = [sample];
      else if (sample.rows.length === 0)
        last = [untried('what rows would show, in lists that are empty for this caller')];
      else {
        this.#remember(list, sample.rows);
        const edges = this.#edgesOf(described);
        const input = { list, sample, schema, edges, overrides: this.#overrides };
        const seen = await Promise.all(CHECKS.map(async (check) => check(input)).map(settle));
        return [...sample.faults, ...seen.flat()];
      }
    }
    return last;
  }

  /** The reverse edges that read a list. */
  #edgesOf({ action }: DescribedList): readonly EdgeOfList[] {
    const { schema } = this.#api.served;
    return Object.values(schema.getTypeMap()).flatMap((type) => {
      const target = resourceOf(type)?.join('.');
      if (!isObjectType(type) || target === undefined) return [];
      return Object.values(type.getFields()).flatMap((field): readonly EdgeOfList[] => {
        const [scope, filter] = originOf(field)?.split(' ') ?? [];
        if (scope !== action.scope || filter === undefined) return [];
        const association =
          action.output.parameters.find(({ name }) => name === filter) ??
          action.output.parameters.find(
            (one) => one.type === 'Resource' && one.resource.join('.') === target,
          );
        const [known] = this.#known.get(target) ?? [];
        const knownId = [...(known?.values() ?? [])].at(-1) ?? null;
        const coordinate = `${type.name}.${field.name}`;
        return [{ filter, coordinate, association: association ?? null, knownId }];
      });
    });
  }

  #remember(list: ProbedList, rows: readonly JsonObject[]): void {
    const path = list.resource.path.join('.');
    const ids = rows.map((row) => list.idsOf(row)).filter((one) => one !== null);
    if (ids.length > 0 && !this.#known.has(path)) this.#known.set(path, ids.slice(0, MAX_PARENTS));
  }

  /** The ids for the path of a list, one for each object that has the list; empty where no such object is known. */
  #pathsFor({ action, resource }: DescribedList): readonly PathIds[] {
    const { placeholders } = action.path;
    if (placeholders.length === 0) return [new Map()];
    for (let depth = resource.path.length; depth > 0; depth -= 1) {
      const known = this.#known.get(resource.path.slice(0, depth).join('.')) ?? [];
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
