import type { IncomingHttpHeaders } from 'node:http';
import type { Caller } from '../engine/definition.ts';
import type { Accounts } from './accounts.ts';
import { everything, type Scope } from './scope.ts';
import type { Sessions } from './sessions.ts';

/** The HTTP header and the query parameter that carry a session token. */
export const tokenHeader = 'X-Service-Auth-Token';
export const tokenParameter = '_auth_token';

/** The HTTP header that carries an OAuth 2.0 access token where `Authorization` is impractical. */
export const oauthHeader = 'X-Service-OAuth2-Token';

/** Who calls, and with which session token if with one. */
export interface Credentials {
  readonly caller: Caller | null;
  readonly token: string | null;
}

/** A request that carries more than one token. */
export class TokenConflict extends Error {
  override readonly name = 'TokenConflict';
}

/** Finds the caller of a request; anonymous when nothing valid is given. */
export interface Authenticator {
  /** By basic before a token. Throws TokenConflict. */
  authenticate(headers: IncomingHttpHeaders, query: Readonly<Record<string, unknown>>): Credentials;
}

/** Knows the access tokens of OAuth 2.0. */
export interface AccessTokens {
  /** Undefined for a token that is unknown, expired or revoked. */
  find(token: string): { readonly userId: number; readonly scope: Scope } | undefined;
}

const anonymous: Credentials = { caller: null, token: null };

/** Authentication by HTTP basic, session token and OAuth 2.0 access token. */
export function createAuthenticator(
  accounts: Accounts,
  sessions: Sessions,
  accessTokens: AccessTokens,
): Authenticator {
  function byBasic(authorization: string | undefined): Caller | null {
    const basic = basicCredentials(authorization);
    const account = basic && accounts.verify(...basic);
    // Basic has no room for a second step (spec: HTTP basic).
    return account && account.totpSecret === null ? accounts.caller(account.id, everything) : null;
  }

  function bySession(token: string): Credentials {
    const session = sessions.use(token);
    return session ? { caller: accounts.caller(session.userId, session.scope), token } : anonymous;
  }

  function byAccessToken(token: string): Credentials {
    const grant = accessTokens.find(token);
    return grant ? { caller: accounts.caller(grant.userId, grant.scope), token: null } : anonymous;
  }

  return {
    authenticate(headers, query) {
      const caller = byBasic(headers.authorization);
      if (caller) return { caller, token: null };
      const given = [
        [bySession, headers[tokenHeader.toLowerCase()]],
        [bySession, query[tokenParameter]],
        [byAccessToken, bearerToken(headers.authorization)],
        [byAccessToken, headers[oauthHeader.toLowerCase()]],
      ] as const;
      const [first, second] = given.flatMap(([find, token]) =>
        typeof token === 'string' && token !== '' ? [{ find, token }] : [],
      );
      if (second) throw new TokenConflict('Multiple authentication tokens were provided');
      return first ? first.find(first.token) : anonymous;
    },
  };
}

/** The credentials of an `Authorization: Basic` header; undefined for another one. */
export function basicCredentials(
  authorization: string | undefined,
): readonly [login: string, secret: string] | undefined {
  const encoded = /^Basic +(\S+)$/i.exec(authorization ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const [, login, secret] = /^([^:]*):([\s\S]*)$/.exec(Buffer.from(encoded, 'base64').toString('utf8')) ?? [];
  return login === undefined || secret === undefined ? undefined : [login, secret];
}

/**
 * The challenge of a refusal: how to authenticate, and for a bearer token what is wrong with it (RFC 6750, section 3).
 * Undefined for an answer that needs none.
 */
export function challenge(status: number, authorization: string | undefined): string | undefined {
  const bearer = 'Bearer realm="Restricted Area"';
  const tried = bearerToken(authorization) !== undefined;
  if (status === 403 && tried) return `${bearer}, error="insufficient_scope"`;
  if (status !== 401) return undefined;
  return `Basic realm="Restricted Area", ${bearer}${tried ? ', error="invalid_token"' : ''}`;
}

function bearerToken(authorization: string | undefined): string | undefined {
  return /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
}
