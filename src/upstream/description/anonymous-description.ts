import type { Action, Description, Resource } from './description.ts';

/**
 * What anonymous callers may use of a description: actions that need no authentication. Servers may describe everything
 * to them all the same.
 */
export function anonymousDescription(description: Description): Description {
  const { authentication } = description;
  const { token } = authentication;
  return {
    ...description,
    authentication: {
      ...authentication,
      token: token === null ? null : { ...token, resources: open(token.resources) },
    },
    resources: open(description.resources),
  };
}

/** An action that needs a credential, the cheapest to ask about: one without an id. Null where none is described. */
export function findProbeAction({ resources, authentication }: Description): Action | null {
  const guarded = [...actionsOf(resources), ...actionsOf(authentication.token?.resources ?? [])].filter(
    ({ auth }) => auth,
  );
  return guarded.find(({ path }) => path.placeholders.length === 0) ?? guarded[0] ?? null;
}

/** Resources keep their place also when none of their actions is left: others may refer to them. */
function open(resources: readonly Resource[]): readonly Resource[] {
  return resources.map((resource) => ({
    ...resource,
    actions: resource.actions.filter(({ auth }) => !auth),
    resources: open(resource.resources),
  }));
}

function actionsOf(resources: readonly Resource[]): readonly Action[] {
  return resources.flatMap(({ actions, resources: nested }) => [...actions, ...actionsOf(nested)]);
}
