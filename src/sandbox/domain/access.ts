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
export function mayUse(caller: Caller | null, thing: { readonly role?: 'admin' }): boolean {
  return thing.role === undefined || caller?.admin === true;
}

/** The parameters that a caller's role may use. */
export function usable(caller: Caller | null, parameters: Parameters): Parameters {
  return Object.fromEntries(Object.entries(parameters).filter(([, parameter]) => mayUse(caller, parameter)));
}

/**
 * Whether a caller may call an action at all, by role and, where the action needs a credential, by the credential's scope: what
 * anybody may call is not taken from those who sign in.
 */
export function mayCall(caller: Caller | null, action: Action): boolean {
  if (!mayUse(caller, action.definition)) return false;
  return !action.auth || (caller !== null && permits(caller.scope, action.scope));
}

/** Whether a caller sees a row and every row that it is nested in. */
export function seesRow(call: Pick<Call, 'caller' | 'store'>, resource: Resource, row: Row): boolean {
  const { definition, parent } = resource;
  if (definition.sees && !definition.sees(call.caller, row, call.store)) return false;
  if (!parent) return true;
  const above = parentRow(call.store, resource, row);
  return above !== undefined && seesRow(call, parent, above);
}

/** The row that a row is nested in. */
export function parentRow(store: Store, { definition, parent }: Resource, row: Row): Row | undefined {
  if (!parent?.definition.table || definition.parent === undefined) return undefined;
  return store.row(parent.definition.table, row[definition.parent]);
}

/** The row that an association refers to, with its resource; undefined for none. */
export function referredRow(
  { api, store }: { readonly api: Api; readonly store: Store },
  association: Association,
  id: unknown,
): { readonly resource: Resource; readonly row: Row } | undefined {
  const resource = api.resource(association.resource);
  const row = resource.definition.table === undefined ? undefined : store.row(resource.definition.table, id);
  return row && { resource, row };
}

/** Whether a caller may be shown a row of a resource. */
export function mayShow(call: Pick<Call, 'caller' | 'store'>, resource: Resource, row: Row): boolean {
  const show = resource.actions.get('show');
  return show !== undefined && mayCall(call.caller, show) && seesRow(call, resource, row);
}

/** For `sees`: administrators see every row, others those whose column is their own id. */
export function owns(column: string): (caller: Caller | null, row: Row) => boolean {
  return (caller, row) => caller !== null && (caller.admin || row[column] === caller.id);
}

/** For `sees`: as `owns`, where the owner stands in the row that a column refers to. */
export function ownsThrough(column: string, table: string, owner = 'user') {
  return (caller: Caller | null, row: Row, store: Store): boolean => {
    if (caller === null || caller.admin) return caller !== null;
    return store.row(table, row[column])?.[owner] === caller.id;
  };
}
