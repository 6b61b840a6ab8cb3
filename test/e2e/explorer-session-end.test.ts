// Tests how long a session of the explorer lasts, and how the page shows its end.
import type { Page } from 'playwright-core';
import { afterEach, expect, test, vi } from 'vitest';
import { CLIENT } from '../helpers/browser.ts';
import {
  openAccount,
  panel,
  signInAtProvider,
  waitForSignedIn,
  waitForSignedOut,
} from '../helpers/explorer-page.ts';
import { startPair } from '../helpers/facade.ts';
import { describeInBrowser, openPage } from '../helpers/shared-browser.ts';

/** Opens the explorer over a sandbox whose clock is that of the test. The clock of the browser moves with it by `pass`. */
async function open() {
  vi.useFakeTimers({ toFake: ['Date'] });
  const pair = await startPair({
    sandbox: { now: () => Date.now(), oauthClients: [CLIENT] },
    facade: { oauth: { clientId: CLIENT.id, clientSecret: CLIENT.secret } },
  });
  const server = await pair.listen();
  const page = await openPage();
  await page.clock.install();
  await page.goto(server.url);
  return {
    page,
    pass(time: number) {
      vi.setSystemTime(Date.now() + time);
      return page.clock.fastForward(time);
    },
    async [Symbol.asyncDispose]() {
      await page.context().close();
      await pair[Symbol.asyncDispose]();
    },
  };
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

afterEach(() => void vi.useRealTimers());

/** Executes the example, which uses the token. */
async function use(page: Page): Promise<void> {
  const answer = page.waitForResponse(
    (response) => response.request().postData()?.includes('query Example') === true,
  );
  await page.getByRole('button', { name: 'Execute query' }).click();
  await (await answer).finished();
}

/** Signs in by user name and password, with the lifetime of the form. */
async function signIn(page: Page): Promise<void> {
  await panel(page).getByLabel('User', { exact: true }).fill('user');
  await panel(page).getByLabel('Password', { exact: true }).fill('sandbox');
  await panel(page).getByRole('button', { name: 'Sign in', exact: true }).click();
  await waitForSignedIn(page);
}

describeInBrowser('the session of a page', () => {
  test('with a fixed validity shows its end, and says that it has ended though nobody uses the page', async () => {
    await using explorer = await open();
    const { page } = explorer;
    await openAccount(page);
    const form = panel(page);
    const lifetime = form.getByLabel('Lifetime');
    expect(await lifetime.inputValue()).toBe('RENEWABLE_AUTO');
    expect(await lifetime.locator('option').allTextContents()).toEqual([
      'Fixed validity period, cannot be renewed',
      'Valid until deleted',
      'Renewed automatically to now plus interval on every use',
      'Can be renewed, only by calling the renew action',
    ]);
    await lifetime.selectOption('FIXED');
    await signIn(page);
    const end = await page.evaluate(`new Date(${Date.now() + 12 * HOUR}).toLocaleString()`);
    for (const elapsed of [0, HOUR]) {
      vi.setSystemTime(Date.now() + elapsed);
      await use(page);
      await openAccount(page);
      await expect.poll(() => form.locator('dd').last().textContent()).toBe(end);
      await page.keyboard.press('Escape');
      await form.waitFor({ state: 'hidden' });
    }
    // The clock of the page has not moved until now.
    await explorer.pass(12 * HOUR + MINUTE);
    await panel(page).getByText('Your session has ended').waitFor();
    await page.keyboard.press('Escape');
    await waitForSignedOut(page);
  });

  test('at the provider is renewed while the page is open, and says that it has ended', async () => {
    await using explorer = await open();
    const { page } = explorer;
    await signInAtProvider(page, 'user');
    const renewed = page.waitForResponse(
      (response) => response.request().postData()?.includes('expiresAt') === true,
    );
    await explorer.pass(HOUR + MINUTE);
    expect((await (await renewed).json()).data.session).toMatchObject({ authenticated: true });
    await explorer.pass(31 * 24 * HOUR);
    await panel(page).getByText('Your session has ended').waitFor();
    await page.keyboard.press('Escape');
    await waitForSignedOut(page);
  });
});
