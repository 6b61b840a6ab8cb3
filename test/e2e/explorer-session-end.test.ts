// Tests how the sign-in panel shows the end of a session.
import type { Page } from 'playwright-core';
import { afterEach, expect, test, vi } from 'vitest';
import { startServer } from '../../src/server/server.ts';
import { openAccount, panel, waitForSignedIn } from '../helpers/explorer-page.ts';
import { startPair } from '../helpers/facade.ts';
import { describeInBrowser, openPage } from '../helpers/shared-browser.ts';

async function open() {
  const pair = await startPair({ sandbox: { now: () => Date.now() } });
  const server = await startServer(pair.facade, { host: '127.0.0.1', port: 0 });
  const page = await openPage();
  await page.goto(server.url);
  return {
    page,
    async [Symbol.asyncDispose]() {
      await page.context().close();
      await server.close();
      await pair[Symbol.asyncDispose]();
    },
  };
}

afterEach(() => void vi.useRealTimers());

/** Executes the example, which uses the token. */
async function use(page: Page): Promise<void> {
  const answer = page.waitForResponse(
    (response) => response.request().postData()?.includes('query Example') === true,
  );
  await page.getByRole('button', { name: 'Execute query' }).click();
  await (await answer).finished();
}

describeInBrowser('the dialog of a session', () => {
  test('lasts for a working day after its last use, and shows its end when it is opened', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    await using explorer = await open();
    const { page } = explorer;
    await openAccount(page);
    const form = panel(page);
    await form.getByLabel('User', { exact: true }).fill('user');
    await form.getByLabel('Password', { exact: true }).fill('sandbox');
    const lifetime = form.getByLabel('Lifetime');
    expect(await lifetime.inputValue()).toBe('RENEWABLE_AUTO');
    expect(await lifetime.locator('option').allTextContents()).toEqual([
      'Fixed validity period, cannot be renewed',
      'Valid until deleted',
      'Renewed automatically to now plus interval on every use',
      'Can be renewed, only by calling the renew action',
    ]);
    await form.getByRole('button', { name: 'Sign in', exact: true }).click();
    await waitForSignedIn(page);
    for (const elapsed of [0, 3_600_000, 7_200_000]) {
      vi.setSystemTime(Date.now() + elapsed);
      await use(page);
      await openAccount(page);
      const end = await page.evaluate(`new Date(${Date.now() + 12 * 3_600_000}).toLocaleString()`);
      await expect.poll(() => form.locator('dd').last().textContent()).toBe(end);
      await page.keyboard.press('Escape');
      await form.waitFor({ state: 'hidden' });
    }
  });
});
