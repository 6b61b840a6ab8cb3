// Verifies credentials before calls that would ignore an ended one.
import { untilAborted } from '../../upstream/abortable.ts';
import type { Callers } from '../callers.ts';
import type { SessionClient } from './session-client.ts';

/**
 * Verifies the credential before a call of an action that needs none, unless it was verified recently: the upstream answers an
 * ended one as if there were none. Such a call throws UnknownCredentialsError.
 */
export function withCredentialCheck(client: SessionClient, callers: Callers): SessionClient {
  return {
    call: (call, caller, session, options = {}) =>
      call.action.auth || callers.isKnown(caller)
        ? client.call(call, caller, session, options)
        : untilAborted(callers.ensureKnown(caller), options.signal ?? options.startSignal).then(() =>
            client.call(call, caller, session, options),
          ),
  };
}
