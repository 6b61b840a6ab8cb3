import type { AuthenticationMethods } from '../upstream/description/description.ts';
import { renewsItself } from '../upstream/description/token-method.ts';
import type { ActionCall, ActionResult } from '../upstream/http/action-client.ts';
import type { Credential } from '../upstream/http/authentication.ts';
import { isObject } from '../upstream/reader.ts';
import type { TokenEnds } from './token-ends.ts';

/** What an action of the token method was called for. */
export interface TokenSource {
  readonly token: AuthenticationMethods['token'];
  /** The credential that the action acts on; null where it issues a new one. */
  readonly own: Credential | null;
}

/** The token in the answer of an action of the token method; null for none. */
export function issuedToken({ output }: Pick<ActionResult, 'output'>): string | null {
  const token = isObject(output) ? output['token'] : null;
  return typeof token === 'string' ? token : null;
}

/** Remembers when a token ends that an action of the token method has issued or renewed. */
export function noteIssuedToken(
  ends: TokenEnds,
  { action, input }: ActionCall,
  result: ActionResult,
  { token, own }: TokenSource,
): void {
  const credentialOf = (value: string): Credential | null =>
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
  const credential = credentialOf(issued);
  // A further step of signing in leads to the token that the first one asked for.
  const isStep = Object.values(input).some(
    (value) => typeof value === 'string' && movesWithUse(credentialOf(value)),
  );
  if (credential !== null) ends.note(credential, { at, movesWithUse: isStep || renewsItself(action, input) });
}
