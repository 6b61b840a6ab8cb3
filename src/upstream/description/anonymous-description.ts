// Reduces a description to what anonymous callers may use, and finds the action that verifies credentials.
import { keepActions, listActions } from './action-selection.ts';
import type { Action, Description } from './description.ts';

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
