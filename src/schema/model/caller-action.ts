// Finds the action that answers the current user.
import type { Action, Description } from '../../upstream/description/description.ts';
import { allActions } from '../../upstream/description/resource-tree.ts';
import { findAction, type Model, type ResourceModel } from './model.ts';

/** The protocol's usual name of an action that answers the object of the caller. */
const NAME = 'current';

/** The action that answers the current user, and the resource of users. */
export interface CallerAction {
  readonly resource: ResourceModel;
  readonly action: Action;
}

/**
 * Finds the action that answers who the caller is: a read named `current` that needs a credential and nothing else, of a resource that
 * associations refer to, and that signing in names: an input of a sign-in action has the name of the resource or of its label. Null
 * if there is none, or more than one, because a wrong user is worse than no user.
 */
export function findCallerAction(description: Description, model: Model): CallerAction | null {
  const signInInputs = new Set(
    allActions(description.authentication.token?.resources ?? []).flatMap(({ input }) =>
      input.parameters.map(({ name }) => name),
    ),
  );
  const found = [...model.values()].flatMap((resource) => {
    const action = findAction(resource.reads, NAME);
    return action !== null && isAboutCaller(action) && isNamedBy(resource, signInInputs)
      ? [{ resource, action }]
      : [];
  });
  const [first, ...others] = found;
  return first === undefined || others.length > 0 ? null : first;
}

function isAboutCaller({ auth, path, input, output }: Action): boolean {
  const needsNothing = path.placeholders.length === 0 && !input.parameters.some(({ required }) => required);
  return auth && needsNothing && output.layout === 'object';
}

function isNamedBy(
  { path, isReferenced, labelParameter }: ResourceModel,
  inputs: ReadonlySet<string>,
): boolean {
  return (
    isReferenced && [path.at(-1), labelParameter].some((name) => typeof name === 'string' && inputs.has(name))
  );
}
