// Carries out the calls of sessions. Each call passes the policies of its caller, which stand here in their order.
import { InvalidInputError, NotOfferedError } from '../loaders/errors.ts';
import type { Observer } from '../observer.ts';
import { untilAborted } from '../upstream/abortable.ts';
import { POLL_SCOPE } from '../upstream/actions/action-state-api.ts';
import type { Action, Description } from '../upstream/description/description.ts';
import { issuedToken, needsFurtherStep, tokenActions } from '../upstream/description/select-actions.ts';
import { ActionFailedError, UnknownCredentialsError } from '../upstream/errors.ts';
import {
  type ActionCall,
  type ActionClient,
  type ActionResult,
  type CallAction,
  type CallOptions,
  createCallAction,
} from '../upstream/http/action-client.ts';
import { type Caller, withoutClient } from '../upstream/http/caller.ts';
import type { Transport } from '../upstream/http/transport.ts';
import type { Callers } from './callers.ts';
import { clientOf } from './requester.ts';
import type { Session } from './session.ts';
import type { SharedReads } from './shared-reads.ts';
import type { SignInLimit } from './sign-in-limit.ts';

/** What the calls of all sessions need. */
interface CallerClientSource {
  readonly transport: Transport;
  readonly callers: Callers;
  readonly signIns: SignInLimit;
  readonly reads: SharedReads;
  readonly observer: Observer;
}

/** What the calls of all sessions with the same description need. */
interface DescribedApi {
  readonly callAction: CallAction;
  /** The header that carries tokens, in lower case; null where there is no token method. */
  readonly tokenHeader: string | null;
  /** The actions that issue, renew or revoke tokens, by `keyOf`. */
  readonly tokenActions: ReadonlySet<string>;
}

/** Makes a function that returns the client of a session. */
export function createCallerClients(source: CallerClientSource): (session: Session) => ActionClient {
  const apis = new WeakMap<Description, DescribedApi>();
  return (session) => {
    const { description } = session.served;
    let api = apis.get(description);
    if (api === undefined) {
      const { metaNamespace, authentication: methods } = description;
      api = {
        callAction: createCallAction(source.transport, metaNamespace, source.observer),
        tokenHeader: methods.token?.httpHeader.toLowerCase() ?? null,
        tokenActions: new Set(tokenActions(methods).map(keyOf)),
      };
      apis.set(description, api);
    }
    return new CallerClient(session, api, source);
  };
}

/** The client of one session. A call passes the methods below from top to bottom. */
class CallerClient implements ActionClient {
  readonly #session: Session;
  readonly #api: DescribedApi;
  readonly #source: CallerClientSource;

  constructor(session: Session, api: DescribedApi, source: CallerClientSource) {
    this.#session = session;
    this.#api = api;
    this.#source = source;
  }

  /** Refuses what the API does not describe to the caller, whose schema may be a part of one that others have. */
  call(call: ActionCall, options: CallOptions): Promise<ActionResult> {
    const { scope, resource } = call.action;
    if (!this.#session.served.scopes.has(scope))
      return Promise.reject(new NotOfferedError(resource.join('.')));
    const signsIn = !call.action.auth && this.#api.tokenActions.has(keyOf(call.action));
    return signsIn ? this.#signIn(call, options) : this.#renew(call, options);
  }

  /**
   * Sends one attempt to sign in for the session, as far as the limits for the network and the user allow it. Outermost, so that a
   * refused attempt costs the upstream nothing, and a repeated call counts once.
   */
  async #signIn(call: ActionCall, options: CallOptions): Promise<ActionResult> {
    const { action, input } = call;
    const { address } = this.#session.caller;
    const { signIns } = this.#source;
    if (this.#session.hasSignedIn)
      throw new InvalidInputError('A request may sign in only once; send each sign-in in its own request.', {
        action: action.scope,
      });
    this.#session.hasSignedIn = true;
    await signIns.attempt(action, input, address);
    const result = await this.#renew(call, options);
    const token = issuedToken(result.output);
    if (token === null) return result;
    if (needsFurtherStep(result.output)) await signIns.recordStep(action, input, token);
    else await signIns.recordSignIn(action, input, address);
    return result;
  }

  /** Sends a call with the session's current credential. */
  #renew(call: ActionCall, options: CallOptions): Promise<ActionResult> {
    const used = this.#session.currentCaller;
    return this.#verify(call, used, options).catch((error: unknown) =>
      this.#recover(error, call, used, options),
    );
  }

  /**
   * Sends a call once more if its credential has ended and can be renewed. It repeats a write too: 401 means that the request was not
   * applied (RFC 9110, section 15.5.2), and the upstream has confirmed that it does not know the token. A credential that cannot be
   * renewed is forgotten. Any other refusal may say that the credential has ended, or that the rights have changed.
   * @throws The failure of the last call, or UnknownCredentialsError, which alone is a better answer.
   */
  async #recover(
    error: unknown,
    call: ActionCall,
    used: Caller,
    options: CallOptions,
  ): Promise<ActionResult> {
    const { callers } = this.#source;
    const { signal } = options;
    let refusal = error;
    if (isUnauthenticated(error)) {
      // An operation that ends meanwhile gets the refusal: the write was not applied.
      if (await untilAborted(this.#session.renew(used), signal).catch(() => false))
        try {
          return await this.#verify(call, this.#session.currentCaller, options);
        } catch (failure) {
          refusal = failure;
        }
      else if (used.credential !== null) callers.forget(used);
    }
    if (refusal instanceof ActionFailedError) {
      const caller = this.#session.currentCaller;
      if (!call.action.auth) await untilAborted(callers.verify(caller), signal).catch(rethrowUnknown);
      if (refusal.status === 403) callers.revalidate(caller);
    }
    throw refusal;
  }

  /**
   * Verifies the credential before a call of an action that needs none, unless it was verified recently: the upstream answers an ended
   * one as if there were none. Inside the renewal, because a credential that has ended before the call can be renewed.
   */
  #verify(call: ActionCall, caller: Caller, options: CallOptions): Promise<ActionResult> {
    const { callers } = this.#source;
    if (call.action.auth || callers.isVerified(caller)) return this.#join(call, caller, options);
    return untilAborted(callers.verify(caller), options.signal).then(() => this.#join(call, caller, options));
  }

  /**
   * Lets reads join the calls of equal ones. A call with a credential that was renewed during the session joins none: watchers of actions
   * report their ends for the first one only.
   */
  #join(call: ActionCall, caller: Caller, options: CallOptions): Promise<ActionResult> {
    const { reads } = this.#source;
    if (options.kind === 'write') return reads.write(caller, () => this.#recordEnds(call, caller, options));
    if (options.kind !== 'read' || caller.key !== this.#session.caller.key)
      return this.#recordEnds(call, caller, options);
    return reads.read(call, caller, options, (meter) =>
      this.#recordEnds(call, caller, meter === undefined ? options : Object.assign({}, options, { meter })),
    );
  }

  /** Records the ends of tokens, from the calls that issue, renew or revoke them. */
  #recordEnds(call: ActionCall, caller: Caller, options: CallOptions): Promise<ActionResult> {
    const sent = this.#send(call, caller, options);
    const { tokenHeader, tokenActions } = this.#api;
    if (tokenHeader === null || !tokenActions.has(keyOf(call.action))) return sent;
    return sent.then((result) => {
      const { callers } = this.#source;
      // An action that needs no credential may succeed without its being checked.
      const used = call.action.auth ? caller.credential : null;
      // The action may have revoked the token.
      if (used !== null) callers.forget(used);
      callers.verifier.recordTokenAction(call, result.output, used, tokenHeader);
      return result;
    });
  }

  /** Sends a call when the queue lets its client, and a long poll at once. Innermost, so that a call that waits holds nothing else up. */
  #send(call: ActionCall, sender: Caller, options: CallOptions): Promise<ActionResult> {
    const caller = options.kind === 'poll' ? withoutClient(sender) : sender;
    const client = call.action.scope === POLL_SCOPE ? undefined : clientOf(caller);
    return this.#api.callAction(call, caller, options, client);
  }
}

/** Identifies an action in all descriptions of the API. A resource for signing in may have the path of another one. */
const keyOf = ({ scope, method, path }: Action): string => `${scope} ${method} ${path.text}`;

function rethrowUnknown(error: unknown): void {
  if (error instanceof UnknownCredentialsError) throw error;
}

const isUnauthenticated = (error: unknown): boolean =>
  error instanceof UnknownCredentialsError || (error instanceof ActionFailedError && error.status === 401);
