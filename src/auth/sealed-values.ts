import type { PendingSignIn, Tokens } from './oauth-client.ts';

/** What a sealed cookie held; null where there was none, undefined where it was not good. */
export type Unsealed = Readonly<Record<string, unknown>> | null | undefined;

export function isTokens(value: Unsealed): value is Tokens & Readonly<Record<string, unknown>> {
  if (value === null || value === undefined) return false;
  const { access, refresh, expiresAt, lifetime } = value;
  return (
    typeof access === 'string' &&
    (refresh === null || typeof refresh === 'string') &&
    (expiresAt === null || typeof expiresAt === 'number') &&
    (lifetime === null || typeof lifetime === 'number')
  );
}

export function isPending(
  value: Unsealed,
): value is PendingSignIn & { readonly returnTo: string } & Readonly<Record<string, unknown>> {
  return (
    value !== null &&
    value !== undefined &&
    ['state', 'nonce', 'verifier', 'redirectUri', 'returnTo'].every((name) => typeof value[name] === 'string')
  );
}
