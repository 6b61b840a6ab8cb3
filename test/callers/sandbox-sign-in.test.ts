// Tests signing in to the sandbox through the facade.
import { describe, expect, it } from 'vitest';
import { ask, startPair } from '../helpers/facade.ts';
import { signInForTokens } from '../helpers/oauth.ts';
import { createOneTimeCode, signIn } from '../helpers/sign-in.ts';

const me = '{ userCurrent { login } }';

describe('signing in to the sandbox', () => {
  it('takes two steps through GraphQL for a user with two-step sign-in', async () => {
    await using pair = await startPair();
    const request = 'mutation { tokenRequest(input: { user: "totp", password: "sandbox", lifetime: FIXED })';
    const result = '{ token: result { token complete nextAction } userErrors { code } } }';
    type Step = { readonly token: { readonly token: string; readonly complete: boolean } };
    const first = await pair.ask<{ tokenRequest: Step }>(`${request} ${result}`, { login: null });
    expect(first.data?.tokenRequest.token).toMatchObject({ complete: false, nextAction: 'totp' });
    const second = await pair.ask<{ tokenTotp: Step }>(
      `mutation ($token: String!, $code: String!) { tokenTotp(input: { token: $token, code: $code }) ${result}`,
      {
        login: null,
        variables: {
          token: first.data?.tokenRequest.token.token,
          code: createOneTimeCode(pair.sandbox, Date.now()),
        },
      },
    );
    const token = second.data?.tokenTotp.token;
    expect(token).toMatchObject({ complete: true, nextAction: null });
    const headers = { [pair.sandbox.tokenHeader]: token?.token ?? '' };
    expect((await ask(pair.facade, me, { headers })).data).toEqual({ userCurrent: { login: 'totp' } });
  });

  it('sends an OAuth 2.0 access token upstream, as Bearer and in the described header', async () => {
    await using pair = await startPair();
    const { access } = await signInForTokens(pair.sandbox);
    const bearer = { authorization: `Bearer ${access}` };
    for (const headers of [bearer, { [pair.sandbox.oauthHeader]: access }]) {
      expect((await ask(pair.facade, me, { headers })).data).toEqual({ userCurrent: { login: 'user' } });
    }
    const wrong = { [pair.sandbox.oauthHeader]: pair.sandbox.users[1]?.token ?? '' };
    expect((await ask(pair.facade, me, { headers: wrong })).errors).toMatchObject([
      { extensions: { code: 'UNAUTHENTICATED' } },
    ]);
  });

  it('gives a token with a narrow scope only the actions of that scope', async () => {
    await using pair = await startPair();
    const token = await signIn(pair.sandbox, { scope: 'dataset#index token#*' });
    const headers = { [pair.sandbox.tokenHeader]: token };
    const { data, errors } = await ask(pair.facade, '{ datasets(first: 1) { nodes { name } } }', { headers });
    expect([data, errors]).toEqual([{ datasets: { nodes: [{ name: expect.any(String) }] } }, []]);
    const outside = await ask(pair.facade, me, { headers });
    expect([outside.errors.length, outside.data?.['userCurrent'] ?? null]).toEqual([1, null]);
  });
});
