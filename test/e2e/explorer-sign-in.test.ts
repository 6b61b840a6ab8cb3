import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startServer } from '../../src/server/server.ts';
import { startPair } from '../helpers/facade.ts';
import { codeOf } from '../helpers/sign-in.ts';

const executablePath = '/usr/bin/chromium';
const isThere = existsSync(executablePath);
if (!isThere) console.warn(`SKIPPED: ${executablePath} is not there, so nobody signs in to GraphiQL`);

const client = {
  id: 'explorer',
  secret: 'explorer-secret',
  name: 'Explorer',
  redirectUris: ['http://127.0.0.1/auth/callback'],
};

let browser: Browser;
beforeAll(async () => {
  if (isThere) browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
});
afterAll(async () => browser?.close());

async function open() {
  const oauth = { clientId: client.id, clientSecret: client.secret };
  const pair = await startPair({ sandbox: { oauthClients: [client] }, facade: { oauth } });
  const server = await startServer(pair.facade, { host: '127.0.0.1', port: 0 });
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 } });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  await page.goto(server.url);
  await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
  return {
    pair,
    page,
    problems,
    async [Symbol.asyncDispose]() {
      await context.close();
      await server.close();
      await pair[Symbol.asyncDispose]();
    },
  };
}

const panel = (page: Page) => page.locator('#optiongraph-panel');

/** Whether the documentation of `Query` has a field, as soon as it has settled. */
async function documents(page: Page, field: string, expected: boolean): Promise<void> {
  const docs = page.locator('.graphiql-doc-explorer');
  const back = docs.locator('.graphiql-doc-explorer-back');
  if ((await back.count()) === 0) await docs.getByText('Query', { exact: true }).click();
  await expect
    .poll(() => docs.getByText(field, { exact: true }).count(), { timeout: 15_000 })
    .toBe(expected ? 1 : 0);
}

async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env['PICTURES'];
  if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png` });
}

describe.skipIf(!isThere)('signing in to GraphiQL', { timeout: 60_000 }, () => {
  test('by password and one-time code: the documentation grows, and shrinks when signed out', async () => {
    await using explorer = await open();
    const { page, pair } = explorer;
    await documents(page, 'components', true);
    await documents(page, 'datasets', false);
    await panel(page).locator('summary').click();
    await page.getByLabel('user', { exact: true }).fill('totp');
    await page.getByLabel('password', { exact: true }).fill('wrong');
    await picture(page, 'sign-in');
    await panel(page).getByRole('button', { name: 'Sign in' }).click();
    await panel(page).getByRole('alert').waitFor();
    await page.getByLabel('password', { exact: true }).fill('sandbox');
    await panel(page).getByRole('button', { name: 'Sign in' }).click();
    await page.getByLabel('code', { exact: true }).fill(codeOf(pair.sandbox, Date.now()));
    await picture(page, 'sign-in-code');
    await panel(page).getByRole('button', { name: 'Go on' }).click();
    await panel(page).getByText('Signed in').waitFor();
    await documents(page, 'datasets', true);
    await panel(page).locator('summary').click();
    await picture(page, 'signed-in');
    await panel(page).getByRole('button', { name: 'Sign out' }).click();
    await panel(page).getByText('Sign in', { exact: true }).first().waitFor();
    await documents(page, 'datasets', false);
    expect(explorer.problems).toEqual([]);
  });

  test('by a token, which is tried before it is kept', async () => {
    await using explorer = await open();
    const { page, pair } = explorer;
    await panel(page).locator('summary').click();
    await page.getByLabel('Token', { exact: true }).fill('no-such-token');
    await panel(page).getByRole('button', { name: 'Use token' }).click();
    await panel(page).getByRole('alert').waitFor();
    const [token = ''] = Object.values(pair.headers('user'));
    await page.getByLabel('Token', { exact: true }).fill(token);
    await panel(page).getByRole('button', { name: 'Use token' }).click();
    await panel(page).getByText('Signed in').waitFor();
    await documents(page, 'datasets', true);
    await page.reload();
    await panel(page).getByText('Signed in').waitFor();
    expect(explorer.problems).toEqual([]);
  });

  test('at the provider, on its own page', async () => {
    await using explorer = await open();
    const { page } = explorer;
    await panel(page).locator('summary').click();
    await panel(page).getByText('Sign in at the provider').click();
    await page.locator('input[name="user"]').fill('user');
    await page.locator('input[name="password"]').fill('sandbox');
    await picture(page, 'provider');
    await page.locator('button, input[type="submit"]').first().click();
    await panel(page).getByText('Signed in').waitFor();
    await panel(page).locator('summary').click();
    await panel(page).getByText('By OAUTH2').waitFor();
    await picture(page, 'signed-in-oauth');
    expect(await page.evaluate('document.cookie')).toBe('');
    await documents(page, 'datasets', true);
    await panel(page).getByRole('button', { name: 'Sign out' }).click();
    await documents(page, 'datasets', false);
    expect(explorer.problems).toEqual([]);
  });
});
