// Decides whether an action is a mutation.

import type { Action } from '../../upstream/description/description.ts';
import type { Overrides } from './overrides.ts';

/** An action is a write if its method is not GET, if it blocks, or if it has no output. The overrides take precedence. */
export function isWrite(action: Action, overrides: Overrides): boolean {
  if (overrides.queries?.includes(action.scope)) return false;
  if (overrides.mutations?.includes(action.scope)) return true;
  return action.method !== 'GET' || action.blocking || action.output.parameters.length === 0;
}
