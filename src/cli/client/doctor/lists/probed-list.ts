// One list of the API as its checks read it.
import { idsOf, type PathIds } from '../../../../loaders/identity.ts';
import type { ResourceModel } from '../../../../schema/model/model.ts';
import type { Action, ResourceParameter } from '../../../../upstream/description/description.ts';
import type { JsonObject } from '../../../../upstream/json.ts';
import type { Reader } from './reader.ts';

/** Rows that are asked for at most. */
const MOST_ROWS = 1_000;

/** The rows that one call has answered. */
export interface Rows {
  readonly rows: readonly JsonObject[];
  /** Null where the API does not count, or was not asked to. */
  readonly total: number | null;
}

/** What a list is asked for. */
export interface Asked {
  /** Default: none. */
  readonly limit?: number;
  /** Default: none. */
  readonly fromId?: number;
  readonly includes?: readonly string[];
  /** Default: false. */
  readonly count?: boolean;
}

/** A list, and the objects whose ids its path has. */
export interface ListPlace {
  readonly action: Action;
  readonly resource: ResourceModel;
  /** Ids of the objects above, by placeholder. */
  readonly pathIds: PathIds;
}

/** A list that can be read. */
export class ProbedList implements ListPlace {
  readonly action: Action;
  readonly resource: ResourceModel;
  readonly pathIds: PathIds;
  readonly #reader: Reader;
  readonly #metaNamespace: string;
  readonly #inputs: ReadonlySet<string>;
  /** Reads that were made, by what they ask for. */
  readonly #reads = new Map<string, Promise<Rows>>();

  constructor({ action, resource, pathIds }: ListPlace, reader: Reader, metaNamespace: string) {
    this.action = action;
    this.resource = resource;
    this.pathIds = pathIds;
    this.#reader = reader;
    this.#metaNamespace = metaNamespace;
    this.#inputs = new Set(action.input.parameters.map(({ name }) => name));
  }

  get scope(): string {
    return this.action.scope;
  }

  /** The largest limit that is asked for; null where the list takes none. */
  get largestLimit(): number | null {
    const limit = this.action.input.parameters.find(({ name }) => name === 'limit');
    if (limit === undefined || limit.type === 'Resource') return null;
    return Math.max(1, Math.min(MOST_ROWS, limit.validators.number?.max ?? MOST_ROWS));
  }

  /** Whether it takes an input parameter. */
  takes(parameter: string): boolean {
    return this.#inputs.has(parameter);
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
  async readAgain({ limit, fromId, includes = [], count = false }: Asked): Promise<Rows> {
    const { action, pathIds } = this;
    const path = action.path.placeholders.map((name) => pathIds.get(name) ?? '');
    const input = {
      ...(limit === undefined ? {} : { limit }),
      ...(fromId === undefined ? {} : { from_id: fromId }),
    };
    const meta = {
      ...(includes.length === 0 ? {} : { includes: includes.join(',') }),
      ...(count ? { count: true } : {}),
    };
    const { output, meta: answered } = await this.#reader.read({ action, path, input, meta });
    const total = answered['total_count'];
    return {
      rows: Array.isArray(output) ? output : [],
      total: typeof total === 'number' ? total : null,
    };
  }

  /** Reads the object of a row. Null where the API describes no such action, or the row's ids are not known. */
  async show(row: JsonObject): Promise<JsonObject | null> {
    const { show } = this.resource.identity;
    const ids = this.idsOf(row);
    if (show === null || ids === null || ids.length !== show.path.placeholders.length) return null;
    const { output } = await this.#reader.read({ action: show, path: ids, input: {}, meta: {} });
    return Array.isArray(output) ? null : (output as JsonObject | null);
  }

  /** The ids of a row; null where they cannot be known. */
  idsOf(row: JsonObject): readonly string[] | null {
    return idsOf(this.resource.identity, row, row[this.#metaNamespace], this.pathIds);
  }

  /** The metadata of a row or an association. */
  metaOf(value: JsonObject): unknown {
    return value[this.#metaNamespace];
  }
}

/** The integer id of a row; null where it has none. */
export const integerId = ({ id }: JsonObject): number | null =>
  typeof id === 'number' && Number.isSafeInteger(id) ? id : null;
