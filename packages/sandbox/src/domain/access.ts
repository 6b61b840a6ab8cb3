// Checks which actions, parameters and rows a caller may use or see.
import { permits } from '../auth/scope.ts';
import type {
  Action,
  Api,
  Association,
  Call,
  Caller,
  Parameters,
  Resource,
  Row,
} from '../engine/definition.ts';
import type { Store } from '../engine/store.ts';

/** Whether a caller's role may use an action or a parameter. */
export function mayUse(caller: Caller | null, { role }: { readonly role?: 'admin' }): boolean {
  return role === undefined || caller?.admin === true;
}

/** The parameters that a caller's role may use. */
export function usableParameters(caller: Caller | null, parameters: Parameters): Parameters {
  return Object.fromEntries(Object.entries(parameters).filter(([, parameter]) => mayUse(caller, parameter)));
}

/**
 * Whether a caller may call an action at all, by role and, where the action needs a credential, by the credential's scope. An
 * action that anybody may call stays callable with a credential of a narrower scope.
 */
export function mayCall(caller: Caller | null, action: Action): boolean {
  if (!mayUse(caller, action.definition)) return false;
  return !action.auth || (caller !== null && permits(caller.scope, action.scope));
}

/** Whether a caller sees a row and all the parent rows that it is nested in. */
export function isRowVisible(call: Pick<Call, 'caller' | 'store'>, resource: Resource, row: Row): boolean {
  const { definition, parent } = resource;
  if (definition.isVisible && !definition.isVisible(call.caller, row, call.store)) return false;
  if (!parent) return true;
  const containing = findParentRow(call.store, resource, row);
  return containing !== undefined && isRowVisible(call, parent, containing);
}

/** The parent row of a nested row; undefined where the resource is not nested or the parent row does not exist. */
export function findParentRow(store: Store, { definition, parent }: Resource, row: Row): Row | undefined {
  if (!parent?.definition.table || definition.parent === undefined) return undefined;
  return store.row(parent.definition.table, row[definition.parent]);
}

/** The row that an association refers to, with its resource; undefined where there is no such row. */
export function findReferredRow(
  { api, store }: { readonly api: Api; readonly store: Store },
  association: Association,
  id: unknown,
): { readonly resource: Resource; readonly row: Row } | undefined {
  const resource = api.getResource(association.resource);
  const row = resource.definition.table === undefined ? undefined : store.row(resource.definition.table, id);
  return row && { resource, row };
}

/** Whether a caller may read a row: the resource has a `show` action, and the caller may call it and sees the row. */
export function mayShow(call: Pick<Call, 'caller' | 'store'>, resource: Resource, row: Row): boolean {
  const show = resource.actions.get('show');
  return show !== undefined && mayCall(call.caller, show) && isRowVisible(call, resource, row);
}

/** Returns a function for `isVisible`: administrators see every row, other users the rows whose column holds their own id. */
export function visibleToOwner(column: string): (caller: Caller | null, row: Row) => boolean {
  return (caller, row) => caller !== null && (caller.admin || row[column] === caller.id);
}

/** Returns a function for `isVisible` that works like `visibleToOwner`, but reads the owner from the row that a column refers to. */
export function visibleToOwnerOf(column: string, table: string, owner = 'user') {
  return (caller: Caller | null, row: Row, store: Store): boolean => {
    if (caller === null || caller.admin) return caller !== null;
    return store.row(table, row[column])?.[owner] === caller.id;
  };
}
