import { isPoll } from '../schema/model/placement.ts';
import type { Action, Description } from '../upstream/description/description.ts';
import { isTokenAction } from '../upstream/description/token-method.ts';
import { InvalidInputError, UnknownCredentialsError } from '../upstream/errors/request-errors.ts';
import { ActionFailedError } from '../upstream/errors/upstream-errors.ts';
import {
  type ActionCall,
  type ActionClient,
  type ActionResult,
  type Caller,
  type CallOptions,
  createActionClient,
} from '../upstream/http/action-client.ts';
import { type Credential, credentialKey } from '../upstream/http/authentication.ts';
import type { Transport } from '../upstream/http/transport.ts';
import type { Callers } from './callers.ts';
import { networkOf } from './client-address.ts';
import type { CallerConcurrencyLimit } from './concurrency-limit.ts';
import { issuedToken, noteIssuedToken } from './issued-token.ts';
import type { SessionCredential } from './session-credential.ts';
import type { SignInLimit } from './sign-in-limit.ts';

/** What the clients of all sessions share. */
export interface CallerClientSource {
  readonly transport: Transport;
  /** For long polls, which wait for seconds and must not keep others waiting. */
  readonly polls: Transport;
  readonly concurrency: CallerConcurrencyLimit;
  readonly callers: Callers;
  readonly signIns: SignInLimit;
  /** Called when a described path is not there. */
  onContradiction(): void;
}

/**
 * Makes the client of one session. It notices where the upstream contradicts what it described to the caller, and repeats a
 * call that was refused because the token of a browser's session has ended. A write is repeated as well: 401 says that it
 * was not carried out (RFC 9110, section 15.5.2), and the upstream has confirmed that it does not know the token.
 * @param address The client's; undefined when it is not known.
 */
export function createCallerClient(
  description: Description,
  credential: SessionCredential,
  address: string | undefined,
  { callers, transport, polls, concurrency, signIns, onContradiction }: CallerClientSource,
): ActionClient {
  const client = createActionClient(transport, description.metaNamespace);
  const poller = createActionClient(polls, description.metaNamespace);
  // An anonymous caller is an address.
  const share = credential.current === null ? networkOf(address ?? '') : credentialKey(credential.current);
  let hasSignedIn = false;

  async function signIn({ action, input }: ActionCall): Promise<void> {
    if (hasSignedIn) throw new InvalidInputError('Sign in once a request.', { action: action.scope });
    hasSignedIn = true;
    await signIns.attempt(action, input, address);
  }

  /** Actions that need no credential ignore one that has ended, and answer as if there were none. */
  async function ensureKnown({ auth }: Action, used: Credential | null, always = false): Promise<void> {
    if (!auth && used !== null) await callers.ensureKnown(used, { always, address });
  }

  function noteToken(call: ActionCall, result: ActionResult): void {
    const { action, input } = call;
    const own = action.auth ? credential.current : null;
    // It may be revoked.
    if (own !== null) callers.forget(own);
    const step = action.auth ? null : issuedToken(result);
    if (step !== null) signIns.noteStep(action, input, step);
    noteIssuedToken(callers.ends, call, result, { token: description.authentication.token, own });
  }

  async function send(call: ActionCall, caller: Caller, options: CallOptions): Promise<ActionResult> {
    const { action } = call;
    const sentAt = Date.now();
    try {
      const result = isPoll(action)
        ? await poller.call(call, caller, options)
        : await concurrency.run(share, () => client.call(call, caller, options), options.signal);
      // Actions that need no credential may be answered without a look at it.
      if (action.auth && caller.credential !== null) callers.ends.noteUse(caller.credential, sentAt);
      return result;
    } catch (error) {
      if (!(error instanceof ActionFailedError)) throw error;
      await ensureKnown(action, caller.credential, true);
      if (error.status === 403) callers.revalidate(caller.credential);
      else if (error.status === 404 && action.path.placeholders.length === 0) onContradiction();
      throw error;
    }
  }

  /** The session's credential, renewed where the upstream turns out not to know it before a call that would ignore it. */
  async function credentialFor(action: Action): Promise<Credential | null> {
    const used = credential.current;
    try {
      await ensureKnown(action, used);
    } catch (error) {
      if (!(error instanceof UnknownCredentialsError && (await credential.renew(used)))) throw error;
    }
    return credential.current;
  }

  async function sendRenewed(call: ActionCall, caller: Caller, options: CallOptions): Promise<ActionResult> {
    const used = await credentialFor(call.action);
    try {
      return await send(call, { ...caller, credential: used }, options);
    } catch (error) {
      if (!isUnauthenticated(error)) throw error;
      if (await credential.renew(used))
        return await send(call, { ...caller, credential: credential.current }, options);
      callers.forget(used);
      throw error;
    }
  }

  return {
    async call(call, caller, options = {}) {
      const { action } = call;
      const isToken = isTokenAction(action, description.authentication);
      if (isToken && !action.auth) await signIn(call);
      const result = await sendRenewed(call, caller, options);
      if (isToken) noteToken(call, result);
      return result;
    },
  };
}

const isUnauthenticated = (error: unknown): boolean =>
  error instanceof ActionFailedError && error.status === 401;
