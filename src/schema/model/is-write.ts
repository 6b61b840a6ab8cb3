import type { Action } from '../../upstream/description/description.ts';
import type { Overrides } from './overrides.ts';

/** A write is any method but GET, any blocking action, and any GET without output; the overrides name exceptions. */
export function isWrite(action: Action, overrides: Overrides): boolean {
  if (overrides.queries?.includes(action.scope)) return false;
  if (overrides.mutations?.includes(action.scope)) return true;
  return action.method !== 'GET' || action.blocking || action.output.parameters.length === 0;
}
