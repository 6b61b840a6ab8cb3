// Reads one list of the API for its checks: a few calls at once, and not more than a number in all.
import pLimit from 'p-limit';
import type { OpenApi } from '../client/open-api.ts';
import type { Action, Parameter, Resource } from '../description.ts';
import { isObject, type JsonObject } from '../output/values.ts';

/** Calls at once. */
const MAX_CONCURRENT = 4;
/** Calls in all. A list takes about eight. */
const MAX_CALLS = 2_000;
/** Rows that are asked for at most. */
const MOST_ROWS = 1_000;

/** The calls are used up. */
export class OverBudgetError extends Error {
  override readonly name = 'OverBudgetError';
}

/** Makes what calls actions that change nothing. It throws OverBudgetError when no call is left; else as `read` of an API does. */
export function createReader({ read }: Pick<OpenApi, 'read'>, calls = MAX_CALLS): OpenApi['read'] {
  const limit = pLimit(MAX_CONCURRENT);
  let left = calls;
  return (call) =>
    limit(() => {
      if (left === 0) throw new OverBudgetError();
      left -= 1;
      return read(call);
    });
}

/** A described list. */
export interface DescribedList {
  readonly action: Action;
  readonly resource: Resource;
  /** The output that is the id in the path of an object. */
  readonly idParameter: string;
  /** Whether `idParameter` is one that the overrides name. */
  readonly isIdDeclared: boolean;
}

/** Known ids by placeholder. */
export type PathIds = ReadonlyMap<string, string>;

/** An association of rows. */
export type Association = Extract<Parameter, { readonly type: 'Resource' }>;

/** The rows that one call has answered. */
export interface Rows {
  readonly rows: readonly JsonObject[];
  /** Null where the API does not count, or was not asked to. */
  readonly total: number | null;
}

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
  readonly resource: Resource;
  /** The action that reads one object of the list; null where the API describes none. */
  readonly show: Action | null;
  /** The placeholders of the path of an object. */
  readonly placeholders: readonly string[];
  readonly #idParameter: string | null;
  readonly #pathIds: PathIds;
  readonly #call: OpenApi['read'];
  readonly #metaNamespace: string;
  /** Reads that were made, by what they ask for. */
  readonly #reads = new Map<string, Promise<Rows>>();

  constructor(described: DescribedList, pathIds: PathIds, call: OpenApi['read'], metaNamespace: string) {
    const { action, resource, idParameter, isIdDeclared } = described;
    this.action = action;
    this.resource = resource;
    this.show = resource.actions.find(({ name, method }) => name === 'show' && method === 'GET') ?? null;
    const idName = `${resource.name}_id`;
    this.placeholders = this.show?.path.placeholders ?? [...action.path.placeholders, idName];
    const isId = isIdDeclared || ['id', idName].includes(this.placeholders.at(-1) ?? '');
    this.#idParameter = isId ? idParameter : null;
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
  get associations(): readonly Association[] {
    if (!this.action.metaInput.has('includes')) return [];
    return this.action.output.parameters.filter((one) => one.type === 'Resource');
  }

  /** Reads rows, once for all that ask for the same. @throws OverBudgetError, OptiongraphError */
  read(asked: Asked): Promise<Rows> {
    const key = JSON.stringify(asked);
    const known = this.#reads.get(key) ?? this.readAgain(asked);
    this.#reads.set(key, known);
    return known;
  }

  /** Reads rows that may have been read before. @throws OverBudgetError, OptiongraphError */
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
  async showRow(row: JsonObject): Promise<JsonObject | null> {
    const ids = this.idsOf(row);
    if (this.show === null || ids === null) return null;
    const { output } = await this.#call({ action: this.show, path: [...ids.values()], input: {}, meta: {} });
    return isObject(output) ? output : null;
  }

  /** The ids in the path of the object of a row; null where they cannot be known. */
  idsOf(row: JsonObject): PathIds | null {
    const meta = this.metaOf(row);
    const sent: unknown = isObject(meta) ? meta['path_params'] : null;
    const params = Array.isArray(sent) && sent.length === this.placeholders.length ? sent : [];
    const last = this.placeholders.length - 1;
    const ids = this.placeholders.map((name, index) => {
      const own = index === last && this.#idParameter !== null ? textOf(row[this.#idParameter]) : null;
      return [name, own ?? textOf(row[name]) ?? textOf(params[index]) ?? this.#pathIds.get(name)] as const;
    });
    const known = ids.flatMap(([name, id]) => (id === undefined ? [] : [[name, id] as const]));
    return known.length === ids.length ? new Map(known) : null;
  }

  /** The metadata of a row or an association. */
  metaOf(value: JsonObject): unknown {
    return value[this.#metaNamespace];
  }
}

/** An id as text; null for what is none. */
const textOf = (value: unknown): string | null =>
  typeof value === 'string' || Number.isSafeInteger(value) ? String(value) : null;
