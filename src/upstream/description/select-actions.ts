// Lists the resources and actions of a description, selects some of them, and reads what those of the token method answer.
import type { ActionResult } from '../http/action-client.ts';
import { isObject, type JsonObject } from '../json.ts';
import type { Action, AuthenticationMethods, Description, Resource } from './description.ts';

/** Resources and all below them, each before those below it. */
export function allResources(resources: readonly Resource[]): readonly Resource[] {
  return resources.flatMap((resource) => [resource, ...allResources(resource.resources)]);
}

/** The actions of resources and of all below them. */
export const allActions = (resources: readonly Resource[]): readonly Action[] =>
  allResources(resources).flatMap(({ actions }) => actions);

/** All actions of a description; those that sign in come last. */
export function listActions({ resources, authentication }: Description): readonly Action[] {
  return [...allActions(resources), ...tokenActions(authentication)];
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

/** The actions of the token method: they issue, renew and revoke tokens. */
export const tokenActions = ({ token }: AuthenticationMethods): readonly Action[] =>
  allActions(token?.resources ?? []);

/**
 * The scope of a token that is requested without a scope: the described default of the parameter `scope` of the action
 * `request`. Null where the description has no default.
 */
export function defaultTokenScope(methods: AuthenticationMethods): string | null {
  const request = tokenActions(methods).find(({ name }) => name === 'request');
  const scope = request && describedDefault(request, 'scope');
  return typeof scope === 'string' && scope !== '' ? scope : null;
}

/** The token in the output of a token action; null for none. */
export function issuedToken(output: ActionResult['output']): string | null {
  const token = isObject(output) ? output['token'] : null;
  return typeof token === 'string' ? token : null;
}

/** Whether an issued token only serves a further step of signing in. */
export function needsFurtherStep(output: ActionResult['output']): boolean {
  const { complete, next_action: next } = isObject(output) ? output : {};
  return typeof complete === 'boolean' ? !complete : typeof next === 'string';
}

/** Whether a call of the token method requests a token that is renewed by each use. */
export function renewsItself(action: Action, input: JsonObject): boolean {
  return (input['lifetime'] ?? describedDefault(action, 'lifetime')) === 'renewable_auto';
}

/** The described default of an input parameter; null where it has none. */
function describedDefault({ input }: Action, name: string): unknown {
  const parameter = input.parameters.find((candidate) => candidate.name === name);
  return parameter === undefined || parameter.type === 'Resource' ? null : parameter.default;
}
