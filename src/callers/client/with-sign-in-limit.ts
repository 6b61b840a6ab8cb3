// Limits the attempts to sign in.
import type { AuthenticationMethods } from '../../upstream/description/description.ts';
import { issuedToken, isTokenAction, needsFurtherStep } from '../../upstream/description/token-method.ts';
import { InvalidInputError } from '../../upstream/errors/request-errors.ts';
import type { ActionClient } from '../../upstream/http/action-client.ts';
import type { SignInLimit } from '../sign-in-limit.ts';

/**
 * Sends one attempt to sign in for the session, as far as the limits for the network and the user allow it. A further one throws
 * InvalidInputError, and one beyond the limits TooManyAttemptsError.
 */
export function withSignInLimit(
  client: ActionClient,
  limit: SignInLimit,
  methods: AuthenticationMethods,
): ActionClient {
  let hasSignedIn = false;
  const signIn: ActionClient['call'] = async (call, caller, options) => {
    const { action, input } = call;
    if (hasSignedIn)
      throw new InvalidInputError('A request may sign in only once; send each sign-in in its own request.', {
        action: action.scope,
      });
    hasSignedIn = true;
    await limit.attempt(action, input, caller.address);
    const result = await client.call(call, caller, options);
    const token = issuedToken(result.output);
    if (token === null) return result;
    if (needsFurtherStep(result.output)) await limit.recordStep(action, input, token);
    else await limit.recordSignIn(action, input, caller.address);
    return result;
  };
  return {
    call: (call, caller, options) =>
      call.action.auth || !isTokenAction(call.action, methods)
        ? client.call(call, caller, options)
        : signIn(call, caller, options),
  };
}
