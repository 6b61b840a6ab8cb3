// Authenticates requests by HTTP basic, session tokens and OAuth 2.0 access tokens.
import type { IncomingHttpHeaders } from 'node:http';
import type { Caller } from '../engine/definition.ts';
import type { Accounts } from './accounts.ts';
import { FULL_SCOPE, type Scope } from './scope.ts';
import type { Sessions } from './sessions.ts';

/** The HTTP header that carries a session token. */
export const TOKEN_HEADER = 'X-Service-Auth-Token';
/** The query parameter that carries a session token. */
export const TOKEN_PARAMETER = '_auth_token';

/** The HTTP header that can carry an OAuth 2.0 access token instead of `Authorization`. */
export const OAUTH_HEADER = 'X-Service-OAuth2-Token';

/** The caller of a request, and the session token if the request has one. */
export interface Credentials {
  readonly caller: Caller | null;
  readonly token: string | null;
}

/** The error for a request with more than one token. */
export class TokenConflict extends Error {
  override readonly name = 'TokenConflict';
}

/** Authenticates requests. */
export interface Authenticator {
  /**
   * Finds the caller of a request. HTTP basic takes precedence over a token. A request without a valid credential is
   * anonymous.
   * @throws TokenConflict when the request has more than one token.
   */
  authenticate(headers: IncomingHttpHeaders, query: Readonly<Record<string, unknown>>): Credentials;
}

/** The access tokens of OAuth 2.0. */
export interface AccessTokens {
  /** Finds the user and scope of a token. Undefined when the token is unknown, expired or revoked. */
  find(token: string): { readonly userId: number; readonly scope: Scope } | undefined;
}

const ANONYMOUS: Credentials = { caller: null, token: null };

/** Creates an authenticator for HTTP basic, session tokens and OAuth 2.0 access tokens. */
export function createAuthenticator(
  accounts: Accounts,
  sessions: Sessions,
  accessTokens: AccessTokens,
): Authenticator {
  function findByBasic(authorization: string | undefined): Caller | null {
    const basic = readBasicCredentials(authorization);
    const account = basic && accounts.verify(...basic);
    // HTTP basic cannot carry a second step (specification: HTTP basic).
    return account && account.totpSecret === null ? accounts.createCaller(account.id, FULL_SCOPE) : null;
  }

  function findBySession(token: string): Credentials {
    const session = sessions.use(token);
    return session ? { caller: accounts.createCaller(session.userId, session.scope), token } : ANONYMOUS;
  }

  function findByAccessToken(token: string): Credentials {
    const grant = accessTokens.find(token);
    return grant ? { caller: accounts.createCaller(grant.userId, grant.scope), token: null } : ANONYMOUS;
  }

  return {
    authenticate(headers, query) {
      const caller = findByBasic(headers.authorization);
      if (caller) return { caller, token: null };
      const given = [
        [findBySession, headers[TOKEN_HEADER.toLowerCase()]],
        [findBySession, query[TOKEN_PARAMETER]],
        [findByAccessToken, readBearerToken(headers.authorization)],
        [findByAccessToken, headers[OAUTH_HEADER.toLowerCase()]],
      ] as const;
      const [first, second] = given.flatMap(([find, token]) =>
        typeof token === 'string' && token !== '' ? [{ find, token }] : [],
      );
      if (second) throw new TokenConflict('Multiple authentication tokens were provided');
      return first ? first.find(first.token) : ANONYMOUS;
    },
  };
}

/** Reads the credentials of an `Authorization: Basic` header. Undefined for any other header. */
export function readBasicCredentials(
  authorization: string | undefined,
): readonly [login: string, secret: string] | undefined {
  const encoded = /^Basic +(\S+)$/i.exec(authorization ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const [, login, secret] = /^([^:]*):([\s\S]*)$/.exec(Buffer.from(encoded, 'base64').toString('utf8')) ?? [];
  return login === undefined || secret === undefined ? undefined : [login, secret];
}

/**
 * Creates the value of `WWW-Authenticate` for a status: the authentication schemes, and the error of a bearer token
 * (RFC 6750, section 3). Undefined for a status that needs no challenge.
 */
export function createChallenge(status: number, authorization: string | undefined): string | undefined {
  const bearer = 'Bearer realm="Restricted Area"';
  const hasBearerToken = readBearerToken(authorization) !== undefined;
  if (status === 403 && hasBearerToken) return `${bearer}, error="insufficient_scope"`;
  if (status !== 401) return undefined;
  return `Basic realm="Restricted Area", ${bearer}${hasBearerToken ? ', error="invalid_token"' : ''}`;
}

function readBearerToken(authorization: string | undefined): string | undefined {
  return /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
}
