// Lets callers take turns.
import { isPoll } from '../../schema/model/placement.ts';
import type { ActionClient } from '../../upstream/http/action-client.ts';
import type { InTurn } from '../../upstream/http/transport.ts';
import type { CallScheduler } from '../call-scheduler.ts';

/** Sends calls, and repeats reads, when it is their caller's turn, and long polls at once through a client with connections of its own. */
export function withFairShare(
  client: ActionClient,
  poller: ActionClient,
  scheduler: CallScheduler,
): ActionClient {
  return {
    call(call, caller, options = {}) {
      if (isPoll(call.action)) return poller.call(call, caller, options);
      const { signal, startSignal } = options;
      const inTurn: InTurn = (task) => scheduler.run(caller, task, signal ?? startSignal);
      return client.call(call, caller, { ...options, inTurn });
    },
  };
}
