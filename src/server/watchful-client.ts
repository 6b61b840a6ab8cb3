import { isPoll } from '../schema/placement.ts';
import { type Credential, credentialKey } from '../upstream/authentication.ts';
import {
  type ActionCall,
  type ActionClient,
  type ActionResult,
  type Caller,
  createActionClient,
} from '../upstream/client.ts';
import type { Action, Description } from '../upstream/description.ts';
import { ActionFailedError, InvalidInputError } from '../upstream/errors.ts';
import { isObject } from '../upstream/reader.ts';
import { isTokenAction } from '../upstream/token-method.ts';
import type { Transport } from '../upstream/transport.ts';
import { networkOf } from './address.ts';
import type { Callers } from './callers.ts';
import type { FairShare } from './fair-share.ts';
import type { SessionCredential } from './session-credential.ts';
import type { SignInLimit } from './sign-in-limit.ts';

/** What the clients of all sessions share. */
export interface ClientSource {
  readonly transport: Transport;
  /** For long polls, which wait for seconds and must not keep others waiting. */
  readonly polls: Transport;
  readonly fairShare: FairShare;
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
export function createWatchfulClient(
  description: Description,
  credential: SessionCredential,
  address: string | undefined,
  { callers, transport, polls, fairShare, signIns, onContradiction }: ClientSource,
): ActionClient {
  const client = createActionClient(transport, description.metaNamespace);
  const poller = createActionClient(polls, description.metaNamespace);
  // Anonymous callers are told apart by where they are.
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

  async function send(call: ActionCall, caller: Caller, signal?: AbortSignal): Promise<ActionResult> {
    const { action } = call;
    await ensureKnown(action, caller.credential);
    try {
      return isPoll(action)
        ? await poller.call(call, caller, signal)
        : await fairShare.run(share, () => client.call(call, caller, signal), signal);
    } catch (error) {
      if (!(error instanceof ActionFailedError)) throw error;
      await ensureKnown(action, caller.credential, true);
      if (error.status === 403) callers.doubt(caller.credential);
      else if (error.status === 404 && action.path.placeholders.length === 0) onContradiction();
      throw error;
    }
  }

  async function sendRenewed(call: ActionCall, caller: Caller, signal?: AbortSignal): Promise<ActionResult> {
    const used = credential.current;
    try {
      return await send(call, { ...caller, credential: used }, signal);
    } catch (error) {
      if (!isUnauthenticated(error)) throw error;
      if (await credential.renew(used))
        return await send(call, { ...caller, credential: credential.current }, signal);
      callers.forget(used);
      throw error;
    }
  }

  return {
    async call(call, caller, signal) {
      const { action, input } = call;
      const isToken = isTokenAction(action, description.authentication);
      if (isToken && !action.auth) await signIn(call);
      const result = await sendRenewed(call, caller, signal);
      if (isToken) noteToken(callers, description, credential.current, action, result);
      const step = isToken && !action.auth ? tokenOf(result) : null;
      if (step !== null) signIns.noteStep(action, input, step);
      return result;
    },
  };
}

const isUnauthenticated = (error: unknown): boolean =>
  error instanceof ActionFailedError && error.status === 401;

/** Remembers how long a token lives that was issued or renewed, and forgets the caller whose token it was: it may be revoked. */
function noteToken(
  callers: Callers,
  { authentication }: Description,
  credential: Credential | null,
  { auth }: Action,
  { output }: ActionResult,
): void {
  const { valid_to: expiresAt } = isObject(output) ? output : {};
  const token = tokenOf({ output });
  const header = authentication.token?.httpHeader.toLowerCase();
  if (auth) callers.forget(credential);
  const own = auth ? credential : null;
  const issued =
    token !== null && header !== undefined ? ({ kind: 'token', header, value: token } as const) : own;
  if (issued !== null && typeof expiresAt === 'string') callers.noteExpiry(issued, expiresAt);
}

function tokenOf({ output }: Pick<ActionResult, 'output'>): string | null {
  const token = isObject(output) ? output['token'] : null;
  return typeof token === 'string' ? token : null;
}
