// Reads the settings of the OAuth 2.0 client.
import { ConfigError } from './config-error.ts';
import { readAddress } from './read-address.ts';

/** The settings of the OAuth 2.0 client and of browser sessions. */
export interface OAuthConfig {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Scope that browsers request; null for the scope of a token that is requested without one. */
  readonly scope: string | null;
  /** Null for a random secret of the process. */
  readonly sessionSecret: string | null;
  /** Null for the address of each request, which must be loopback. */
  readonly publicUrl: string | null;
  /** Other origins whose pages may use the sessions. */
  readonly origins: readonly string[];
}

/** A list of scopes (RFC 6749, section 3.3). */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+( [\x21\x23-\x5b\x5d-\x7e]+)*$/;

/**
 * Reads the settings; null when OAuth 2.0 is not configured.
 * @throws ConfigError when a setting is missing or invalid.
 */
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
    throw new ConfigError('Signing in with OAuth 2.0 needs both --oauth-client-id and OAUTH_CLIENT_SECRET.');
  if (sessionSecret !== null && sessionSecret.length < 32)
    throw new ConfigError('SESSION_SECRET must be 32 characters or more.');
  if (scope !== null && !SCOPE.test(scope))
    throw new ConfigError(
      'The OAuth scope must be words separated by single spaces (RFC 6749, section 3.3).',
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
      throw new ConfigError('Each origin must be like https://app.example.org, without a path or wildcard.');
  }
  return origins;
}
