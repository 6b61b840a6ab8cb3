import type { AccessTokens } from '../auth/authenticate.ts';
import { type Clock, createExpiringMap, randomName } from '../auth/expiring-map.ts';
import { isWithin, type Scope } from '../auth/scope.ts';
import { OAuthError } from './oauth-error.ts';
import { isAnswered } from './pkce.ts';

/** Milliseconds for which an authorization code, an access token and an unused refresh token live. */
const codeLife = 60_000;
const accessLife = 3_600_000;
const refreshLife = 30 * 86_400_000;

/** What a user agreed to. */
export interface Authorization {
  readonly clientId: string;
  readonly userId: number;
  readonly scope: Scope;
  /** As it stood in the authorization request; null where that left it out. */
  readonly redirectUri: string | null;
  /** Of PKCE; null for none. */
  readonly challenge: string | null;
}

/** How a client redeems a code. */
export interface Redemption {
  readonly clientId: string;
  readonly redirectUri: string | undefined;
  readonly verifier: string | undefined;
}

/** Tokens as the token endpoint issues them. */
export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  /** Seconds. */
  readonly expiresIn: number;
  readonly scope: Scope;
}

/** Codes and tokens of OAuth 2.0. */
export interface Grants extends AccessTokens {
  /** A code, good for one redemption. */
  authorize(authorization: Authorization): string;
  /** Throws OAuthError. A code that is redeemed again takes the tokens with it that it was redeemed for. */
  redeem(code: string, redemption: Redemption): Tokens;
  /**
   * New tokens, after which the old ones are worth nothing; throws OAuthError. An old refresh token that is used again was
   * stolen, by its first user or its second: neither keeps tokens.
   */
  refresh(refreshToken: string, clientId: string, scope: Scope | undefined): Tokens;
  /**
   * Revokes an access token alone, or a refresh token with its access token (RFC 7009). Does nothing for an unknown
   * token; throws OAuthError for another client's.
   */
  revoke(token: string, clientId: string): void;
}

/** What became of an authorization: the tokens that are good now, and which were before. */
interface Grant {
  readonly authorization: Authorization;
  accessToken: string;
  refreshToken: string;
}

interface Code {
  readonly authorization: Authorization;
  grant?: Grant;
  used: boolean;
}

/** The grants of one sandbox. */
export function createGrants(now: Clock): Grants {
  const codes = createExpiringMap<Code>(now);
  const access = createExpiringMap<{ readonly grant: Grant; readonly scope: Scope }>(now);
  const refreshes = createExpiringMap<Grant>(now);

  function issue(grant: Grant, scope: Scope): Tokens {
    access.delete(grant.accessToken);
    grant.accessToken = randomName();
    grant.refreshToken = randomName();
    access.set(grant.accessToken, { grant, scope }, now() + accessLife);
    refreshes.set(grant.refreshToken, grant, now() + refreshLife);
    const { accessToken, refreshToken } = grant;
    return { accessToken, refreshToken, expiresIn: accessLife / 1000, scope };
  }

  function end(grant: Grant | undefined): void {
    if (!grant) return;
    access.delete(grant.accessToken);
    refreshes.delete(grant.refreshToken);
    grant.refreshToken = '';
  }

  return {
    find(token) {
      const found = access.get(token);
      return found && { userId: found.grant.authorization.userId, scope: found.scope };
    },
    authorize(authorization) {
      const code = randomName();
      codes.set(code, { authorization, used: false }, now() + codeLife);
      return code;
    },
    redeem(name, { clientId, redirectUri, verifier }) {
      const code = codes.get(name);
      if (!code || code.authorization.clientId !== clientId) throw invalidGrant('unknown or expired code');
      if (code.used) {
        end(code.grant);
        throw invalidGrant('the code was used before');
      }
      code.used = true;
      const { authorization } = code;
      if ((authorization.redirectUri ?? undefined) !== redirectUri) {
        throw invalidGrant('redirect_uri is not that of the authorization request');
      }
      if (!isAnswered(authorization.challenge, verifier)) {
        throw invalidGrant('code_verifier does not answer the code_challenge');
      }
      code.grant = { authorization, accessToken: '', refreshToken: '' };
      return issue(code.grant, authorization.scope);
    },
    refresh(token, clientId, scope) {
      const grant = refreshes.get(token);
      if (!grant || grant.authorization.clientId !== clientId)
        throw invalidGrant('unknown or expired refresh token');
      if (grant.refreshToken !== token) {
        end(grant);
        throw invalidGrant('the refresh token was used before');
      }
      const granted = grant.authorization.scope;
      if (scope && !isWithin(scope, granted)) {
        throw new OAuthError('invalid_scope', 'the scope is wider than what was granted');
      }
      return issue(grant, scope ?? granted);
    },
    revoke(token, clientId) {
      const grant = refreshes.get(token) ?? access.get(token)?.grant;
      if (!grant) return;
      if (grant.authorization.clientId !== clientId)
        throw invalidGrant('the token was issued to another client');
      if (grant.accessToken === token) access.delete(token);
      else end(grant);
    },
  };
}

function invalidGrant(description: string): OAuthError {
  return new OAuthError('invalid_grant', description);
}
