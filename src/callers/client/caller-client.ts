// Composes the client that carries out the calls of sessions.
import type { Observer } from '../../telemetry/observer.ts';
import type { Description } from '../../upstream/description/description.ts';
import { type ActionClient, createActionClient } from '../../upstream/http/action-client.ts';
import type { Transport } from '../../upstream/http/transport.ts';
import type { CallScheduler } from '../call-scheduler.ts';
import type { Callers } from '../callers.ts';
import type { SessionCaller } from '../session-caller.ts';
import type { SharedReads } from '../shared-reads.ts';
import type { SignInLimit } from '../sign-in-limit.ts';
import type { SessionClient } from './session-client.ts';
import { withCredentialCheck } from './with-credential-check.ts';
import { withFairShare } from './with-fair-share.ts';
import { withRefusalChecks } from './with-refusal-checks.ts';
import { withRenewal } from './with-renewal.ts';
import { withSharedReads } from './with-shared-reads.ts';
import { withSignInLimit } from './with-sign-in-limit.ts';
import { withTokenEnds } from './with-token-ends.ts';

/** What the clients of all descriptions share. */
export interface CallerClientSource {
  readonly transport: Transport;
  /** Connections for long polls, which last for seconds and must not delay other calls. */
  readonly polls: Transport;
  readonly scheduler: CallScheduler;
  readonly callers: Callers;
  readonly signIns: SignInLimit;
  readonly reads: SharedReads;
  readonly observer: Observer;
  /** Called when the upstream answers 404 for a described path without placeholders. */
  onContradiction(): void;
}

/** Makes the clients of sessions. Sessions with the same description share one. */
export class CallerClients {
  readonly #source: CallerClientSource;
  readonly #clients = new WeakMap<Description, SessionClient>();

  constructor(source: CallerClientSource) {
    this.#source = source;
  }

  /** The client of one session. */
  clientFor(session: SessionCaller, description: Description): ActionClient {
    const client = this.#sharedClientFor(description);
    return { call: (call, caller, options) => client.call(call, caller, session, options) };
  }

  #sharedClientFor(description: Description): SessionClient {
    let client = this.#clients.get(description);
    if (client === undefined) {
      client = createSessionClient(description, this.#source);
      this.#clients.set(description, client);
    }
    return client;
  }
}

/** Wraps the action client in one policy after another. A call passes them from last to first. */
function createSessionClient(
  { metaNamespace, authentication }: Description,
  { callers, transport, polls, scheduler, signIns, reads, observer, onContradiction }: CallerClientSource,
): SessionClient {
  const direct = createActionClient(transport, metaNamespace, observer);
  const poller = createActionClient(polls, metaNamespace, observer);
  // Innermost, so that a caller who waits for a turn holds nothing else up.
  const inTurn = withFairShare(direct, poller, scheduler, observer);
  // Inside the renewal, because it records the end of the token that was sent.
  const recorded = withTokenEnds(inTurn, callers, authentication);
  // Outside of the turns, because a shared call needs none, and of the record of token ends, because a shared call uses the token once.
  let client = withSharedReads(recorded, reads);
  // Inside the renewal, because a credential that has ended before the call can be renewed.
  client = withCredentialCheck(client, callers);
  client = withRenewal(client, callers);
  // Outside the renewal, because only a refusal that the renewal does not remove says something about the caller.
  client = withRefusalChecks(client, callers, onContradiction);
  // Outermost, so that a refused attempt costs the upstream nothing, and a repeated call counts once.
  return withSignInLimit(client, signIns, authentication);
}
