// Signs users in with OAuth 2.0, and renews and revokes their tokens.
import * as oauth from 'oauth4webapi';
import { type Dispatcher, fetch, type RequestInit, Response } from 'undici';
import * as z from 'zod';
import type { OAuthEndpoints } from '../../upstream/description/description.ts';
import { OptiongraphError } from '../../upstream/errors.ts';
import { NO_CLIENT } from '../../upstream/http/client-headers.ts';

/** The client id and secret that the provider has issued. */
export interface OAuthCredentials {
  readonly clientId: string;
  /** Null for a public client (RFC 6749, section 2.1), which relies on PKCE alone. */
  readonly clientSecret: string | null;
}

/** The tokens of a session. `expiresAt` is in milliseconds since 1970, `lifetime` in milliseconds; null where the provider states none. */
export interface Tokens {
  readonly access: string;
  readonly refresh: string | null;
  readonly expiresAt: number | null;
  readonly lifetime: number | null;
}
export const tokensForm = z.object({
  access: z.string(),
  refresh: z.string().nullable(),
  expiresAt: z.number().nullable(),
  lifetime: z.number().nullable(),
});

/** The state of a sign-in while the browser is at the provider. */
export interface PendingSignIn {
  readonly state: string;
  readonly verifier: string;
  readonly redirectUri: string;
}
export const pendingForm = z.object({ state: z.string(), verifier: z.string(), redirectUri: z.string() });

/** Signs users in at a provider, with the code flow and PKCE (RFC 6749, 7636, 7009). Its methods reject only with OAuthFailure. */
export type OAuthClient = ReturnType<typeof createOAuthClient>;

/** A sign-in failed, or a session could not be renewed or revoked. The message contains no code, token or secret. */
export class OAuthFailure extends OptiongraphError {
  /**
   * `CREDENTIALS_UNKNOWN`: the provider refused the user. `UNREACHABLE`: it did not answer. `INVALID_RESPONSE`: its response is
   * invalid, or it refused the facade.
   */
  override readonly code: 'CREDENTIALS_UNKNOWN' | 'UNREACHABLE' | 'INVALID_RESPONSE';

  constructor(message: string, code: OAuthFailure['code']) {
    super(message);
    this.code = code;
  }
}

/** A token is renewed this many milliseconds before its end, but not before this last part of its lifetime. */
const RENEWAL_MARGIN = 60_000;
const RENEWAL_PART = 0.25;
/** Longest wait for the provider. Milliseconds. */
export const PROVIDER_TIMEOUT = 15_000;
/** Hosts that may be reached over plain http. */
export const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/**
 * Makes the client of a provider. It uses plain http only for loopback addresses.
 * @param scope The requested scope; null lets the provider choose (RFC 6749, section 3.3).
 * @param dispatcher Sends the requests to the provider.
 */
export function createOAuthClient(
  { authorize, token, revoke }: OAuthEndpoints,
  { clientId, clientSecret }: OAuthCredentials,
  scope: string | null,
  dispatcher: Dispatcher,
) {
  const server: oauth.AuthorizationServer = {
    issuer: new URL(authorize).origin,
    authorization_endpoint: authorize,
    token_endpoint: token,
    revocation_endpoint: revoke,
  };
  const client: oauth.Client = { client_id: clientId };
  const secret = clientSecret === null ? oauth.None() : oauth.ClientSecretPost(clientSecret);
  const options = {
    [oauth.allowInsecureRequests]: LOOPBACK.test(new URL(token).hostname),
    signal: () => AbortSignal.timeout(PROVIDER_TIMEOUT),
    // The global `fetch` takes no dispatcher of another release of undici.
    [oauth.customFetch]: async (url: string, init: RequestInit) =>
      (await fetch(url, { ...init, dispatcher })) as unknown as globalThis.Response,
  };

  return {
    /** Returns where to redirect the browser, and the state to keep. */
    async begin(redirectUri: string): Promise<{ readonly url: string; readonly pending: PendingSignIn }> {
      const [state, verifier] = [oauth.generateRandomState(), oauth.generateRandomCodeVerifier()];
      const url = new URL(authorize);
      const parameters = {
        response_type: 'code',
        client_id: clientId,
        redirect_uri: redirectUri,
        ...(scope === null ? {} : { scope }),
        state,
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      };
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
      return { url: url.href, pending: { state, verifier, redirectUri } };
    },
    /** Exchanges the code in the callback address for tokens. @param headers Those about the client; default: `NO_CLIENT`. */
    async finish(callback: URL, pending: PendingSignIn, headers = NO_CLIENT): Promise<Tokens> {
      const code = readCode(callback, server, client, pending.state);
      return callProvider(REFUSED, async () => {
        const response = await oauth.authorizationCodeGrantRequest(
          server,
          client,
          secret,
          code,
          pending.redirectUri,
          pending.verifier,
          { ...options, headers },
        );
        return readTokens(await oauth.processAuthorizationCodeResponse(server, client, response));
      });
    },
    refresh: (refresh: string, headers = NO_CLIENT): Promise<Tokens> =>
      callProvider('The session could not be renewed', async () => {
        const given = { ...options, headers };
        const response = await oauth.refreshTokenGrantRequest(server, client, secret, refresh, given);
        const fresh = readTokens(await oauth.processRefreshTokenResponse(server, client, response));
        return { ...fresh, refresh: fresh.refresh ?? refresh };
      }),
    revoke: (revoked: string, headers = NO_CLIENT): Promise<void> =>
      callProvider('The session could not be revoked at the provider', async () => {
        const given = { ...options, headers };
        const response = await oauth.revocationRequest(server, client, secret, revoked, given);
        await oauth.processRevocationResponse(response);
      }),
  };
}

/** Whether tokens are about to end and can be renewed. */
export function isEnding({ refresh, expiresAt, lifetime }: Tokens): boolean {
  if (refresh === null || expiresAt === null) return false;
  return Date.now() >= expiresAt - Math.min(RENEWAL_MARGIN, (lifetime ?? RENEWAL_MARGIN) * RENEWAL_PART);
}

/** Whether the access token has reached its stated end. */
export const hasEnded = ({ expiresAt }: Tokens): boolean => expiresAt !== null && Date.now() >= expiresAt;

/** The characters that a token may contain (RFC 6749, appendix A). */
const TOKEN = /^[\x20-\x7e]+$/;
/** Seconds above which a lifetime counts as endless: the range of dates is limited. */
const MAX_LIFETIME = 100 * 365 * 86_400;

function readTokens({ access_token, refresh_token, expires_in }: oauth.TokenEndpointResponse): Tokens {
  if (!TOKEN.test(access_token))
    throw new OAuthFailure("The provider's access token cannot be sent in a header.", 'INVALID_RESPONSE');
  const isEndless = expires_in === undefined || expires_in > MAX_LIFETIME;
  return {
    access: access_token,
    refresh: refresh_token ?? null,
    expiresAt: isEndless ? null : Date.now() + expires_in * 1000,
    lifetime: isEndless ? null : expires_in * 1000,
  };
}

const REFUSED = 'The provider did not let you sign in';

/**
 * Reads the code from the callback address.
 * @throws OAuthFailure when the address belongs to another sign-in, or reports a refusal.
 */
function readCode(
  callback: URL,
  server: oauth.AuthorizationServer,
  client: oauth.Client,
  state: string,
): URLSearchParams {
  try {
    const parameters = oauth.validateAuthResponse(server, client, callback, state);
    if (parameters.has('code')) return parameters;
  } catch {
    // The error below does not repeat the address, which the browser may have changed.
  }
  throw new OAuthFailure(`${REFUSED}.`, 'CREDENTIALS_UNKNOWN');
}

/** Calls an endpoint of the provider, and converts errors to OAuthFailure. */
async function callProvider<T>(message: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof OAuthFailure) throw error;
    if (error instanceof oauth.ResponseBodyError) {
      const reason = /^\w{1,40}$/.test(error.error) ? ` (${error.error})` : '';
      // Other error codes concern the configuration of the facade, not the user.
      const code = error.error === 'invalid_grant' ? 'CREDENTIALS_UNKNOWN' : 'INVALID_RESPONSE';
      throw new OAuthFailure(`${message}${reason}.`, code);
    }
    const isAnswer =
      error instanceof oauth.OperationProcessingError || error instanceof oauth.WWWAuthenticateChallengeError;
    const isDown = !isAnswer || (error.cause instanceof Response && error.cause.status >= 500);
    if (isDown) throw new OAuthFailure(`${message}: the provider cannot be reached.`, 'UNREACHABLE');
    throw new OAuthFailure(`${message}: the response of the provider is invalid.`, 'INVALID_RESPONSE');
  }
}
