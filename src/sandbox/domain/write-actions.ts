import { notFound } from '../actions/actions.ts';
import type { Run, Thing, Work } from '../engine/blocking.ts';
import type {
  Action,
  ActionDefinition,
  Call,
  Failure,
  Fields,
  Outcome,
  Parameters,
  Row,
} from '../engine/definition.ts';
import { parentInPath, rowInPath } from '../engine/path.ts';
import { removeWithDependents } from './cascade.ts';

/** What a write does, once nothing speaks against it. */
export interface Change extends Pick<Run, 'due'> {
  /** Locked while it goes on, besides the rows that it answers with or stands on. */
  readonly touches?: readonly Thing[];
  /** Done at once, and taken back if a blocking action fails; returns what is answered. Default: nothing. */
  now?(): Fields | undefined;
  /** Done when a blocking action succeeds, or at once where the call is not blocking. */
  end?(): void;
  /** There is nothing to wait for: this call of a blocking action is not blocking. Default: false. */
  readonly idle?: boolean;
}

interface WriteOptions
  extends Pick<ActionDefinition, 'description' | 'role' | 'auth' | 'route' | 'method' | 'examples'> {
  readonly aliases?: readonly string[];
  readonly input?: Parameters;
  /** Default: the resource's output. */
  readonly output?: Parameters;
  /** Makes the action a blocking one. */
  readonly work?: Work;
}

/** A write that stands on no row. */
export function write(options: WriteOptions & { change(call: Call): Change | Failure }): ActionDefinition {
  const { input = {}, output, work, change, ...rest } = options;
  return {
    method: 'POST',
    ...rest,
    ...(work ? { blocking: true } : {}),
    input: { parameters: input },
    ...(output ? { output: { layout: 'object', parameters: output } } : {}),
    execute(call) {
      const wanted = change(call);
      return 'ok' in wanted ? wanted : perform(call, wanted, work);
    },
  };
}

/** A write that makes a row, below the given one where the resource is nested. */
export function create(
  options: WriteOptions & { change(call: Call, parent: Row | undefined): Change | Failure },
): ActionDefinition {
  const { change } = options;
  return write({
    aliases: ['new'],
    ...options,
    change(call) {
      const parent = parentInPath(call);
      return call.action.resource.parent && !parent ? notFound.status : change(call, parent);
    },
  });
}

type RowOptions = WriteOptions & { change(call: Call, row: Row): Change | Failure };

/** A write on the row that the path names. */
export function onRow(options: RowOptions): ActionDefinition {
  const { change, route = '' } = options;
  return write({
    ...options,
    route: `/{id}${route}`,
    change(call) {
      const row = rowInPath(call);
      if (!row) return notFound.status;
      const wanted = change(call, row);
      const itself: Thing = [call.action.resource.name, row.id];
      return 'ok' in wanted ? wanted : { ...wanted, touches: [itself, ...(wanted.touches ?? [])] };
    },
  });
}

/** A write on a row that changes its columns. */
export function update(options: RowOptions): ActionDefinition {
  return onRow({ method: 'PUT', ...options });
}

/** A write that deletes a row; nothing comes back. */
export function remove(options: RowOptions): ActionDefinition {
  return onRow({ method: 'DELETE', aliases: ['destroy'], output: {}, ...options });
}

/** A refusal because of what is already there. */
export function conflict(message: string): Failure {
  return { ok: false, message, http: 409 };
}

/** A refusal of what no validator describes. */
export function invalid(message: string, errors: Readonly<Record<string, string>>): Failure {
  const lists = Object.entries(errors).map(([name, error]) => [name, [error]]);
  return { ok: false, message, errors: Object.fromEntries(lists) };
}

/** The input's values by the names of columns, all of them by default: what was omitted is not among them. */
export function given({ input }: Call, names: readonly string[] = [...input.keys()]): Fields {
  return Object.fromEntries([...input].filter(([name]) => names.includes(name))) as Fields;
}

/** A new row of the resource's table, which is the answer. */
export function insertRow({ store, action }: Call, fields: Fields): Change {
  return { now: () => store.insert(tableOf(action), fields) };
}

/** Other columns of a row, by default what the input gives; the answer is the row as it is now. */
export function updateRow(call: Call, { id }: Row, changes: Fields = given(call)): Change {
  const { store, action } = call;
  return {
    now() {
      store.update(tableOf(action), id, changes);
      return store.row(tableOf(action), id);
    },
  };
}

/** The end of a row and of everything that hangs on it. */
export function removeRow({ store, action }: Call, { id }: Row): Change {
  return { end: () => removeWithDependents(store, tableOf(action), id) };
}

/** Whether another row of the resource's table has the same values in all of the given columns. */
export function isTaken({ store, action }: Call, fields: Fields, itself?: Row): boolean {
  const columns = Object.entries(fields);
  return store
    .rows(tableOf(action))
    .some((row) => row.id !== itself?.id && columns.every(([name, value]) => row[name] === value));
}

function tableOf({ resource }: Action): string {
  const { table } = resource.definition;
  if (table === undefined) throw new Error(`expected ${resource.name} to have a table`);
  return table;
}

function perform(call: Call, change: Change, work: Work | undefined): Outcome {
  const { action, caller, states, store } = call;
  const { touches = [] } = change;
  const lock = states.lockOf(touches);
  if (lock) {
    const { thing, label, id } = lock;
    return {
      ok: false,
      message: `${thing.join(' ')} is locked by '${label}' (action state ${id})`,
      http: 423,
    };
  }
  const { result, undo } = store.attempt(() => change.now?.());
  const items = result ? [result] : [];
  if (!work || change.idle) {
    change.end?.();
    return { ok: true, items };
  }
  const made = typeof result?.['id'] === 'number' ? [[action.resource.name, result['id']] as const] : [];
  const run = { ...work, scope: action.scope, caller, touches: [...touches, ...made], undo };
  const actionState = states.start({
    ...run,
    ...(change.due ? { due: change.due } : {}),
    ...(change.end ? { end: () => change.end?.() } : {}),
  });
  return { ok: true, items, actionState };
}
