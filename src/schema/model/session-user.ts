// Finds the action that answers the current user.
import type { Action, Description } from '../../upstream/description/description.ts';
import { allActions } from '../../upstream/description/select-actions.ts';
import type { Model, ResourceModel } from './model.ts';

/** The action that answers the current user, and the resource of users. */
export interface CallerAction {
  readonly resource: ResourceModel;
  readonly action: Action;
}

/**
 * Finds the action that answers who the caller is. It is a read that needs a credential and nothing else, and answers one object of a
 * resource whose objects have ids: only the caller decides which. Associations refer to the resource, and an input of a sign-in
 * action has the name of the resource or of its label. Null if there is none, or more than one, because a wrong user is worse than no user.
 */
export function findCallerAction(description: Description, model: Model): CallerAction | null {
  const signIn = allActions(description.authentication.token?.resources ?? []);
  const signInInputs = new Set(signIn.flatMap(({ input }) => input.parameters.map(({ name }) => name)));
  const found = [...model.values()]
    .filter((resource) => isUser(resource, signInInputs))
    .flatMap((resource) => resource.reads.filter(isAboutCaller).map((action) => ({ resource, action })));
  const [first, ...others] = found;
  return first === undefined || others.length > 0 ? null : first;
}

function isAboutCaller({ auth, path, input, output }: Action): boolean {
  const needsNothing = path.placeholders.length === 0 && !input.parameters.some(({ required }) => required);
  return auth && needsNothing && output.layout === 'object';
}

function isUser(
  { path, identity, isReferenced, label }: ResourceModel,
  signInInputs: ReadonlySet<string>,
): boolean {
  const names = [path.at(-1), label.parameters[0]];
  const isNamed = names.some((name) => typeof name === 'string' && signInInputs.has(name));
  return isReferenced && identity.idPlaceholder !== null && isNamed;
}
