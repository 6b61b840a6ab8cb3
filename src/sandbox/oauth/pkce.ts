import { createHash } from 'node:crypto';
import type { Form } from './form.ts';
import { OAuthError } from './oauth-error.ts';

/** The code challenge of an authorization request, null for none; throws OAuthError for any method but S256 (RFC 7636). */
export function readChallenge(form: Form): string | null {
  const challenge = form.get('code_challenge');
  const method = form.get('code_challenge_method');
  if (challenge === undefined && method === undefined) return null;
  if (method !== 'S256') throw new OAuthError('invalid_request', 'code_challenge_method has to be S256');
  if (challenge === undefined || !/^[A-Za-z0-9_-]{43}$/.test(challenge)) {
    throw new OAuthError('invalid_request', 'code_challenge is not one of S256');
  }
  return challenge;
}

/** Whether a verifier answers a challenge. Without a challenge there must be no verifier: somebody has taken it away. */
export function isAnswered(challenge: string | null, verifier: string | undefined): boolean {
  if (challenge === null || verifier === undefined) return challenge === null && verifier === undefined;
  if (!/^[A-Za-z0-9._~-]{43,128}$/.test(verifier)) return false;
  return createHash('sha256').update(verifier).digest('base64url') === challenge;
}
