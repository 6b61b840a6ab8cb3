// Checks Proof Key for Code Exchange (RFC 7636) with the method S256.
import { createHash } from 'node:crypto';
import type { Form } from './form.ts';
import { OAuthError } from './oauth-error.ts';

/**
 * Reads the code challenge of an authorization request. Null: there is none.
 * @throws OAuthError when the challenge is malformed or its method is not S256.
 */
export function readChallenge(form: Form): string | null {
  const challenge = form.get('code_challenge');
  const method = form.get('code_challenge_method');
  if (challenge === undefined && method === undefined) return null;
  if (method !== 'S256') throw new OAuthError('invalid_request', 'code_challenge_method must be S256');
  if (challenge === undefined || !/^[A-Za-z0-9_-]{43}$/.test(challenge)) {
    throw new OAuthError('invalid_request', 'code_challenge is not an S256 challenge');
  }
  return challenge;
}

/** Whether a verifier matches a challenge. A verifier without a challenge fails: an attacker may have removed the challenge. */
export function isVerified(challenge: string | null, verifier: string | undefined): boolean {
  if (challenge === null || verifier === undefined) return challenge === null && verifier === undefined;
  if (!/^[A-Za-z0-9._~-]{43,128}$/.test(verifier)) return false;
  return createHash('sha256').update(verifier).digest('base64url') === challenge;
}
