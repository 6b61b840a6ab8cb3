// Reads the token authentication method of a description.
import type { ActionResult } from '../http/action-client.ts';
import { isObject, type JsonObject } from '../json.ts';
import type { Action, AuthenticationMethods } from './description.ts';
import { allActions } from './select-actions.ts';

type Methods = Pick<AuthenticationMethods, 'token'>;

/** The actions of the token method: they issue, renew and revoke tokens. */
export const tokenActions = ({ token }: Methods): readonly Action[] => allActions(token?.resources ?? []);

/**
 * The scope of a token that is requested without a scope: the described default of the parameter `scope` of the action
 * `request`. Null where the description has no default.
 */
export function defaultTokenScope(methods: Methods): string | null {
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
