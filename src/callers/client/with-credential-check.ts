// Verifies credentials before calls that would ignore an ended one.
import type { ActionClient } from '../../upstream/http/action-client.ts';
import type { Callers } from '../callers.ts';

/**
 * Verifies the credential before a call of an action that needs none, unless it was verified recently: the upstream answers an
 * ended one as if there were none. Such a call throws UnknownCredentialsError.
 */
export function withCredentialCheck(client: ActionClient, callers: Callers): ActionClient {
  return {
    call: (call, caller, options) =>
      call.action.auth
        ? client.call(call, caller, options)
        : callers.ensureKnown(caller).then(() => client.call(call, caller, options)),
  };
}
