import { rowInPath, rowsAbove } from './actions.ts';
import type {
  ActionDefinition,
  Call,
  Failure,
  Fields,
  Outcome,
  Parameters,
  Row,
  Value,
} from './definition.ts';
import type { Work } from './running.ts';

/** Work that an action begins, as its definition tells it; whose it is, is the caller's. */
export type Begun = Omit<Work, 'user'>;

interface WriteOptions {
  readonly description?: string;
  readonly role?: 'admin';
  readonly parameters?: Parameters;
  /** Answers no fields, as many real writes do. Default: false. */
  readonly silent?: boolean;
  /** What must not be locked besides the row itself. */
  locks?(call: Call, row: Row | undefined): readonly string[];
  /** Refuses the call for a reason of its own. */
  check?(call: Call, row: Row | undefined): Failure | null;
}

const notFound: Failure = { ok: false, message: 'object not found', http: 404 };

/** A failed write that a lock or another object stands in the way of. */
export const conflict = (message: string): Failure => ({ ok: false, message, http: 409 });

/** Adds a row below the parents that the path names. */
export function create(
  options: WriteOptions & {
    values(call: Call, given: Fields): Fields;
    work?(call: Call, row: Row): Begun;
  },
): ActionDefinition {
  return {
    ...written(options, 'POST'),
    aliases: ['new'],
    ...(options.work ? { blocking: true } : {}),
    execute(call): Outcome {
      const above = rowsAbove(call);
      if (above === undefined) return notFound;
      const refusal = refusalOf(options, call, undefined);
      if (refusal) return refusal;
      const { definition } = call.action.resource;
      const table = tableOf(call);
      const parent = definition.parent === undefined ? {} : { [definition.parent]: above.at(-1)?.id ?? null };
      const row = call.store.insert(table, { ...parent, ...options.values(call, givenOf(call)) });
      return begin(call, options, row);
    },
  };
}

/** Changes a row: what is omitted stays, null clears. */
export function update(
  options: WriteOptions & { work?(call: Call, row: Row): Begun } = {},
): ActionDefinition {
  return {
    ...written(options, 'PUT'),
    route: '/{id}',
    ...(options.work ? { blocking: true } : {}),
    execute: (call) =>
      onRow(call, options, (row) => {
        call.store.update(tableOf(call), row.id, givenOf(call));
        return begin(call, options, call.store.row(tableOf(call), row.id) ?? row);
      }),
  };
}

/** Takes a row away, at once or when the work has succeeded. */
export function remove(
  options: Omit<WriteOptions, 'silent'> & {
    work?(call: Call, row: Row): Begun;
    cascade?(call: Call, row: Row): void;
  },
): ActionDefinition {
  const { cascade, work } = options;
  const take = (call: Call, row: Row): void => {
    cascade?.(call, row);
    call.store.remove(tableOf(call), ({ id }) => id === row.id);
  };
  return {
    ...written({ ...options, silent: true }, 'DELETE'),
    route: '/{id}',
    aliases: ['destroy'],
    ...(work ? { blocking: true } : {}),
    execute: (call) =>
      onRow(call, options, (row) => {
        if (!work) {
          take(call, row);
          return { ok: true, items: [] };
        }
        const begun = work(call, row);
        return start(call, { ...begun, succeed: () => take(call, row) });
      }),
  };
}

/** Does something with a row that takes its time. */
export function act(
  name: string,
  options: WriteOptions & { work(call: Call, row: Row): Begun },
): ActionDefinition {
  return {
    ...written({ ...options, silent: true }, 'POST'),
    route: `/{id}/${name}`,
    blocking: true,
    execute: (call) => onRow(call, options, (row) => start(call, options.work(call, row))),
  };
}

/** Begins work on the caller's behalf; the answer holds no fields. */
export function start(call: Call, begun: Begun): Outcome {
  return { ok: true, items: [], stateId: call.running.start({ ...begun, user: call.caller?.id ?? 0 }) };
}

/** Parameters of a create, in which the server uses the defaults of what is omitted. */
export function filled(parameters: Parameters): Parameters {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, parameter]) => [
      name,
      parameter.type === 'Resource' || parameter.default === undefined
        ? parameter
        : { ...parameter, fill: true },
    ]),
  );
}

/** A row's name among locks. */
export const lockName = (table: string, id: unknown): string => `${table}/${String(id)}`;

function written({ description, role, parameters, silent }: WriteOptions, method: 'POST' | 'PUT' | 'DELETE') {
  return {
    method,
    ...(description === undefined ? {} : { description }),
    ...(role ? { role } : {}),
    ...(parameters ? { input: { parameters } } : {}),
    ...(silent ? { output: { layout: 'object' as const, parameters: {} } } : {}),
  };
}

function onRow(call: Call, options: WriteOptions, then: (row: Row) => Outcome): Outcome {
  const row = rowInPath(call);
  return row === undefined ? notFound : (refusalOf(options, call, row) ?? then(row));
}

function refusalOf(options: WriteOptions, call: Call, row: Row | undefined): Failure | null {
  const own = row === undefined ? [] : [lockName(tableOf(call), row.id)];
  const above = (rowsAbove(call) ?? []).map(({ table, id }) => lockName(table, id));
  const lock = call.running.lockOf([...own, ...above, ...(options.locks?.(call, row) ?? [])]);
  if (lock !== null) return { ok: false, message: lock, http: 423 };
  return options.check?.(call, row) ?? null;
}

function begin(
  call: Call,
  options: { readonly silent?: boolean; work?(call: Call, row: Row): Begun },
  row: Row,
): Outcome {
  const items = options.silent ? [] : [row];
  if (!options.work) return { ok: true, items };
  const outcome = start(call, options.work(call, row));
  if (!outcome.ok) return outcome;
  return { ...outcome, items: options.silent ? [] : [call.store.row(tableOf(call), row.id) ?? row] };
}

function givenOf({ input }: Call): Fields {
  return Object.fromEntries([...input].map(([name, value]) => [name, value as Value]));
}

function tableOf({ action }: Call): string {
  const { table } = action.resource.definition;
  if (table === undefined) throw new Error(`expected ${action.scope} to have a table`);
  return table;
}
