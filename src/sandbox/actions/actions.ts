import { mayShow, seesRow } from '../domain/access.ts';
import type { ActionDefinition, Failure, Outcome, Parameter, Parameters, Row } from '../engine/definition.ts';
import { paging } from '../engine/parameters.ts';
import { rowInPath, rowsInPath } from '../engine/path.ts';
import type { Store } from '../engine/store.ts';

/** A described filter, and which rows it keeps; by default those whose column of that name has the value. */
export interface Filter {
  readonly parameter: Parameter;
  keeps?(row: Row, value: unknown, store: Store): boolean;
}

type Described = Pick<ActionDefinition, 'description' | 'role' | 'examples'>;

/** How a list reads. */
export interface IndexOptions extends Described, Pick<ActionDefinition, 'bare' | 'ignoresLimit'> {
  readonly filters?: Readonly<Record<string, Filter>>;
  /** Default: by ascending id. */
  readonly order?: (a: Row, b: Row) => number;
  /** Which side of `from_id` is listed, whatever the order. Default: above. */
  readonly lists?: 'above' | 'below';
  /** Default: true; false, the list has no `from_id` and no `limit`. */
  readonly pages?: boolean;
  /** Parameters in place of the usual `from_id` and `limit`. */
  readonly paging?: Parameters;
}

/** How a resource answers for an object that is not there: HTTP 404, HTTP 200 with a message, or HTTP 200 with nothing. */
export type NotFound = 'status' | 'message' | 'silence';

/** The failures that say it. */
export const notFound: Readonly<Record<NotFound, Failure>> = {
  status: { ok: false, message: 'object not found', http: 404 },
  message: { ok: false, message: 'object not found' },
  silence: { ok: false, message: null },
};

/** A list of the resource's rows. */
export function index(options: IndexOptions = {}): ActionDefinition {
  const { filters = {}, order, lists = 'above', pages = true } = options;
  const filterParameters = Object.entries(filters).map(([name, { parameter }]) => [name, parameter] as const);
  return {
    ...described(options),
    ...(options.bare ? { bare: true } : {}),
    ...(options.ignoresLimit ? { ignoresLimit: true } : {}),
    aliases: ['list'],
    counts: true,
    input: {
      parameters: { ...(pages ? (options.paging ?? paging) : {}), ...Object.fromEntries(filterParameters) },
    },
    output: { layout: 'object_list' },
    execute(call): Outcome {
      const { input, store, action } = call;
      const rows = rowsInPath(call);
      if (!rows) return notFound.status;
      const kept = rows.filter((row) =>
        Object.entries(filters).every(([name, { keeps }]) => {
          if (!input.has(name)) return true;
          return keeps ? keeps(row, input.get(name), store) : row[name] === input.get(name);
        }),
      );
      const visible = kept.filter((row) => seesRow(call, action.resource, row));
      const page = pageOf(order ? visible.sort(order) : visible, {
        fromId: input.get('from_id'),
        offset: input.get('offset'),
        limit: action.definition.ignoresLimit ? undefined : input.get('limit'),
        lists,
      });
      return { ok: true, items: page, total: visible.length };
    },
  };
}

/** The part of ordered rows that a page asks for. */
export function pageOf<Item extends { readonly id: number }>(
  items: readonly Item[],
  page: {
    readonly fromId: unknown;
    readonly offset: unknown;
    readonly limit: unknown;
    readonly lists?: 'above' | 'below';
  },
): readonly Item[] {
  const { fromId, offset, limit, lists = 'above' } = page;
  const after =
    typeof fromId === 'number'
      ? items.filter(({ id }) => (lists === 'above' ? id > fromId : id < fromId))
      : items;
  const rest = typeof offset === 'number' ? after.slice(offset) : after;
  return typeof limit === 'number' ? rest.slice(0, limit) : rest;
}

/** One row, by the last id of the path. */
export function show(options: Described & { readonly notFound?: NotFound } = {}): ActionDefinition {
  return {
    ...described(options),
    route: '/{id}',
    aliases: ['find'],
    execute(call): Outcome {
      const row = rowInPath(call);
      if (!row || !mayShow(call, call.action.resource, row)) return notFound[options.notFound ?? 'status'];
      return { ok: true, items: [row] };
    },
  };
}

/** Newest first. */
export function byDescendingId(a: Row, b: Row): number {
  return b.id - a.id;
}

function described({ description, role, examples }: Described): Described {
  return {
    ...(description === undefined ? {} : { description }),
    ...(role ? { role } : {}),
    ...(examples ? { examples } : {}),
  };
}
