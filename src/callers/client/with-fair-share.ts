// Lets callers take turns.
import { isPoll } from '../../schema/model/placement.ts';
import type { Observer } from '../../telemetry/observer.ts';
import type { ActionClient } from '../../upstream/http/action-client.ts';
import type { CallScheduler } from '../call-scheduler.ts';

/** Makes calls when it is their caller's turn, and long polls at once through a client with connections of its own. */
export function withFairShare(
  client: ActionClient,
  poller: ActionClient,
  scheduler: CallScheduler,
  { queueWait }: Observer,
): ActionClient {
  return {
    call(call, caller, options = {}) {
      if (isPoll(call.action)) return poller.call(call, caller, options);
      const { signal, startSignal, cause = null } = options;
      const onWait = (): (() => void) => {
        const endReport = queueWait?.({ cause, action: call.action.scope });
        const endWait = options.onWait?.();
        return () => {
          endReport?.();
          endWait?.();
        };
      };
      // What is new comes first, see decision 113; the options of sessions have no `betweenTurns`.
      return scheduler.run({ caller, signal: signal ?? startSignal, onWait }, (betweenTurns) =>
        client.call(call, caller, { betweenTurns, ...options }),
      );
    },
  };
}
