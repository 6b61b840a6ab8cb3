// Tests how the sign-in panel shows the end of a session.
import { afterEach, expect, test, vi } from 'vitest';
import { startServer } from '../../src/server/server.ts';
import { startPair } from '../helpers/facade.ts';
import { describeInBrowser, openPage } from '../helpers/shared-browser.ts';

const USE = `fetch('/graphql', {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ query: '{ userCurrent { login } }' }),
})`;

async function open() {
  const pair = await startPair({ sandbox: { now: () => Date.now() } });
  const server = await startServer(pair.facade, { host: '127.0.0.1', port: 0 });
  const page = await openPage();
  await page.goto(server.url);
  return {
    page,
    panel: page.locator('#optiongraph-panel'),
    async [Symbol.asyncDispose]() {
      await page.context().close();
      await server.close();
      await pair[Symbol.asyncDispose]();
    },
  };
}

afterEach(() => void vi.useRealTimers());

describeInBrowser('the sign-in panel', () => {
  test('shows the end after the last use of a token, when it is opened and while it is open', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    await using explorer = await open();
    const { page, panel } = explorer;
    const summary = panel.locator('summary');
    await summary.click();
    await page.getByLabel('user', { exact: true }).fill('user');
    await page.getByLabel('password', { exact: true }).fill('sandbox');
    await panel.locator('select[name="lifetime"]').selectOption('RENEWABLE_AUTO');
    await panel.getByRole('button', { name: 'Sign in' }).click();
    await panel.getByText('Signed in').waitFor();
    /** The default interval is five minutes. */
    const expectEnd = async (): Promise<void> => {
      const text = await page.evaluate(`new Date(${Date.now() + 300_000}).toLocaleString()`);
      await expect.poll(() => panel.locator('p').textContent()).toBe(`By TOKEN, until ${text}.`);
    };
    await summary.click();
    await expectEnd();
    vi.setSystemTime(Date.now() + 200_000);
    await page.evaluate(USE);
    await expectEnd();
    await summary.click();
    vi.setSystemTime(Date.now() + 200_000);
    await page.evaluate(USE);
    await summary.click();
    await expectEnd();
  });
});
