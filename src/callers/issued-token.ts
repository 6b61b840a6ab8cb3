// Reads tokens from the results of the token actions, and records when they end.
import type { AuthenticationMethods } from '../upstream/description/description.ts';
import { renewsItself } from '../upstream/description/token-method.ts';
import type { ActionCall, ActionResult } from '../upstream/http/action-client.ts';
import type { Credential } from '../upstream/http/authentication.ts';
import { isObject } from '../upstream/reader.ts';
import type { TokenEnds } from './token-ends.ts';

/** What a call of a token action refers to. */
export interface TokenSource {
  readonly token: AuthenticationMethods['token'];
  /** The credential that the action renews or revokes; null when it issues a new one. */
  readonly own: Credential | null;
}

/** The token in the output of a token action; null for none. */
export function issuedToken({ output }: Pick<ActionResult, 'output'>): string | null {
  const token = isObject(output) ? output['token'] : null;
  return typeof token === 'string' ? token : null;
}

/** Records the end of a token that a token action has issued or renewed. */
export function noteIssuedToken(
  ends: TokenEnds,
  { action, input }: ActionCall,
  result: ActionResult,
  { token, own }: TokenSource,
): void {
  const toCredential = (value: string): Credential | null =>
    token === null ? null : { kind: 'token', header: token.httpHeader.toLowerCase(), value };
  const movesWithUse = (credential: Credential | null): boolean =>
    credential !== null && ends.endOf(credential)?.movesWithUse === true;
  const { valid_to: validTo } = isObject(result.output) ? result.output : {};
  const at = typeof validTo === 'string' ? validTo : null;
  const issued = issuedToken(result);
  if (issued === null) {
    if (own !== null && at !== null) ends.note(own, { at, movesWithUse: movesWithUse(own) });
    return;
  }
  const credential = toCredential(issued);
  // A further step of signing in issues the token with the lifetime that the first step requested.
  const isStep = Object.values(input).some(
    (value) => typeof value === 'string' && movesWithUse(toCredential(value)),
  );
  if (credential !== null) ends.note(credential, { at, movesWithUse: isStep || renewsItself(action, input) });
}
