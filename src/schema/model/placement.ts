// Decides on which type an action becomes a field.
import type { Action, Parameter } from '../../upstream/description/description.ts';
import { isActionState, type ResourceModel } from './model.ts';

/** Where an action belongs in the graph, derived from the placeholders of its path. */
export interface Placement {
  readonly action: Action;
  readonly resource: ResourceModel;
  /** On an object of its resource, on an object of the parent, or at the root. */
  readonly on: 'object' | 'parent' | 'root';
  /** Placeholders that are not resource IDs, in path order. They become arguments. */
  readonly arguments: readonly string[];
}

/** Derives the placement of an action. */
export function placeAction(resource: ResourceModel, action: Action): Placement {
  const ownName = `${resource.path.at(-1)}_id`;
  const parents = parentPlaceholders(resource);
  const { placeholders } = action.path;
  const otherPlaceholders = placeholders.filter((name) => !parents.has(name));
  const { idPlaceholder } = resource.identity;
  const named = otherPlaceholders.filter((name) => name === ownName || name === idPlaceholder);
  // Beside the id of the object, a plain `{id}` is that of something else.
  const ownIds = named.length > 0 ? named : otherPlaceholders.filter((name) => name === 'id');
  return {
    action,
    resource,
    on: ownIds.length > 0 ? 'object' : otherPlaceholders.length < placeholders.length ? 'parent' : 'root',
    arguments: otherPlaceholders.filter((name) => !ownIds.includes(name)),
  };
}

/** The type to which a read is added. */
export interface Host {
  readonly kind: Placement['on'];
  /** The resource of the type. Null for `Query`. */
  readonly resource: ResourceModel | null;
}

/** Returns the host of a read. A `show` by ID stands on the parent. Null if no object has the IDs that the path needs. */
export function findHost({ resource, action, on, arguments: names }: Placement): Host | null {
  const { placeholders } = action.path;
  const isFetchedById = action.name === 'show' && on === 'object';
  const parents = parentPlaceholders(resource);
  const hasParents = resource.path.length > 1 && placeholders.some((name) => parents.has(name));
  const kind = !isFetchedById ? on : hasParents ? 'parent' : 'root';
  if (kind === 'root') return { kind, resource: null };
  const owner = kind === 'object' ? resource : nearestParent(resource, placeholders);
  if (owner === null) return null;
  const ownId = kind === 'parent' && action.name === 'show' ? resource.identity.idPlaceholder : null;
  const known = new Set([...owner.identity.placeholders, ...names, ownId]);
  return placeholders.every((name) => known.has(name)) ? { kind, resource: owner } : null;
}

const parentPlaceholders = ({ path }: ResourceModel): ReadonlySet<string> =>
  new Set(path.slice(0, -1).map((name) => `${name}_id`));

/** Returns the nearest ancestor whose ID is among the placeholders. */
function nearestParent({ parent }: ResourceModel, placeholders: readonly string[]): ResourceModel | null {
  if (parent === null || placeholders.includes(`${parent.path.at(-1)}_id`)) return parent;
  return nearestParent(parent, placeholders);
}

/** Whether a write changes a value of an object that exists, which then stays as it is when the parameter is omitted. */
export function changesValue({ resource, action, on }: Placement, { name }: Parameter): boolean {
  const isUpdate = action.method === 'PUT' || action.method === 'PATCH' || action.name === 'update';
  return isUpdate || (on === 'object' && resource.parameters.has(name));
}

/** Whether an action deletes its object. */
export function isDelete(action: Action): boolean {
  return action.method === 'DELETE' || action.name === 'delete';
}

/** Whether an action is the protocol's action that cancels another action. */
export function isCancel(action: Action): boolean {
  return isActionState(action.resource) && action.name === 'cancel';
}
