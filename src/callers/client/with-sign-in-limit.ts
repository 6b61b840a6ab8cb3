// Limits the attempts to sign in.

import { InvalidInputError } from '../../loaders/errors.ts';
import type { AuthenticationMethods } from '../../upstream/description/description.ts';
import { issuedToken, isTokenAction, needsFurtherStep } from '../../upstream/description/token-method.ts';
import type { SignInLimit } from '../sign-in-limit.ts';
import type { SessionClient } from './session-client.ts';

/**
 * Sends one attempt to sign in for the session, as far as the limits for the network and the user allow it. A further one throws
 * InvalidInputError, and one beyond the limits TooManyAttemptsError.
 */
export function withSignInLimit(
  client: SessionClient,
  limit: SignInLimit,
  methods: AuthenticationMethods,
): SessionClient {
  const signIn: SessionClient['call'] = async (call, caller, session, options) => {
    const { action, input } = call;
    if (session.hasSignedIn)
      throw new InvalidInputError('A request may sign in only once; send each sign-in in its own request.', {
        action: action.scope,
      });
    session.hasSignedIn = true;
    await limit.attempt(action, input, caller.address);
    const result = await client.call(call, caller, session, options);
    const token = issuedToken(result.output);
    if (token === null) return result;
    if (needsFurtherStep(result.output)) await limit.recordStep(action, input, token);
    else await limit.recordSignIn(action, input, caller.address);
    return result;
  };
  return {
    call: (call, caller, session, options) =>
      call.action.auth || !isTokenAction(call.action, methods)
        ? client.call(call, caller, session, options)
        : signIn(call, caller, session, options),
  };
}
