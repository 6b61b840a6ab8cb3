// Lists the actions of a description, and reduces it to some of them.
import type { Action, Description, Resource } from './description.ts';
import { allActions } from './resource-tree.ts';

/** All actions of a description; those that sign in come last. */
export function listActions({ resources, authentication }: Description): readonly Action[] {
  return [...allActions(resources), ...allActions(authentication.token?.resources ?? [])];
}

/**
 * Reduces a description to some of its actions. Keeps resources without remaining actions, because associations may refer to them.
 * @param keep Decides about an action; `signsIn` is true for the actions of the token method.
 */
export function keepActions(
  description: Description,
  keep: (action: Action, signsIn: boolean) => boolean,
): Description {
  const reduce = (resources: readonly Resource[], signsIn: boolean): readonly Resource[] =>
    resources.map((resource) => ({
      ...resource,
      actions: resource.actions.filter((action) => keep(action, signsIn)),
      resources: reduce(resource.resources, signsIn),
    }));
  const { authentication } = description;
  const { token } = authentication;
  return {
    ...description,
    authentication: {
      ...authentication,
      token: token === null ? null : { ...token, resources: reduce(token.resources, true) },
    },
    resources: reduce(description.resources, false),
  };
}
