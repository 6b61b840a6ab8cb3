// Tests the OAuth 2.0 endpoints of the sandbox, and access tokens through GraphQL.
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ask } from '../helpers/facade.ts';
import {
  authorizationCode,
  authorizeUrl,
  seededClient as clientOf,
  signInForTokens as freshTokens,
  redirectUri,
  requestTokens,
  signInAt,
  submit,
  visit,
} from '../helpers/oauth.ts';
import { send } from '../helpers/sandbox-requests.ts';
import { sharePair } from '../helpers/shared-pair.ts';

const ME = '{ userCurrent { login } }';

const pair = sharePair();

/** Who an access token is through GraphQL: the login, or the code of the refusal. */
async function who(headers: Record<string, string>): Promise<unknown> {
  const { data, errors } = await ask<{ userCurrent: { login: string } }>(pair.facade, ME, { headers });
  return errors[0]?.extensions['code'] ?? data?.userCurrent.login;
}
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe('OAuth 2.0', () => {
  it('[oauth/authorize] the login page redirects the user with code and state', async () => {
    const page = await visit(authorizeUrl(pair.sandbox, { scope: 'dataset#*' }));
    expect([page.status, page.transaction === '']).toEqual([200, false]);
    const back = await signInAt(pair.sandbox, authorizeUrl(pair.sandbox), 'user');
    expect(`${back.origin}${back.pathname}`).toBe(redirectUri);
    expect(back.searchParams.get('state')).toBe('a b&c');
    expect(back.searchParams.get('code')).toMatch(/\w+/);
  });

  it('[oauth/response-type] the authorize endpoint refuses other response types than code', async () => {
    const { location } = await visit(authorizeUrl(pair.sandbox, { response_type: 'token' }));
    expect(location?.searchParams.get('error')).toBe('unsupported_response_type');
  });

  it('[oauth/grant-types] the token endpoint refuses other grant types than code and refresh token', async () => {
    const grant = { grant_type: 'password', username: 'user', password: 'sandbox' };
    expect(await requestTokens(pair.sandbox, grant)).toMatchObject({
      status: 400,
      error: 'unsupported_grant_type',
    });
  });

  it('[oauth/token] the token endpoint exchanges a code for tokens, given the client’s id and secret', async () => {
    const { id, secret } = clientOf(pair.sandbox);
    const code = await authorizationCode(pair.sandbox);
    const fields = { grant_type: 'authorization_code', code, redirect_uri: redirectUri };
    const wrong = await submit(pair.sandbox, 'token', { ...fields, client_id: id, client_secret: 'no' });
    expect(wrong.status).toBe(401);
    const { status, text } = await submit(pair.sandbox, 'token', {
      ...fields,
      client_id: id,
      client_secret: secret,
    });
    expect([status, JSON.parse(text)]).toMatchObject([
      200,
      { token_type: 'Bearer', refresh_token: expect.any(String) },
    ]);
    expect(await who(bearer(JSON.parse(text).access_token))).toBe('user');
  });

  it('[oauth/pkce] the token endpoint exchanges a code with a challenge only for its verifier', async () => {
    const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    const redeem = async (proof: Record<string, string>) => {
      const asked = { code_challenge: challenge, code_challenge_method: 'S256' };
      const code = await authorizationCode(pair.sandbox, asked);
      const grant = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, ...proof };
      return requestTokens(pair.sandbox, grant);
    };
    for (const wrong of [{}, { code_verifier: challenge }, { code_verifier: `${verifier}x` }])
      expect(await redeem(wrong)).toMatchObject({ status: 400, error: 'invalid_grant' });
    const { status, access_token: token } = await redeem({ code_verifier: verifier });
    expect([status, await who(bearer(String(token)))]).toEqual([200, 'user']);
  });

  it('[oauth/bearer] the facade passes an access token on as Bearer', async () => {
    const { access } = await freshTokens(pair.sandbox);
    expect(await who(bearer(access))).toBe('user');
    expect(pair.calls.at(-1)?.headers['authorization']).toBe(`Bearer ${access}`);
    expect(await who(bearer('nobody’s'.replace('’', '')))).toBe('UNAUTHENTICATED');
  });

  it('[oauth/header] the facade passes an access token on in its own header', async () => {
    const { access } = await freshTokens(pair.sandbox);
    expect(await who({ [pair.sandbox.oauthHeader]: access })).toBe('user');
    expect(pair.calls.at(-1)?.headers[pair.sandbox.oauthHeader.toLowerCase()]).toBe(access);
  });

  it('[oauth/refresh] the token endpoint gives new tokens for a refresh token, and the old ones end', async () => {
    const { refresh, access } = await freshTokens(pair.sandbox);
    const fresh = await requestTokens(pair.sandbox, { grant_type: 'refresh_token', refresh_token: refresh });
    expect(fresh).toMatchObject({ status: 200 });
    expect(await who(bearer(String(fresh['access_token'])))).toBe('user');
    expect(await who(bearer(access))).toBe('UNAUTHENTICATED');
  });

  for (const kind of ['access', 'refresh'] as const) {
    it(`[oauth/revoke-${kind}] the revoke endpoint ends both tokens, given the ${kind} token`, async () => {
      const tokens = await freshTokens(pair.sandbox);
      expect(await who(bearer(tokens.access))).toBe('user');
      const { id, secret } = clientOf(pair.sandbox);
      const fields = { token: tokens[kind], client_id: id, client_secret: secret };
      expect((await submit(pair.sandbox, 'revoke', fields)).status).toBe(200);
      expect(await who(bearer(tokens.access))).toBe('UNAUTHENTICATED');
    });
  }

  it('[oauth/endpoints] the description names the OAuth endpoints and has basic as an empty object', async () => {
    const { envelope } = await send(pair.sandbox, '/v7.0/', null, { method: 'OPTIONS' });
    expect(envelope['response']?.['authentication']?.['basic']).toEqual({});
    expect(envelope['response']?.['authentication']).toMatchObject({
      oauth2: {
        authorize_url: `${pair.sandbox.url}/_auth/oauth2/authorize`,
        token_url: `${pair.sandbox.url}/_auth/oauth2/token`,
        revoke_url: `${pair.sandbox.url}/_auth/oauth2/revoke`,
      },
    });
  });
});
