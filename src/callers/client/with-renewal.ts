// Repeats calls that were refused because the token of a browser's session has ended.
import { ActionFailedError, UnknownCredentialsError } from '../../upstream/errors.ts';
import type { Callers } from '../callers.ts';
import type { SessionClient } from './session-client.ts';

/**
 * Sends each call with the session's current credential, and once more if that has ended and can be renewed. It repeats a write
 * too: 401 means that the request was not applied (RFC 9110, section 15.5.2), and the upstream has confirmed that it does not
 * know the token. A credential that cannot be renewed is forgotten.
 */
export function withRenewal(client: SessionClient, callers: Callers): SessionClient {
  return {
    call(call, _caller, session, options) {
      const used = session.current;
      return client.call(call, used, session, options).catch(async (error: unknown) => {
        if (!isUnauthenticated(error)) throw error;
        if (await session.renew(used)) return await client.call(call, session.current, session, options);
        if (used.credential !== null) callers.forget(used);
        throw error;
      });
    },
  };
}

const isUnauthenticated = (error: unknown): boolean =>
  error instanceof UnknownCredentialsError || (error instanceof ActionFailedError && error.status === 401);
