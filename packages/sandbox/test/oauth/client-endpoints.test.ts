// Tests the codes and tokens of the OAuth 2.0 provider.
import { afterAll, describe, expect, test } from 'vitest';
import {
  authorizationCode,
  redirectUri,
  requestTokens,
  seededClient,
  signInForTokens,
  submit,
} from '../../../../test/helpers/oauth.ts';
import { ordinaryUser } from '../../../../test/helpers/sandbox-requests.ts';
import { basicHeader, findLogin } from '../../../../test/helpers/sign-in.ts';
import { listenSandbox } from '../../src/listen-sandbox.ts';

const sandbox = await listenSandbox();
afterAll(() => sandbox.close());
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const who = (token: string) => findLogin(sandbox, bearer(token));

// The example of RFC 7636, appendix B.
const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
const pkce = { code_challenge: challenge, code_challenge_method: 'S256' };
const redeem = (code: string) => ({ grant_type: 'authorization_code', code, redirect_uri: redirectUri });
const refresh = (token: string) => ({ grant_type: 'refresh_token', refresh_token: token });
const invalidGrant = { status: 400, error: 'invalid_grant', error_description: expect.any(String) };

describe('an authorization code', () => {
  test('is accepted once, and a second use revokes its tokens', async () => {
    const { access, refresh: token, code } = await signInForTokens(sandbox);
    expect(await who(access)).toBe('user');
    expect(await requestTokens(sandbox, redeem(code))).toEqual(invalidGrant);
    expect(await who(access)).toBe(401);
    expect(await requestTokens(sandbox, refresh(token))).toEqual(invalidGrant);
  });

  test.each([
    ['the redirect URI of its request', {}, { redirect_uri: 'http://127.0.0.1:49153/callback' }],
    ['the verifier of its challenge', pkce, { code_verifier: `${verifier.slice(0, -1)}x` }],
    ['a verifier where there was a challenge', pkce, {}],
    ['no verifier where there was no challenge', {}, { code_verifier: verifier }],
  ])('requires %s, and is used up by a wrong attempt', async (_, requestParameters, wrong) => {
    const code = await authorizationCode(sandbox, requestParameters);
    expect(await requestTokens(sandbox, { ...redeem(code), ...wrong })).toEqual(invalidGrant);
    const right = 'code_challenge' in requestParameters ? { code_verifier: verifier } : {};
    expect(await requestTokens(sandbox, { ...redeem(code), ...right })).toEqual(invalidGrant);
  });
});

describe('a refresh token', () => {
  test('that is used twice revokes every token of its grant', async () => {
    const old = await signInForTokens(sandbox);
    const fresh = await requestTokens(sandbox, refresh(old.refresh));
    expect(await requestTokens(sandbox, refresh(old.refresh))).toEqual(invalidGrant);
    expect(await who(String(fresh['access_token']))).toBe(401);
    expect(await requestTokens(sandbox, refresh(String(fresh['refresh_token'])))).toEqual(invalidGrant);
  });
});

describe('an access token', () => {
  test('is not accepted as a session token, nor a session token as an access token', async () => {
    const { access } = await signInForTokens(sandbox);
    const { token } = ordinaryUser(sandbox);
    expect(await findLogin(sandbox, { [sandbox.tokenHeader]: access })).toBe(401);
    expect(await findLogin(sandbox, {}, `?_auth_token=${access}`)).toBe(401);
    expect([await who(token), await findLogin(sandbox, { [sandbox.oauthHeader]: token })]).toEqual([
      401, 401,
    ]);
    const reply = await submit(sandbox, 'revoke', {
      client_id: seededClient(sandbox).id,
      client_secret: seededClient(sandbox).secret,
      token,
    });
    expect([reply.status, await findLogin(sandbox, { [sandbox.tokenHeader]: token })]).toEqual([200, 'user']);
  });

  test('is not accepted together with another token', async () => {
    const { access } = await signInForTokens(sandbox);
    const { token } = ordinaryUser(sandbox);
    expect(await findLogin(sandbox, { ...bearer(access), [sandbox.tokenHeader]: token })).toBe(400);
    expect(await findLogin(sandbox, { ...bearer(access), [sandbox.oauthHeader]: access })).toBe(400);
    expect(
      await findLogin(sandbox, { ...basicHeader('admin', 'sandbox'), [sandbox.oauthHeader]: access }),
    ).toBe('admin');
  });
});
