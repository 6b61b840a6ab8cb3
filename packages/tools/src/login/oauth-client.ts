// Talks to an API's OAuth 2.0 provider: the code flow with PKCE (RFC 6749, 7636), renewal, and revocation (RFC 7009).
import * as oauth from 'oauth4webapi';
import { fetch, type RequestInit } from 'undici';
import { createDispatcher } from '../client/dispatcher.ts';
import { CommandError, EXIT_CODES } from '../command-line/exit-codes.ts';
import type { Connection } from '../read-settings.ts';

/** A provider, and the client that is registered there. */
export interface Registration {
  readonly provider: { readonly authorize: string; readonly token: string; readonly revoke: string };
  readonly clientId: string;
  /** Null for a public client, which relies on PKCE alone. */
  readonly clientSecret: string | null;
}

/** The tokens of a session. */
export interface Tokens {
  readonly access: string;
  readonly refresh: string | null;
  /** Milliseconds since 1970; null when the provider does not state it. */
  readonly expiresAt: number | null;
  /** Milliseconds between issue and end; null when it is unknown. */
  readonly lifetime: number | null;
}

/** A sign-in while the browser is at the provider. */
interface PendingSignIn {
  readonly state: string;
  readonly verifier: string;
  readonly redirectUri: string;
}

/** The provider has refused the user, or does not know a token. No message contains a code, a token or a secret. */
export class RefusedError extends CommandError {}

/** Longest wait for the provider. Milliseconds. */
const TIMEOUT = 15_000;
/** Hosts that may be reached over plain http. */
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;
/** Characters of a token that a header can carry. */
const TOKEN = /^[\x21-\x7e]+$/;
/** Seconds above which a lifetime counts as endless: the range of dates is limited. */
const MAX_LIFETIME = 100 * 365 * 86_400;
const REFUSED = 'The provider did not let you sign in';

/** A client of a provider. Its methods reject with CommandError, or RefusedError. */
export class OAuthClient implements AsyncDisposable {
  readonly #server: oauth.AuthorizationServer;
  readonly #client: oauth.Client;
  readonly #secret: oauth.ClientAuth;
  readonly #dispatcher: ReturnType<typeof createDispatcher>;
  readonly #options: oauth.TokenEndpointRequestOptions;

  constructor({ provider, clientId, clientSecret }: Registration, connection: Connection) {
    this.#server = {
      issuer: new URL(provider.authorize).origin,
      authorization_endpoint: provider.authorize,
      token_endpoint: provider.token,
      revocation_endpoint: provider.revoke,
    };
    this.#client = { client_id: clientId };
    this.#secret = clientSecret === null ? oauth.None() : oauth.ClientSecretPost(clientSecret);
    this.#dispatcher = createDispatcher(connection);
    this.#options = {
      [oauth.allowInsecureRequests]: LOOPBACK.test(new URL(provider.token).hostname),
      signal: () => AbortSignal.timeout(TIMEOUT),
      [oauth.customFetch]: (url: string, init: object) => this.#send(url, init),
    };
  }

  /** Returns the address to open in the browser, and the state to keep. @param scope Null lets the provider choose. */
  async begin(redirectUri: string, scope: string | null) {
    const pending: PendingSignIn = {
      state: oauth.generateRandomState(),
      verifier: oauth.generateRandomCodeVerifier(),
      redirectUri,
    };
    const url = new URL(this.#server.authorization_endpoint ?? '');
    const parameters = {
      response_type: 'code',
      client_id: this.#client.client_id,
      redirect_uri: redirectUri,
      ...(scope === null ? {} : { scope }),
      state: pending.state,
      code_challenge: await oauth.calculatePKCECodeChallenge(pending.verifier),
      code_challenge_method: 'S256',
    };
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    return { url: url.href, pending };
  }

  /** Exchanges the code in the callback address for tokens. */
  finish(callback: URL, { state, verifier, redirectUri }: PendingSignIn): Promise<Tokens> {
    return explained(REFUSED, async () => {
      const code = readCode(callback, this.#server, this.#client, state);
      const response = await oauth.authorizationCodeGrantRequest(
        this.#server,
        this.#client,
        this.#secret,
        code,
        redirectUri,
        verifier,
        this.#options,
      );
      return readTokens(await oauth.processAuthorizationCodeResponse(this.#server, this.#client, response));
    });
  }

  refresh(token: string): Promise<Tokens> {
    return explained('The session could not be renewed', async () => {
      const [server, client] = [this.#server, this.#client];
      const response = await oauth.refreshTokenGrantRequest(
        server,
        client,
        this.#secret,
        token,
        this.#options,
      );
      const fresh = readTokens(await oauth.processRefreshTokenResponse(server, client, response));
      return { ...fresh, refresh: fresh.refresh ?? token };
    });
  }

  revoke(token: string): Promise<void> {
    return explained('The session could not be revoked at the provider', async () => {
      await oauth.processRevocationResponse(
        await oauth.revocationRequest(this.#server, this.#client, this.#secret, token, this.#options),
      );
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#dispatcher.close();
  }

  /** Sends a request with undici's own `fetch`, since the global one takes no dispatcher of another release. */
  async #send(url: string, init: RequestInit): Promise<Response> {
    const answer = await fetch(url, { ...init, dispatcher: this.#dispatcher });
    const body = await answer.text();
    return new Response(body === '' ? null : body, { status: answer.status, headers: [...answer.headers] });
  }
}

/** Whether tokens end within a minute or the last quarter of their life, and can be renewed. */
export function isEnding({ refresh, expiresAt, lifetime }: Tokens): boolean {
  if (refresh === null || expiresAt === null) return false;
  return Date.now() >= expiresAt - Math.min(60_000, (lifetime ?? 60_000) / 4);
}

function readTokens({ access_token, refresh_token, expires_in }: oauth.TokenEndpointResponse): Tokens {
  if (!TOKEN.test(access_token)) throw refused("The provider's access token cannot be sent in a header.");
  const isEndless = expires_in === undefined || expires_in > MAX_LIFETIME;
  return {
    access: access_token,
    refresh: refresh_token ?? null,
    expiresAt: isEndless ? null : Date.now() + expires_in * 1000,
    lifetime: isEndless ? null : expires_in * 1000,
  };
}

/** @throws RefusedError when the address belongs to another sign-in, or reports a refusal. */
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
  throw refused(`${REFUSED}.`);
}

const refused = (message: string): CommandError => new RefusedError(EXIT_CODES.credentials, message);

/** Calls an endpoint of the provider, and says why it has failed. */
async function explained<T>(what: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof CommandError) throw error;
    if (error instanceof oauth.ResponseBodyError) {
      const message = `${what}${/^\w{1,40}$/.test(error.error) ? ` (${error.error})` : ''}.`;
      // Other codes concern the registration of the client, not the user.
      throw error.error === 'invalid_grant'
        ? refused(message)
        : new CommandError(EXIT_CODES.credentials, message);
    }
    const isAnswer =
      error instanceof oauth.OperationProcessingError || error instanceof oauth.WWWAuthenticateChallengeError;
    const response = error instanceof Error ? error.cause : undefined;
    const isDown = isAnswer && response instanceof Response ? response.status >= 500 : !isAnswer;
    throw isDown
      ? new CommandError(EXIT_CODES.unreachable, `${what}: the provider cannot be reached.`)
      : new CommandError(EXIT_CODES.credentials, `${what}: the response of the provider is invalid.`);
  }
}
