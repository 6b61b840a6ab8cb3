// Decides on which type an action becomes a field.

import type { Action } from '../../upstream/description/description.ts';
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
  const parents = new Set(resource.path.slice(0, -1).map((name) => `${name}_id`));
  const { placeholders } = action.path;
  const otherPlaceholders = placeholders.filter((name) => !parents.has(name));
  const ownIds = otherPlaceholders.filter((name) => name === ownName || name === 'id');
  return {
    action,
    resource,
    on: ownIds.length > 0 ? 'object' : otherPlaceholders.length < placeholders.length ? 'parent' : 'root',
    arguments: otherPlaceholders.filter((name) => !ownIds.includes(name)),
  };
}

/** Whether an action is the protocol's long poll. It does not become a field; subscriptions use it. */
export function isPoll(action: Action): boolean {
  return isActionState(action.resource) && action.name === 'poll';
}
