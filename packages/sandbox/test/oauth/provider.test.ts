// Tests the OAuth 2.0 provider with a third-party client.
import * as oauth from 'oauth4webapi';
import { afterAll, describe, expect, test } from 'vitest';
import {
  allowHttp,
  authorizationServer,
  redirectUri,
  seededClient,
  signInAt,
} from '../../../../test/helpers/oauth.ts';
import { listenSandbox } from '../../src/listen-sandbox.ts';

const sandbox = await listenSandbox();
afterAll(() => sandbox.close());

const server = authorizationServer(sandbox);
const { id, secret } = seededClient(sandbox);
const client = { client_id: id };

/** Runs the code flow with PKCE. The user signs in on the provider's pages. */
async function signIn(login: string, authentication: oauth.ClientAuth): Promise<oauth.TokenEndpointResponse> {
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const url = new URL(server.authorization_endpoint ?? '');
  url.search = new URLSearchParams({
    response_type: 'code',
    client_id: id,
    redirect_uri: redirectUri,
    scope: 'user#* dataset#*',
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  }).toString();
  const redirect = await signInAt(sandbox, url.href, login);
  expect(`${redirect.origin}${redirect.pathname}`).toBe(redirectUri);
  const parameters = oauth.validateAuthResponse(server, client, redirect, state);
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    authentication,
    parameters,
    redirectUri,
    verifier,
    allowHttp,
  );
  return oauth.processAuthorizationCodeResponse(server, client, response);
}

async function findLogin(token: string): Promise<string | number> {
  const url = new URL(`${sandbox.url}/v7.0/users/current`);
  const response = await oauth
    .protectedResourceRequest(token, 'GET', url, undefined, null, allowHttp)
    .catch((error: unknown) => {
      if (error instanceof oauth.WWWAuthenticateChallengeError) return error.response;
      throw error;
    });
  return response.ok ? (await response.json()).response.user.login : response.status;
}

describe('a third-party OAuth client', () => {
  test.each([
    ['user', 'its secret in the body', oauth.ClientSecretPost(secret)],
    ['totp', 'its secret in the Authorization header', oauth.ClientSecretBasic(secret)],
  ])('signs %s in with PKCE and %s, refreshes and revokes the tokens', async (login, _, authentication) => {
    const tokens = await signIn(login, authentication);
    expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 3600, scope: 'user#* dataset#*' });
    expect(await findLogin(tokens.access_token)).toBe(login);

    const refreshing = await oauth.refreshTokenGrantRequest(
      server,
      client,
      authentication,
      tokens.refresh_token ?? '',
      allowHttp,
    );
    const fresh = await oauth.processRefreshTokenResponse(server, client, refreshing);
    expect(fresh.refresh_token).not.toBe(tokens.refresh_token);
    expect([await findLogin(tokens.access_token), await findLogin(fresh.access_token)]).toEqual([401, login]);

    const revoking = await oauth.revocationRequest(
      server,
      client,
      authentication,
      fresh.refresh_token ?? '',
      allowHttp,
    );
    await oauth.processRevocationResponse(revoking);
    expect(await findLogin(fresh.access_token)).toBe(401);
  });
});
