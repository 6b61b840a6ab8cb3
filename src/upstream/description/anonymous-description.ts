// Reduces a description to what anonymous callers may use, and finds the action that verifies credentials.
import type { Action, Description, Resource } from './description.ts';

/**
 * Reduces a description to the actions that anonymous callers may use: those without authentication. A server may describe
 * all actions to anonymous callers.
 */
export function anonymousDescription(description: Description): Description {
  const { authentication } = description;
  const { token } = authentication;
  return {
    ...description,
    authentication: {
      ...authentication,
      token: token === null ? null : { ...token, resources: keepPublicActions(token.resources) },
    },
    resources: keepPublicActions(description.resources),
  };
}

/**
 * Finds an action that needs a credential, so that `OPTIONS` on it verifies one. Prefers an action without an id in its
 * path; null where the description has none.
 */
export function findProbeAction({ resources, authentication }: Description): Action | null {
  const candidates = [
    ...listActions(resources),
    ...listActions(authentication.token?.resources ?? []),
  ].filter(({ auth }) => auth);
  return candidates.find(({ path }) => path.placeholders.length === 0) ?? candidates[0] ?? null;
}

/** Keeps resources without remaining actions, because associations may refer to them. */
function keepPublicActions(resources: readonly Resource[]): readonly Resource[] {
  return resources.map((resource) => ({
    ...resource,
    actions: resource.actions.filter(({ auth }) => !auth),
    resources: keepPublicActions(resource.resources),
  }));
}

function listActions(resources: readonly Resource[]): readonly Action[] {
  return resources.flatMap(({ actions, resources: nested }) => [...actions, ...listActions(nested)]);
}
