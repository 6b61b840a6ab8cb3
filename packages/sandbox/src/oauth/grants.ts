// Issues and stores the authorization codes and tokens of the OAuth 2.0 provider.
import type { AccessTokens } from '../auth/authenticate.ts';
import { type Clock, createExpiringMap, type ExpiringMap, randomToken } from '../auth/expiring-map.ts';
import { isWithin, type Scope } from '../auth/scope.ts';
import { OAuthError } from './oauth-error.ts';
import { isVerified } from './pkce.ts';

/** The lifetimes of authorization codes, access tokens and unused refresh tokens, in milliseconds. */
const CODE_LIFETIME = 60_000;
const ACCESS_TOKEN_LIFETIME = 3_600_000;
const REFRESH_TOKEN_LIFETIME = 30 * 86_400_000;

/** The access that a user has granted to a client. */
export interface Authorization {
  readonly clientId: string;
  readonly userId: number;
  readonly scope: Scope;
  /** The redirect URI of the authorization request. Null: the request had none. */
  readonly redirectUri: string | null;
  /** The code challenge of PKCE. Null: there is none. */
  readonly challenge: string | null;
}

/** What a client sends to redeem a code. */
export interface Redemption {
  readonly clientId: string;
  readonly redirectUri: string | undefined;
  readonly verifier: string | undefined;
}

/** Tokens as the token endpoint issues them. */
export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  /** The lifetime of the access token, in seconds. */
  readonly expiresIn: number;
  readonly scope: Scope;
}

/** The codes and tokens of OAuth 2.0. */
export interface Grants extends AccessTokens {
  /** Issues a code that can be redeemed once. */
  authorize(authorization: Authorization): string;
  /**
   * Redeems a code for tokens. Redeeming a code again revokes these tokens.
   * @throws OAuthError when the code is unknown, expired or used, or the request does not match its authorization.
   */
  redeem(code: string, redemption: Redemption): Tokens;
  /**
   * Issues new tokens and revokes the old ones. An old refresh token that is used again may be stolen, so all tokens of the
   * grant are then revoked.
   * @throws OAuthError when the refresh token is unknown, expired or used, or the scope is wider than the granted one.
   */
  refresh(refreshToken: string, clientId: string, scope: Scope | undefined): Tokens;
  /**
   * Revokes an access token, or a refresh token and its access token (RFC 7009). Ignores an unknown token.
   * @throws OAuthError when the token was issued to another client.
   */
  revoke(token: string, clientId: string): void;
}

/** The current tokens of an authorization. */
interface Grant {
  readonly authorization: Authorization;
  accessToken: string;
  /** Empty when the grant is revoked. */
  refreshToken: string;
}

interface Code {
  readonly authorization: Authorization;
  grant?: Grant;
  used: boolean;
}

/** Creates the grants of one sandbox. */
export function createGrants(now: Clock): Grants {
  return new StoredGrants(now);
}

class StoredGrants implements Grants {
  readonly #now: Clock;
  readonly #codes: ExpiringMap<Code>;
  readonly #grantsByAccessToken: ExpiringMap<{ readonly grant: Grant; readonly scope: Scope }>;
  readonly #grantsByRefreshToken: ExpiringMap<Grant>;

  constructor(now: Clock) {
    this.#now = now;
    this.#codes = createExpiringMap(now);
    this.#grantsByAccessToken = createExpiringMap(now);
    this.#grantsByRefreshToken = createExpiringMap(now);
  }

  find(token: string): ReturnType<AccessTokens['find']> {
    const found = this.#grantsByAccessToken.get(token);
    return found && { userId: found.grant.authorization.userId, scope: found.scope };
  }

  authorize(authorization: Authorization): string {
    const code = randomToken();
    this.#codes.set(code, { authorization, used: false }, this.#now() + CODE_LIFETIME);
    return code;
  }

  redeem(name: string, { clientId, redirectUri, verifier }: Redemption): Tokens {
    const code = this.#codes.get(name);
    if (!code || code.authorization.clientId !== clientId)
      throw createInvalidGrant('unknown or expired code');
    if (code.used) {
      this.#revokeGrant(code.grant);
      throw createInvalidGrant('the code has been used before');
    }
    code.used = true;
    const { authorization } = code;
    if ((authorization.redirectUri ?? undefined) !== redirectUri) {
      throw createInvalidGrant('redirect_uri differs from that of the authorization request');
    }
    if (!isVerified(authorization.challenge, verifier)) {
      throw createInvalidGrant('code_verifier does not match the code_challenge');
    }
    code.grant = { authorization, accessToken: '', refreshToken: '' };
    return this.#issue(code.grant, authorization.scope);
  }

  refresh(token: string, clientId: string, scope: Scope | undefined): Tokens {
    const grant = this.#grantsByRefreshToken.get(token);
    if (!grant || grant.authorization.clientId !== clientId)
      throw createInvalidGrant('unknown or expired refresh token');
    if (grant.refreshToken !== token) {
      this.#revokeGrant(grant);
      throw createInvalidGrant('the refresh token has been used before');
    }
    const granted = grant.authorization.scope;
    if (scope && !isWithin(scope, granted)) {
      throw new OAuthError('invalid_scope', 'the scope is wider than the granted scope');
    }
    return this.#issue(grant, scope ?? granted);
  }

  revoke(token: string, clientId: string): void {
    const grant = this.#grantsByRefreshToken.get(token) ?? this.#grantsByAccessToken.get(token)?.grant;
    if (!grant) return;
    if (grant.authorization.clientId !== clientId)
      throw createInvalidGrant('the token was issued to another client');
    if (grant.accessToken === token) this.#grantsByAccessToken.delete(token);
    else this.#revokeGrant(grant);
  }

  #issue(grant: Grant, scope: Scope): Tokens {
    this.#grantsByAccessToken.delete(grant.accessToken);
    grant.accessToken = randomToken();
    grant.refreshToken = randomToken();
    const { accessToken, refreshToken } = grant;
    this.#grantsByAccessToken.set(accessToken, { grant, scope }, this.#now() + ACCESS_TOKEN_LIFETIME);
    this.#grantsByRefreshToken.set(refreshToken, grant, this.#now() + REFRESH_TOKEN_LIFETIME);
    return { accessToken, refreshToken, expiresIn: ACCESS_TOKEN_LIFETIME / 1000, scope };
  }

  #revokeGrant(grant: Grant | undefined): void {
    if (!grant) return;
    this.#grantsByAccessToken.delete(grant.accessToken);
    this.#grantsByRefreshToken.delete(grant.refreshToken);
    grant.refreshToken = '';
  }
}

function createInvalidGrant(description: string): OAuthError {
  return new OAuthError('invalid_grant', description);
}
