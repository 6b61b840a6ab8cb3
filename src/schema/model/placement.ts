import type { Action } from '../../upstream/description/description.ts';
import { isActionState, type ResourceModel } from './model.ts';

/** Where an action stands in the graph, told by the placeholders of its path. */
export interface Placement {
  readonly action: Action;
  readonly resource: ResourceModel;
  /** On an object of its resource, on an object of the parent, or at the root. */
  readonly on: 'object' | 'parent' | 'root';
  /** Placeholders that are no ids of resources: they are arguments, in path order. */
  readonly arguments: readonly string[];
}

/** Finds where an action stands. */
export function placeAction(resource: ResourceModel, action: Action): Placement {
  const ownName = `${resource.path.at(-1)}_id`;
  const parents = new Set(resource.path.slice(0, -1).map((name) => `${name}_id`));
  const { placeholders } = action.path;
  const rest = placeholders.filter((name) => !parents.has(name));
  const own = rest.filter((name) => name === ownName || name === 'id');
  return {
    action,
    resource,
    on: own.length > 0 ? 'object' : rest.length < placeholders.length ? 'parent' : 'root',
    arguments: rest.filter((name) => !own.includes(name)),
  };
}

/** The protocol's long poll is no field: it is what subscriptions are made of. */
export function isPoll(action: Action): boolean {
  return isActionState(action.resource) && action.name === 'poll';
}
