// Creates the actions `index` and `show` of resources.
import { isRowVisible, mayShow } from '../domain/access.ts';
import type { ActionDefinition, Failure, Outcome, Parameter, Parameters, Row } from '../engine/definition.ts';
import { answerList, type ListRows } from '../engine/lists.ts';
import { paging } from '../engine/parameters.ts';
import { rowInPath, rowsInPath } from '../engine/path.ts';
import type { Store } from '../engine/store.ts';

/** A filter of a list. */
export interface Filter {
  readonly parameter: Parameter;
  /** Whether a row matches the value. Default: the row's column with the filter's name has the value. */
  matches?(row: Row, value: unknown, store: Store): boolean;
}

type DescriptionOptions = Pick<ActionDefinition, 'description' | 'role' | 'examples'>;

/** The options of a list. */
export interface IndexOptions
  extends DescriptionOptions,
    Pick<ActionDefinition, 'takesNoMetadata' | 'ignoresLimit'>,
    Pick<ListRows, 'order' | 'fromIdKeeps'> {
  readonly filters?: Readonly<Record<string, Filter>>;
  /** Whether the list has paging parameters. Default: true. */
  readonly hasPaging?: boolean;
  /** The paging parameters. Default: `from_id` and `limit`. */
  readonly pagingParameters?: Parameters;
}

/** How a resource answers for a missing object: HTTP 404, HTTP 200 with a message, or HTTP 200 without a message. */
export type NotFound = 'status' | 'message' | 'silence';

/** The failure for each kind of `NotFound`. */
export const notFound: Readonly<Record<NotFound, Failure>> = {
  status: { ok: false, message: 'object not found', httpStatus: 404 },
  message: { ok: false, message: 'object not found' },
  silence: { ok: false, message: null },
};

/** Creates an action that lists the rows of the resource. */
export function index(options: IndexOptions = {}): ActionDefinition {
  const { filters = {}, order, fromIdKeeps, hasPaging = true } = options;
  const filterParameters = Object.entries(filters).map(([name, { parameter }]) => [name, parameter] as const);
  return {
    ...pickDescription(options),
    ...(options.takesNoMetadata ? { takesNoMetadata: true } : {}),
    ...(options.ignoresLimit ? { ignoresLimit: true } : {}),
    aliases: ['list'],
    offersCount: true,
    input: {
      parameters: {
        ...(hasPaging ? (options.pagingParameters ?? paging) : {}),
        ...Object.fromEntries(filterParameters),
      },
    },
    output: { layout: 'object_list' },
    execute(call): Outcome {
      const { input, store, action } = call;
      const rows = rowsInPath(call);
      if (!rows) return notFound.status;
      const kept = rows.filter((row) =>
        Object.entries(filters).every(([name, { matches }]) => {
          if (!input.has(name)) return true;
          return matches ? matches(row, input.get(name), store) : row[name] === input.get(name);
        }),
      );
      const visible = kept.filter((row) => isRowVisible(call, action.resource, row));
      return answerList(call, { rows: visible, order, fromIdKeeps });
    },
  };
}

/** Creates an action that shows the row with the last id of the path. */
export function show(options: DescriptionOptions & { readonly notFound?: NotFound } = {}): ActionDefinition {
  return {
    ...pickDescription(options),
    route: '/{id}',
    aliases: ['find'],
    execute(call): Outcome {
      const row = rowInPath(call);
      if (!row || !mayShow(call, call.action.resource, row)) return notFound[options.notFound ?? 'status'];
      return { ok: true, items: [row] };
    },
  };
}

function pickDescription({ description, role, examples }: DescriptionOptions): DescriptionOptions {
  return {
    ...(description === undefined ? {} : { description }),
    ...(role ? { role } : {}),
    ...(examples ? { examples } : {}),
  };
}
