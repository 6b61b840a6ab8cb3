// Lists the resources and actions of a description, and selects some of them.
import type { Action, Description, Resource } from './description.ts';

/** Resources and all below them, each before those below it. */
export function allResources(resources: readonly Resource[]): readonly Resource[] {
  return resources.flatMap((resource) => [resource, ...allResources(resource.resources)]);
}

/** The actions of resources and of all below them. */
export const allActions = (resources: readonly Resource[]): readonly Action[] =>
  allResources(resources).flatMap(({ actions }) => actions);

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

/**
 * Reduces a description to the actions that anonymous callers may use: those without authentication. A server may describe
 * all actions to anonymous callers.
 */
export function anonymousDescription(description: Description): Description {
  return keepActions(description, ({ auth }) => !auth);
}

/**
 * Finds an action that needs a credential, so that `OPTIONS` on it verifies one. Prefers an action without an id in its
 * path; null where the description has none.
 */
export function findProbeAction(description: Description): Action | null {
  const candidates = listActions(description).filter(({ auth }) => auth);
  return candidates.find(({ path }) => path.placeholders.length === 0) ?? candidates[0] ?? null;
}
