// Limits the concurrent calls of each caller.
import { isPoll } from '../../schema/model/placement.ts';
import type { ActionClient } from '../../upstream/http/action-client.ts';
import { networkOf } from '../client-address.ts';
import type { CallerConcurrencyLimit } from '../concurrency-limit.ts';

/**
 * Sends calls when it is their caller's turn, and long polls at once through a client with connections of its own. Anonymous
 * callers share the limit of their network.
 */
export function withFairShare(
  client: ActionClient,
  poller: ActionClient,
  limit: CallerConcurrencyLimit,
): ActionClient {
  return {
    call(call, caller, options = {}) {
      if (isPoll(call.action)) return poller.call(call, caller, options);
      const requester = caller.credential === null ? networkOf(caller.address ?? '') : caller.key;
      const { signal, startSignal } = options;
      return limit.run(requester, () => client.call(call, caller, options), signal ?? startSignal);
    },
  };
}
