// Finds out what a refused call says about the caller and the description.
import { type Abortable, untilAborted } from '../../upstream/abortable.ts';
import type { Action } from '../../upstream/description/description.ts';
import { ActionFailedError, UnknownCredentialsError } from '../../upstream/errors.ts';
import type { Callers } from '../callers.ts';
import type { SessionCaller } from '../session-caller.ts';
import type { SessionClient } from './session-client.ts';

/**
 * After a refusal by an action that needs no credential, verifies the credential: it may have ended. After 403, fetches the
 * caller's description again: the rights may have changed.
 * @param onContradiction Called after 404 for a described path without placeholders: the description may have changed.
 */
export function withRefusalChecks(
  client: SessionClient,
  callers: Callers,
  onContradiction: () => void,
): SessionClient {
  async function check(
    action: Action,
    session: SessionCaller,
    signal: Abortable | undefined,
    error: unknown,
  ): Promise<never> {
    if (!(error instanceof ActionFailedError)) throw error;
    // Only an unknown credential is a better answer than the refusal itself.
    if (!action.auth)
      await untilAborted(callers.ensureKnown(session.current, true), signal).catch(rethrowUnknown);
    const isContradiction = error.status === 404 && action.path.placeholders.length === 0;
    if (error.status === 403 || isContradiction) callers.revalidate(session.current);
    if (isContradiction) onContradiction();
    throw error;
  }

  return {
    call: (call, caller, session, options) =>
      client
        .call(call, caller, session, options)
        .catch((error: unknown) => check(call.action, session, options?.signal, error)),
  };
}

function rethrowUnknown(error: unknown): void {
  if (error instanceof UnknownCredentialsError) throw error;
}
