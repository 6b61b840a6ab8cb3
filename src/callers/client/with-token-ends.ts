// Records when tokens end, from the calls that use, issue, renew or revoke them.
import type { AuthenticationMethods } from '../../upstream/description/description.ts';
import { issuedToken, isTokenAction, renewsItself } from '../../upstream/description/token-method.ts';
import type { ActionCall, ActionClient, ActionResult } from '../../upstream/http/action-client.ts';
import type { Caller } from '../../upstream/http/caller.ts';
import { type Credential, createCredential } from '../../upstream/http/caller.ts';
import { isObject } from '../../upstream/json.ts';
import type { Callers } from '../callers.ts';
import type { TokenEnds } from '../token-ends.ts';

/** Records the uses of credentials and the results of token actions. A caller whose token may be revoked is forgotten. */
export function withTokenEnds(
  client: ActionClient,
  callers: Callers,
  methods: AuthenticationMethods,
): ActionClient {
  const { ends } = callers;
  const callAndRecord: ActionClient['call'] = async (call, caller, options) => {
    const sentAt = Date.now();
    const result = await client.call(call, caller, options);
    const used = usedCredential(call, caller);
    if (used !== null) ends.recordUse(used, sentAt);
    if (methods.token !== null && isTokenAction(call.action, methods)) {
      if (used !== null) callers.forget(used);
      recordToken(ends, methods.token.httpHeader.toLowerCase(), call, result, used);
    }
    return result;
  };
  return {
    call(call, caller, options) {
      const used = usedCredential(call, caller);
      const isRecorded =
        isTokenAction(call.action, methods) || (used !== null && ends.endOf(used)?.isExtendedByUse === true);
      return isRecorded ? callAndRecord(call, caller, options) : client.call(call, caller, options);
    },
  };
}

/** The credential that a call uses; null when the action needs none, and may succeed without the credential being checked. */
const usedCredential = ({ action }: ActionCall, { credential }: Caller): Credential | null =>
  action.auth ? credential : null;

/**
 * @param header The header that carries tokens.
 * @param used The credential that the action renews or revokes; null when it issues a new one.
 */
function recordToken(
  ends: TokenEnds,
  header: string,
  { action, input }: ActionCall,
  result: ActionResult,
  used: Credential | null,
): void {
  const toCredential = (value: string): Credential => createCredential('token', header, value);
  const isExtendedByUse = (credential: Credential): boolean =>
    ends.endOf(credential)?.isExtendedByUse === true;
  const { valid_to: validTo } = isObject(result.output) ? result.output : {};
  const at = typeof validTo === 'string' ? validTo : null;
  const issued = issuedToken(result.output);
  if (issued === null) {
    if (used !== null && at !== null) ends.record(used, { at, isExtendedByUse: isExtendedByUse(used) });
    return;
  }
  // A further step of signing in issues the token with the lifetime that the first step requested.
  const isStep = Object.values(input).some(
    (value) => typeof value === 'string' && isExtendedByUse(toCredential(value)),
  );
  ends.record(toCredential(issued), { at, isExtendedByUse: isStep || renewsItself(action, input) });
}
