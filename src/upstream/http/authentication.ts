import { createHmac, randomBytes } from 'node:crypto';
import type { AuthenticationMethods } from '../description/description.ts';
import { AmbiguousCredentialsError, UnsupportedCredentialsError } from '../errors/request-errors.ts';

/** A caller's credential: the header that carries it upstream, exactly as it came. */
export interface Credential {
  readonly kind: 'basic' | 'bearer' | 'token' | 'oauth2';
  /** Lower case. */
  readonly header: string;
  /** A secret: never logged, never part of an error. */
  readonly value: string;
}

/** Reads one header of a request by its name, in any case; null when it is absent. */
export type HeaderReader = (name: string) => string | null;

/**
 * Finds the caller's one credential: `Authorization` (Basic or Bearer), or a header that the description's
 * authentication methods name. Null for an anonymous caller; an empty header counts as absent.
 * @throws AmbiguousCredentialsError for two of them, UnsupportedCredentialsError for another `Authorization` scheme.
 */
export function readCredential(header: HeaderReader, methods: AuthenticationMethods): Credential | null {
  const candidates: Credential[] = [];
  const authorization = header('authorization')?.trim();
  if (authorization) candidates.push(readAuthorization(authorization));
  for (const [kind, name] of [
    ['token', methods.token?.httpHeader],
    ['oauth2', methods.oauth2?.httpHeader],
  ] as const) {
    const own = name?.toLowerCase();
    // Methods may share a header; what it holds is one credential.
    if (!own || own === 'authorization' || candidates.some((known) => known.header === own)) continue;
    const value = header(own)?.trim();
    if (value) candidates.push({ kind, header: own, value });
  }
  if (candidates.length > 1) {
    const names = candidates.map((candidate) => candidate.header).join(' and ');
    throw new AmbiguousCredentialsError(
      `Two credentials came with the request (${names}); send exactly one.`,
    );
  }
  return candidates[0] ?? null;
}

/**
 * Reads an `Authorization` value, e.g. the operator's own.
 * @throws UnsupportedCredentialsError unless it is a Basic or Bearer credential, AmbiguousCredentialsError for two of them, joined
 *   by a comma as headers are that were sent twice.
 */
export function readAuthorization(value: string): Credential {
  if (/^[a-z]+ [^,]+,\s*[a-z]+ /i.test(value))
    throw new AmbiguousCredentialsError('Two Authorization headers came with the request; send exactly one.');
  const scheme = /^(basic|bearer) +[^\s,]+$/i.exec(value)?.[1]?.toLowerCase();
  if (scheme !== 'basic' && scheme !== 'bearer') {
    throw new UnsupportedCredentialsError('The Authorization header must be "Basic …" or "Bearer …".');
  }
  return { kind: scheme, header: 'authorization', value };
}

const KEY = randomBytes(32);

/** Tells credentials apart without holding them: a keyed hash, of this process alone. */
export function credentialKey(credential: Pick<Credential, 'header' | 'value'> | null): string {
  const text = JSON.stringify(credential === null ? null : [credential.header, credential.value]);
  return createHmac('sha256', KEY).update(text).digest('base64');
}
