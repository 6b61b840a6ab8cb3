// Reads one list of the API for its checks: a few calls at once, and not more than a number in all.
import type { GraphQLSchema } from 'graphql';
import pLimit from 'p-limit';
import { idsOf, type PathIds } from '../../../../src/loaders/identity.ts';
import type { ResourceModel } from '../../../../src/schema/model/model.ts';
import type { Overrides } from '../../../../src/schema/model/overrides.ts';
import type {
  Action,
  Parameter,
  ResourceParameter,
} from '../../../../src/upstream/description/description.ts';
import type { ActionCall, ActionResult } from '../../../../src/upstream/http/action-client.ts';
import type { JsonObject } from '../../../../src/upstream/json.ts';
import type { OpenApi } from '../open-api.ts';
import type { Observation } from './observation.ts';

/** Calls at once. */
const MAX_CONCURRENT = 4;
/** Calls in all. A list takes about eight. */
const MAX_CALLS = 2_000;
/** Rows that are asked for at most. */
const MOST_ROWS = 1_000;
/** A limit that is smaller than most lists are. */
export const FEW_ROWS = 7;

/** The calls are used up. */
export class OverBudgetError extends Error {
  override readonly name = 'OverBudgetError';
}

/** Makes what calls actions that change nothing. It throws OverBudgetError when no call is left; else as `ActionClient` does. */
export function createReader({ read }: Pick<OpenApi, 'read'>, calls = MAX_CALLS): OpenApi['read'] {
  const limit = pLimit(MAX_CONCURRENT);
  let left = calls;
  return (call: ActionCall): Promise<ActionResult> =>
    limit(() => {
      if (left === 0) throw new OverBudgetError();
      left -= 1;
      return read(call);
    });
}

/** The rows that one call has answered. */
export interface Rows {
  readonly rows: readonly JsonObject[];
  /** Null where the API does not count, or was not asked to. */
  readonly total: number | null;
}

/** The rows on which all checks of a list work. */
export interface Sample extends Rows {
  /** The limit that was asked for; null for none. */
  readonly limit: number | null;
  /** What is wrong with reading them. */
  readonly faults: readonly Observation[];
}

/** A list, its rows, and the schema in which it is served. */
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
  findId(): string | null;
}

/** Finds what is wrong with a list. Rejects with OverBudgetError or UpstreamError when it cannot be made. */
export type Check = (input: CheckInput) => readonly Observation[] | Promise<readonly Observation[]>;

/** What a list is asked for. Default: nothing of it. */
export interface Asked {
  readonly limit?: number;
  readonly fromId?: number;
  readonly includes?: readonly string[];
  readonly count?: boolean;
  /** Values of further inputs. */
  readonly filter?: JsonObject;
}

/** A list that can be read on the objects whose ids its path has. */
export class ProbedList {
  readonly action: Action;
  readonly resource: ResourceModel;
  readonly #pathIds: PathIds;
  readonly #call: OpenApi['read'];
  readonly #metaNamespace: string;
  /** Reads that were made, by what they ask for. */
  readonly #reads = new Map<string, Promise<Rows>>();

  constructor(
    { action, resource }: Pick<ProbedList, 'action' | 'resource'>,
    pathIds: PathIds,
    call: OpenApi['read'],
    metaNamespace: string,
  ) {
    this.action = action;
    this.resource = resource;
    this.#pathIds = pathIds;
    this.#call = call;
    this.#metaNamespace = metaNamespace;
  }

  /** The largest limit that is asked for; null where the list takes none. */
  get largestLimit(): number | null {
    const limit = this.action.input.parameters.find(({ name }) => name === 'limit');
    if (limit === undefined || limit.type === 'Resource') return null;
    return Math.max(1, Math.min(MOST_ROWS, limit.validators.number?.max ?? MOST_ROWS));
  }

  /** Whether pages can begin behind an id. */
  get takesFromId(): boolean {
    return this.action.input.parameters.some(({ name }) => name === 'from_id');
  }

  /** The associations of its rows that can be included. */
  get associations(): readonly ResourceParameter[] {
    if (!this.action.metaInput.has('includes')) return [];
    return this.action.output.parameters.filter((one) => one.type === 'Resource');
  }

  /** Reads rows, once for all that ask for the same. @throws OverBudgetError, UpstreamError */
  read(asked: Asked): Promise<Rows> {
    const key = JSON.stringify(asked);
    const known = this.#reads.get(key) ?? this.readAgain(asked);
    this.#reads.set(key, known);
    return known;
  }

  /** Reads rows that may have been read before. @throws OverBudgetError, UpstreamError */
  async readAgain({ limit, fromId, includes = [], count = false, filter = {} }: Asked): Promise<Rows> {
    const path = this.action.path.placeholders.map((name) => this.#pathIds.get(name) ?? '');
    const input = {
      ...filter,
      ...(limit === undefined ? {} : { limit }),
      ...(fromId === undefined ? {} : { from_id: fromId }),
    };
    const meta = {
      ...(includes.length === 0 ? {} : { includes: includes.join(',') }),
      ...(count ? { count: true } : {}),
    };
    const { output, meta: answered } = await this.#call({ action: this.action, path, input, meta });
    const total = answered['total_count'];
    return { rows: Array.isArray(output) ? output : [], total: typeof total === 'number' ? total : null };
  }

  /** Reads the object of a row. Null where the API describes no such action, or the row's ids are not known. */
  async show(row: JsonObject): Promise<JsonObject | null> {
    const { show } = this.resource.identity;
    const path = this.idsOf(row);
    if (show === null || path === null || path.length !== show.path.placeholders.length) return null;
    const { output } = await this.#call({ action: show, path, input: {}, meta: {} });
    return Array.isArray(output) ? null : (output as JsonObject | null);
  }

  /** The ids of a row; null where they cannot be known. */
  idsOf(row: JsonObject): readonly string[] | null {
    return idsOf(this.resource.identity, row, this.metaOf(row), this.#pathIds);
  }

  /** The metadata of a row or an association. */
  metaOf(value: JsonObject): unknown {
    return value[this.#metaNamespace];
  }
}
