import * as oauth from 'oauth4webapi';
import type { OAuthEndpoints } from '../upstream/description/description.ts';
import { OptiongraphError } from '../upstream/errors/optiongraph-error.ts';
import { isObject } from '../upstream/reader.ts';

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
  /** Milliseconds from their issue to that; null where it is not known. */
  readonly lifetime: number | null;
}

/** What of one sign-in is kept until the browser comes back. */
export interface PendingSignIn {
  readonly state: string;
  readonly nonce: string;
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

/** A sign-in that came to nothing, or a session that could not go on. Its message holds no code, token or secret. */
export class OAuthFailure extends OptiongraphError {
  /** Whether the provider refused the user, could not be asked, or did not answer as a provider does (or refused the facade). */
  override readonly code: 'CREDENTIALS_UNKNOWN' | 'UNREACHABLE' | 'INVALID_RESPONSE';

  constructor(message: string, code: OAuthFailure['code']) {
    super(message);
    this.code = code;
  }
}

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/**
 * Makes a client of a provider. Plain http is spoken to this machine alone.
 * @param scope What users are asked to grant; null leaves it to the provider (RFC 6749, section 3.3).
 */
export function createOAuthClient(
  { authorize, token, revoke }: OAuthEndpoints,
  { clientId, clientSecret }: OAuthCredentials,
  scope: string | null,
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
        nonce: oauth.generateRandomNonce(),
        verifier: oauth.generateRandomCodeVerifier(),
        redirectUri,
      };
      const url = new URL(authorize);
      for (const [name, value] of Object.entries({
        response_type: 'code',
        client_id: clientId,
        redirect_uri: redirectUri,
        ...(scope === null ? {} : { scope }),
        state: pending.state,
        nonce: pending.nonce,
        code_challenge: await oauth.calculatePKCECodeChallenge(pending.verifier),
        code_challenge_method: 'S256',
      })) {
        url.searchParams.set(name, value);
      }
      return { url: url.href, pending };
    },
    async finish(callback, { state, nonce, verifier, redirectUri }) {
      const parameters = codeIn(callback, server, client, state);
      return guarded(REFUSED, async () => {
        const response = await oauth.authorizationCodeGrantRequest(
          server,
          client,
          secret,
          parameters,
          redirectUri,
          verifier,
          options,
        );
        const checks = (await hasIdToken(response.clone())) ? { expectedNonce: nonce } : {};
        return tokensOf(await oauth.processAuthorizationCodeResponse(server, client, response, checks));
      });
    },
    refresh: (refreshToken) =>
      guarded('The session could not be renewed', async () => {
        const response = await oauth.refreshTokenGrantRequest(server, client, secret, refreshToken, options);
        const fresh = tokensOf(await oauth.processRefreshTokenResponse(server, client, response));
        return { ...fresh, refresh: fresh.refresh ?? refreshToken };
      }),
    revoke: (given) =>
      guarded('The session could not be revoked at the provider', async () => {
        await oauth.processRevocationResponse(
          await oauth.revocationRequest(server, client, secret, given, options),
        );
      }),
  };
}

/** Providers of plain OAuth 2.0 issue none; one that does has to give the nonce back in it. */
async function hasIdToken(response: Response): Promise<boolean> {
  const body: unknown = await response.json().catch(() => null);
  return isObject(body) && body['id_token'] !== undefined;
}

/** What a header can carry, so what a token can be (RFC 6749, appendix A). */
const SENDABLE = /^[\x20-\x7e]+$/;
/** Lives longer than these seconds are without an end: dates end somewhere. */
const LONGEST_LIFE = 100 * 365 * 86_400;

function tokensOf({ access_token, refresh_token, expires_in }: oauth.TokenEndpointResponse): Tokens {
  if (!SENDABLE.test(access_token))
    throw new OAuthFailure("The provider's access token cannot be sent in a header.", 'INVALID_RESPONSE');
  const isEndless = expires_in === undefined || expires_in > LONGEST_LIFE;
  return {
    access: access_token,
    refresh: refresh_token ?? null,
    expiresAt: isEndless ? null : Date.now() + expires_in * 1000,
    lifetime: isEndless ? null : expires_in * 1000,
  };
}

const REFUSED = 'The provider did not let you sign in';

/** What the browser came back with. @throws OAuthFailure where it is another sign-in's, or a refusal. */
function codeIn(
  callback: URL,
  server: oauth.AuthorizationServer,
  client: oauth.Client,
  state: string,
): URLSearchParams {
  try {
    const parameters = oauth.validateAuthResponse(server, client, callback, state);
    if (parameters.has('code')) return parameters;
  } catch {
    // Told below: what it was is the browser's or the user's own affair.
  }
  throw new OAuthFailure(`${REFUSED}.`, 'CREDENTIALS_UNKNOWN');
}

/** Tells apart what can go wrong at the token endpoint. */
async function guarded<T>(message: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof OAuthFailure) throw error;
    if (error instanceof oauth.ResponseBodyError) {
      const reason = /^\w{1,40}$/.test(error.error) ? ` (${error.error})` : '';
      // Any other refusal means the facade and its configuration, not this user.
      const code = error.error === 'invalid_grant' ? 'CREDENTIALS_UNKNOWN' : 'INVALID_RESPONSE';
      throw new OAuthFailure(`${message}${reason}.`, code);
    }
    const answered = error instanceof oauth.OperationProcessingError ? error.cause : error;
    const isDown = answered instanceof Response ? answered.status >= 500 : !isAnswer(error);
    throw new OAuthFailure(
      isDown ? `${message}: the provider could not be asked.` : `${message}: its answer makes no sense.`,
      isDown ? 'UNREACHABLE' : 'INVALID_RESPONSE',
    );
  }
}

const isAnswer = (error: unknown): boolean =>
  error instanceof oauth.OperationProcessingError || error instanceof oauth.WWWAuthenticateChallengeError;
