// Checks the decrypted values of cookies.
import { isObject, type JsonObject } from '../../upstream/json.ts';
import type { PendingSignIn, Tokens } from './oauth-client.ts';

/** The value of a sealed cookie; null when it is absent, undefined when it is invalid. */
export type Unsealed = Readonly<Record<string, unknown>> | null | undefined;

/** Whether a value has the tokens of a session. */
export function isTokens(value: unknown): value is Tokens & JsonObject {
  if (!isObject(value)) return false;
  const { access, refresh, expiresAt, lifetime } = value;
  return (
    typeof access === 'string' &&
    (refresh === null || typeof refresh === 'string') &&
    (expiresAt === null || typeof expiresAt === 'number') &&
    (lifetime === null || typeof lifetime === 'number')
  );
}

/** Whether a value has the state of a sign-in. */
export function isPending(
  value: Unsealed,
): value is PendingSignIn & { readonly returnTo: string } & Readonly<Record<string, unknown>> {
  return (
    value !== null &&
    value !== undefined &&
    ['state', 'nonce', 'verifier', 'redirectUri', 'returnTo'].every((name) => typeof value[name] === 'string')
  );
}
