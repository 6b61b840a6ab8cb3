// Shares reads with the other operations of the credential.
import type { ActionClient } from '../../upstream/http/action-client.ts';
import type { SharedReads } from '../shared-reads.ts';
import type { SessionClient } from './session-client.ts';

/**
 * Sends calls, and lets reads share the calls and answers of equal ones. A call with a credential that was renewed during its session
 * shares nothing: watchers of actions report their ends for the first credential only.
 */
export function withSharedReads(client: ActionClient, reads: SharedReads): SessionClient {
  return {
    call(call, caller, { opened }, options = {}) {
      if (options.isWrite) return reads.write(caller, () => client.call(call, caller, options));
      if (!options.isRead || caller.key !== opened.key) return client.call(call, caller, options);
      return reads.read(call, caller, options, (meter) =>
        client.call(call, caller, meter === undefined ? options : { ...options, meter }),
      );
    },
  };
}
