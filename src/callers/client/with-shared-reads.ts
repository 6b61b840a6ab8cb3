// Shares reads with the other operations of the credential.
import type { ActionClient } from '../../upstream/http/action-client.ts';
import type { Caller } from '../../upstream/http/caller.ts';
import type { SharedReads } from '../shared-reads.ts';

/**
 * Sends calls, and lets reads share the calls and answers of equal ones.
 * @param owner The caller when the session was opened. A call with a credential that was renewed since then shares nothing: those who
 *   tell of the ends of actions know the first credential only.
 */
export function withSharedReads(client: ActionClient, reads: SharedReads, owner: Caller): ActionClient {
  return {
    call(call, caller, options = {}) {
      if (options.isWrite) return reads.write(caller, () => client.call(call, caller, options));
      if (!options.isRead || caller.key !== owner.key) return client.call(call, caller, options);
      return reads.read(call, caller, options, (meter) =>
        client.call(call, caller, meter === undefined ? options : { ...options, meter }),
      );
    },
  };
}
