// Composes the client that carries out the calls of one session.
import type { Observer } from '../../telemetry/observer.ts';
import type { Description } from '../../upstream/description/description.ts';
import { type ActionClient, createActionClient } from '../../upstream/http/action-client.ts';
import type { Transport } from '../../upstream/http/transport.ts';
import type { CallScheduler } from '../call-scheduler.ts';
import type { Callers } from '../callers.ts';
import type { SessionCaller } from '../session-caller.ts';
import type { SharedReads } from '../shared-reads.ts';
import type { SignInLimit } from '../sign-in-limit.ts';
import { withCredentialCheck } from './with-credential-check.ts';
import { withFairShare } from './with-fair-share.ts';
import { withRefusalChecks } from './with-refusal-checks.ts';
import { withRenewal } from './with-renewal.ts';
import { withSharedReads } from './with-shared-reads.ts';
import { withSignInLimit } from './with-sign-in-limit.ts';
import { withTokenEnds } from './with-token-ends.ts';

/** What the clients of all sessions share. */
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

/** Makes the client of one session: the action client, wrapped in one policy after another. A call passes them from last to first. */
export function createCallerClient(
  { metaNamespace, authentication }: Description,
  session: SessionCaller,
  { callers, transport, polls, scheduler, signIns, reads, observer, onContradiction }: CallerClientSource,
): ActionClient {
  const direct = createActionClient(transport, metaNamespace, observer);
  const poller = createActionClient(polls, metaNamespace, observer);
  // Innermost, so that a caller who waits for a turn holds nothing else up, and each repetition waits for its own turn.
  let client = withFairShare(direct, poller, scheduler, observer);
  // Inside the renewal, because the notes are about the credential that was sent.
  client = withTokenEnds(client, callers, authentication);
  // Outside of the turns, because a shared call needs none, and of the notes, because a shared call uses the token once.
  client = withSharedReads(client, reads, session.current);
  // Inside the renewal, because a credential that has ended before the call can be renewed.
  client = withCredentialCheck(client, callers);
  client = withRenewal(client, session, callers);
  // Outside the renewal, because only a refusal that the renewal does not remove says something about the caller.
  client = withRefusalChecks(client, session, callers, onContradiction);
  // Outermost, so that a refused attempt costs the upstream nothing, and a repeated call counts once.
  return withSignInLimit(client, signIns, authentication);
}
