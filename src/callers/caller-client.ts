// Makes the action client that carries out the calls of one session.
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
  /** Connections for long polls, which last for seconds and must not delay other calls. */
  readonly polls: Transport;
  readonly concurrency: CallerConcurrencyLimit;
  readonly callers: Callers;
  readonly signIns: SignInLimit;
  /** Called when the upstream answers 404 for a described path without placeholders. */
  onContradiction(): void;
}

/**
 * Makes the client of one session. The client revalidates the caller's description when the upstream contradicts it, and repeats
 * a call that was refused because the token of a browser's session has ended. It repeats a write too: 401 means that the request
 * was not applied (RFC 9110, section 15.5.2), and the upstream has confirmed that it does not know the token.
 * @param address The client's; undefined when it is unknown.
 */
export function createCallerClient(
  description: Description,
  credential: SessionCredential,
  address: string | undefined,
  { callers, transport, polls, concurrency, signIns, onContradiction }: CallerClientSource,
): ActionClient {
  const client = createActionClient(transport, description.metaNamespace);
  const poller = createActionClient(polls, description.metaNamespace);
  // Anonymous callers are limited by their network.
  const requester =
    credential.current === null ? networkOf(address ?? '') : credentialKey(credential.current);
  let hasSignedIn = false;

  async function signIn({ action, input }: ActionCall): Promise<void> {
    if (hasSignedIn) throw new InvalidInputError('Sign in once in each request.', { action: action.scope });
    hasSignedIn = true;
    await signIns.attempt(action, input, address);
  }

  /** Actions that need no credential answer an ended one as if there were none, so it is verified separately. */
  async function ensureKnown({ auth }: Action, used: Credential | null, always = false): Promise<void> {
    if (!auth && used !== null) await callers.ensureKnown(used, { always, address });
  }

  function noteToken(call: ActionCall, result: ActionResult): void {
    const { action, input } = call;
    const own = action.auth ? credential.current : null;
    // The action may have revoked it.
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
        : await concurrency.run(requester, () => client.call(call, caller, options), options.signal);
      // An action that needs no credential may succeed without the credential being checked.
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

  /** The session's credential. Before a call that would ignore an ended credential, it is verified, and renewed if it has ended. */
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
