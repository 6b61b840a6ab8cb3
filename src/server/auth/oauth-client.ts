import * as oauth from 'oauth4webapi';
import type { OAuthEndpoints } from '../../upstream/description.ts';

/** The facade as a client of the API's OAuth 2.0 provider, which issued both. */
export interface OAuthCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** What signing in gives. */
export interface Tokens {
  readonly access: string;
  readonly refresh: string | null;
  /** Milliseconds since 1970; null where the provider does not tell. */
  readonly expiresAt: number | null;
}

/** What of one sign-in is kept until the browser comes back. */
export interface PendingSignIn {
  readonly state: string;
  readonly verifier: string;
  readonly redirectUri: string;
}

/** Signs users in at a provider by the code flow with PKCE (RFC 6749, 7636, 7009). Every call rejects with OAuthFailure. */
export interface OAuthClient {
  /** Where to send the browser. */
  begin(redirectUri: string): Promise<{ readonly url: string; readonly pending: PendingSignIn }>;
  /** Exchanges the code that the browser came back with. */
  finish(callback: URL, pending: PendingSignIn): Promise<Tokens>;
  refresh(token: string): Promise<Tokens>;
  revoke(token: string): Promise<void>;
}

/** A sign-in that came to nothing. Its message holds no code, token or secret. */
export class OAuthFailure extends Error {
  override readonly name = 'OAuthFailure';
  /** Whether the provider could not be asked, rather than refused. */
  readonly isOutage: boolean;

  constructor(message: string, isOutage: boolean) {
    super(message);
    this.isOutage = isOutage;
  }
}

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Makes a client of a provider. Plain http is spoken to this machine alone. */
export function createOAuthClient(
  { authorize, token, revoke }: OAuthEndpoints,
  { clientId, clientSecret }: OAuthCredentials,
): OAuthClient {
  const server: oauth.AuthorizationServer = {
    issuer: new URL(authorize).origin,
    authorization_endpoint: authorize,
    token_endpoint: token,
    revocation_endpoint: revoke,
  };
  const client: oauth.Client = { client_id: clientId };
  const secret = oauth.ClientSecretPost(clientSecret);
  const options = {
    [oauth.allowInsecureRequests]: LOOPBACK.test(new URL(token).hostname),
    signal: () => AbortSignal.timeout(15_000),
  };

  return {
    async begin(redirectUri) {
      const pending = {
        state: oauth.generateRandomState(),
        verifier: oauth.generateRandomCodeVerifier(),
        redirectUri,
      };
      const url = new URL(authorize);
      for (const [name, value] of Object.entries({
        response_type: 'code',
        client_id: clientId,
        redirect_uri: redirectUri,
        state: pending.state,
        code_challenge: await oauth.calculatePKCECodeChallenge(pending.verifier),
        code_challenge_method: 'S256',
      })) {
        url.searchParams.set(name, value);
      }
      return { url: url.href, pending };
    },
    finish: (callback, { state, verifier, redirectUri }) =>
      guarded('The provider did not let you sign in.', async () => {
        const parameters = oauth.validateAuthResponse(server, client, callback, state);
        const response = await oauth.authorizationCodeGrantRequest(
          server,
          client,
          secret,
          parameters,
          redirectUri,
          verifier,
          options,
        );
        return tokensOf(await oauth.processAuthorizationCodeResponse(server, client, response));
      }),
    refresh: (refreshToken) =>
      guarded('The session could not be renewed.', async () => {
        const response = await oauth.refreshTokenGrantRequest(server, client, secret, refreshToken, options);
        const fresh = tokensOf(await oauth.processRefreshTokenResponse(server, client, response));
        return { ...fresh, refresh: fresh.refresh ?? refreshToken };
      }),
    revoke: (given) =>
      guarded('The session could not be revoked at the provider.', async () => {
        await oauth.processRevocationResponse(
          await oauth.revocationRequest(server, client, secret, given, options),
        );
      }),
  };
}

function tokensOf({ access_token, refresh_token, expires_in }: oauth.TokenEndpointResponse): Tokens {
  return {
    access: access_token,
    refresh: refresh_token ?? null,
    expiresAt: expires_in === undefined ? null : Date.now() + expires_in * 1000,
  };
}

async function guarded<T>(message: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    const isRefusal =
      error instanceof oauth.ResponseBodyError ||
      error instanceof oauth.AuthorizationResponseError ||
      error instanceof oauth.WWWAuthenticateChallengeError ||
      (error instanceof oauth.OperationProcessingError && !(error.cause instanceof Response));
    throw new OAuthFailure(message, !isRefusal);
  }
}
