// Reads the settings of the OAuth 2.0 client.

import { ConfigError } from './config-error.ts';
import { readAddress } from './read-address.ts';

/** The facade as a client of the API's OAuth 2.0 provider. */
export interface OAuthConfig {
  readonly clientId: string;
  readonly clientSecret: string;
  /** What browsers ask the provider for; null: what a token gets that is requested without a scope. */
  readonly scope: string | null;
  /** Null: one of this process. */
  readonly sessionSecret: string | null;
  /** Null: that of each request, on this machine alone. */
  readonly publicUrl: string | null;
  /** Foreign origins whose pages may use the sessions. */
  readonly origins: readonly string[];
}

/** A list of scopes as providers read it (RFC 6749, section 3.3). */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+( [\x21\x23-\x5b\x5d-\x7e]+)*$/;

/** @throws ConfigError for settings that are incomplete or not well formed. */
export function readOAuth(
  clientId: string | undefined,
  scope: string | null,
  publicAddress: string | undefined,
  origins: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): OAuthConfig | null {
  const clientSecret = env['OAUTH_CLIENT_SECRET'];
  const sessionSecret = env['SESSION_SECRET'] || null;
  if (!clientId && !clientSecret && scope === null) return null;
  if (!clientId || !clientSecret)
    throw new ConfigError('Signing in by OAuth 2.0 takes both --oauth-client-id and OAUTH_CLIENT_SECRET.');
  if (sessionSecret !== null && sessionSecret.length < 32)
    throw new ConfigError('SESSION_SECRET must be 32 characters or more.');
  if (scope !== null && !SCOPE.test(scope))
    throw new ConfigError(
      'The OAuth scope must be words with one space between them (RFC 6749, section 3.3).',
    );
  const hint = 'the client is given by --oauth-client-id';
  const url = readAddress(publicAddress, 'public URL', 'https://graphql.example.org/', hint);
  return Object.freeze({
    clientId,
    clientSecret,
    scope,
    sessionSecret,
    publicUrl: url?.origin ?? null,
    origins: readOrigins(origins),
  });
}

function readOrigins(text = ''): readonly string[] {
  const given = text.split(',').map((origin) => origin.trim().replace(/\/$/, ''));
  const origins = given.filter((origin) => origin !== '');
  for (const origin of origins) {
    if (!/^https?:/.test(origin) || !URL.canParse(origin) || new URL(origin).origin !== origin)
      throw new ConfigError(
        'The origins must be like https://app.example.org, without a path; none is a wildcard.',
      );
  }
  return origins;
}
