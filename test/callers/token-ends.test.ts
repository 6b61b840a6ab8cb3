// Tests the end of tokens that the field session reports.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openBrowserAtStub, tokenMethod } from '../helpers/browser.ts';
import { ask } from '../helpers/facade.ts';
import { sharePair } from '../helpers/shared-pair.ts';
import { createOneTimeCode } from '../helpers/sign-in.ts';
import { answerTokens } from '../helpers/stub-provider.ts';

const ME = '{ userCurrent { login } }';
const TOKEN = '{ token: result { token validTo } userErrors { message } }';
const RENEW = `mutation { it: tokenRenew { token: result { validTo } userErrors { message } } }`;

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

const pair = sharePair({ sandbox: { now: () => Date.now() } });
const wait = (seconds: number): void => void vi.setSystemTime(Date.now() + seconds * 1000);
/** Seconds from now. */
const fromNow = (text: unknown): number => (Date.parse(String(text)) - Date.now()) / 1000;

interface Issued {
  readonly it: { readonly token: { readonly token: string; readonly validTo: string } };
}

async function mutate(mutation: string): Promise<Issued['it']['token']> {
  const { data, errors } = await pair.ask<Issued>(`mutation { it: ${mutation} ${TOKEN} }`, { login: null });
  expect(errors).toEqual([]);
  if (data === null) throw new Error('expected a token');
  return data.it.token;
}

/** Signs in, and reads the end of the token from the facade. */
async function holder(input: string, user = 'user') {
  const request = `tokenRequest(input: { user: "${user}", password: "sandbox", ${input} })`;
  let issued = await mutate(request);
  if (user === 'totp') {
    const code = createOneTimeCode(pair.sandbox, Date.now());
    issued = await mutate(`tokenTotp(input: { token: "${issued.token}", code: "${code}" })`);
  }
  const headers = { [pair.sandbox.tokenHeader]: issued.token };
  return {
    ...issued,
    headers,
    ask: (query: string) => ask<Record<string, never>>(pair.facade, query, { headers }),
    async expiresAt(): Promise<string | null> {
      const { data, errors } = await ask<{ session: { expiresAt: string | null } }>(
        pair.facade,
        '{ session { expiresAt } }',
        { headers },
      );
      expect(errors).toEqual([]);
      return data?.session.expiresAt ?? null;
    },
  };
}

describe('the end of a token that each use renews', () => {
  it.each([
    ['one step', 'user'],
    ['two steps', 'totp'],
  ])('is unknown after a sign-in with %s', async (_name, user) => {
    const token = await holder('lifetime: RENEWABLE_AUTO, interval: 200', user);
    expect(await token.expiresAt()).toBeNull();
    expect((await token.ask(RENEW)).data?.['it']).toMatchObject({ token: { validTo: expect.any(String) } });
    expect(await token.expiresAt()).toBeNull();
  });
});

describe('the end of any other token', () => {
  it('is the one that the API states at a renewal', async () => {
    const token = await holder('lifetime: RENEWABLE_MANUAL, interval: 200');
    wait(100);
    const renewed = await token.ask(RENEW);
    expect(renewed.data?.['it']).toMatchObject({ token: { validTo: await token.expiresAt() } });
    expect(fromNow(await token.expiresAt())).toBe(200);
  });

  it.each(['FIXED', 'RENEWABLE_MANUAL'])('does not move with its use: %s', async (lifetime) => {
    const token = await holder(`lifetime: ${lifetime}, interval: 200`);
    wait(100);
    await token.ask(ME);
    expect(await token.expiresAt()).toBe(token.validTo);
  });

  it('is unknown once the API accepts the token after it, because another client renewed the token', async () => {
    const token = await holder('lifetime: RENEWABLE_MANUAL, interval: 200');
    wait(100);
    const renew = `${pair.sandbox.url}/_auth/token/tokens/renew`;
    expect((await fetch(renew, { method: 'POST', headers: token.headers })).status).toBe(200);
    wait(150);
    expect((await token.ask(ME)).data).toEqual({ userCurrent: { login: 'user' } });
    expect(await token.expiresAt()).toBeNull();
  });

  it('is unknown once the API accepts a browser’s token after it, if there is no refresh token', async () => {
    await using at = await openBrowserAtStub(tokenMethod({}));
    at.provider.answer = answerTokens({ expires_in: 60 });
    await at.signIn();
    const query = '{ session { authenticated expiresAt } }';
    expect(await at.ask(query)).toMatchObject({
      data: { session: { authenticated: true, expiresAt: new Date(Date.now() + 60_000).toISOString() } },
    });
    wait(61);
    expect(await at.ask(query)).toMatchObject({
      data: { session: { authenticated: true, expiresAt: null } },
    });
  });
});
