// Defines the client for the calls of sessions.
import type { ActionCall, ActionResult, CallOptions } from '../../upstream/http/action-client.ts';
import type { Caller } from '../../upstream/http/caller.ts';
import type { SessionCaller } from '../session-caller.ts';

/** Calls described actions for sessions. It serves all sessions with the same description. */
export interface SessionClient {
  /**
   * @param caller Has the credential that the call carries.
   * @throws What the action client throws.
   */
  call(
    call: ActionCall,
    caller: Caller,
    session: SessionCaller,
    options?: CallOptions,
  ): Promise<ActionResult>;
}
