// Builds write actions: they find the row in the path, check locks, and apply changes at once or as a blocking action.
import { notFound } from '../actions/actions.ts';
import type { ActionRun, LockTarget, WorkDescription } from '../engine/blocking.ts';
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

/** The effect of a write whose checks have passed. */
export interface Change extends Pick<ActionRun, 'earliestEnd'> {
  /** What the write locks while it runs, in addition to the row in its path and the row in its response. Default: nothing. */
  readonly lockTargets?: readonly LockTarget[];
  /** Runs at once and returns the fields of the response. A blocking action that fails undoes it. Default: nothing. */
  start?(): Fields | undefined;
  /** Runs when a blocking action succeeds, or at once where the call does not block. Default: nothing. */
  onSuccess?(): void;
  /** Whether nothing changes, so this call of a blocking action does not block. Default: false. */
  readonly isUnchanged?: boolean;
}

interface WriteOptions
  extends Pick<ActionDefinition, 'description' | 'role' | 'auth' | 'route' | 'method' | 'examples'> {
  readonly aliases?: readonly string[];
  readonly input?: Parameters;
  /** Default: the output of the resource. */
  readonly output?: Parameters;
  /** Makes the action a blocking action. Default: the action does not block. */
  readonly work?: WorkDescription;
}

/** Defines a write whose path names no row. */
export function write(options: WriteOptions & { change(call: Call): Change | Failure }): ActionDefinition {
  const { input = {}, output, work, change, ...rest } = options;
  return {
    method: 'POST',
    ...rest,
    ...(work ? { blocking: true } : {}),
    input: { parameters: input },
    ...(output ? { output: { layout: 'object', parameters: output } } : {}),
    execute(call) {
      const result = change(call);
      return 'ok' in result ? result : perform(call, result, work);
    },
  };
}

/** Defines a write that creates a row. A nested resource passes the parent row in the path; an unknown parent is not found. */
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

/** Defines a write on the row in its path. An unknown row is not found. */
export function rowAction(options: RowOptions): ActionDefinition {
  const { change, route = '' } = options;
  return write({
    ...options,
    route: `/{id}${route}`,
    change(call) {
      const row = rowInPath(call);
      if (!row) return notFound.status;
      const result = change(call, row);
      const rowLock: LockTarget = [call.action.resource.name, row.id];
      return 'ok' in result ? result : { ...result, lockTargets: [rowLock, ...(result.lockTargets ?? [])] };
    },
  });
}

/** Defines a write that updates the row in its path. */
export function update(options: RowOptions): ActionDefinition {
  return rowAction({ method: 'PUT', ...options });
}

/** Defines a write that deletes the row in its path. Its response has no fields. */
export function remove(options: RowOptions): ActionDefinition {
  return rowAction({ method: 'DELETE', aliases: ['destroy'], output: {}, ...options });
}

/** A failure because of a conflict with existing data. */
export function conflict(message: string): Failure {
  return { ok: false, message, httpStatus: 409 };
}

/** A failure because the caller may not allocate so much of a resource. Real servers name no parameter. */
export function exceedsQuota(left: string): Failure {
  return { ok: false, message: `Resource allocation error: you only have ${left} left`, httpStatus: 400 };
}

/** A failure with parameter errors, for checks that no validator describes. */
export function invalidInput(message: string, errors: Readonly<Record<string, string>>): Failure {
  const lists = Object.entries(errors).map(([name, error]) => [name, [error]]);
  return { ok: false, message, errors: Object.fromEntries(lists) };
}

/** The input values of the named parameters, without omitted ones. Default: all parameters. */
export function inputFields({ input }: Call, names: readonly string[] = [...input.keys()]): Fields {
  return Object.fromEntries([...input].filter(([name]) => names.includes(name))) as Fields;
}

/** Inserts a row into the resource's table. The response is the new row. */
export function insertRow({ store, action }: Call, fields: Fields): Change {
  return { start: () => store.insert(tableName(action), fields) };
}

/** Updates columns of a row. The response is the updated row. Default changes: the values in the input. */
export function updateRow(call: Call, { id }: Row, changes: Fields = inputFields(call)): Change {
  const { store, action } = call;
  return {
    start() {
      store.update(tableName(action), id, changes);
      return store.row(tableName(action), id);
    },
  };
}

/** Removes a row and all rows that depend on it, when the action succeeds. */
export function removeRow({ store, action }: Call, { id }: Row): Change {
  return { onSuccess: () => removeWithDependents(store, tableName(action), id) };
}

/** Whether a row of the resource's table, except the given one, has the same values in all the given columns. */
export function isTaken({ store, action }: Call, fields: Fields, except?: Row): boolean {
  const columns = Object.entries(fields);
  return store
    .rows(tableName(action))
    .some((row) => row.id !== except?.id && columns.every(([name, value]) => row[name] === value));
}

function tableName({ resource }: Action): string {
  const { table } = resource.definition;
  if (table === undefined) throw new Error(`expected ${resource.name} to have a table`);
  return table;
}

function perform(call: Call, change: Change, work: WorkDescription | undefined): Outcome {
  const { action, caller, states, store } = call;
  const { lockTargets = [] } = change;
  const lock = states.findLock(lockTargets);
  if (lock) {
    const { target, label, id } = lock;
    return {
      ok: false,
      message: `${target.join(' ')} is locked by '${label}' (action state ${id})`,
      httpStatus: 423,
    };
  }
  const { result, undo } = store.makeUndoable(() => change.start?.());
  const items = result ? [result] : [];
  if (!work || change.isUnchanged) {
    change.onSuccess?.();
    return { ok: true, items };
  }
  const created = typeof result?.['id'] === 'number' ? [[action.resource.name, result['id']] as const] : [];
  const run = {
    ...work,
    scope: action.scope,
    caller,
    lockTargets: [...lockTargets, ...created],
    onFailure: undo,
  };
  const actionState = states.start({
    ...run,
    ...(change.earliestEnd ? { earliestEnd: change.earliestEnd } : {}),
    ...(change.onSuccess ? { onSuccess: () => change.onSuccess?.() } : {}),
  });
  return { ok: true, items, actionState };
}
