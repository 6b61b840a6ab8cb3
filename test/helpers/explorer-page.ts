// Opens the explorer in a real browser and operates its panel.
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { seededToken } from '../../src/sandbox/auth/sessions.ts';
import type { SandboxOptions } from '../../src/sandbox/listen-sandbox.ts';
import { startServer } from '../../src/server/server.ts';
import { startPair } from './facade.ts';
import { openPage } from './shared-browser.ts';

const client = {
  id: 'explorer',
  secret: 'explorer-secret',
  name: 'Explorer',
  redirectUris: ['http://127.0.0.1/auth/callback'],
};

/** The explorer in a browser's page, over a facade with a sandbox and its OAuth 2.0 provider. Other hosts are cut off. */
export async function openExplorer({
  hasInitialHeaders = false,
  sandbox = {},
}: {
  hasInitialHeaders?: boolean;
  sandbox?: SandboxOptions;
} = {}) {
  const oauth = { clientId: client.id, clientSecret: client.secret };
  const explorerHeaders = { 'X-Service-Auth-Token': seededToken('user') };
  const facade = { oauth, ...(hasInitialHeaders ? { explorerHeaders } : {}) };
  const pair = await startPair({ sandbox: { ...sandbox, oauthClients: [client] }, facade });
  const server = await startServer(pair.facade, { host: '127.0.0.1', port: 0 });
  const page = await openPage();
  const context = page.context();
  const problems: string[] = [];
  await context.route(
    ({ hostname }) => hostname !== '127.0.0.1',
    (route) => {
      problems.push(`requested ${route.request().url()}`);
      return route.abort();
    },
  );
  page.on('pageerror', (error) => problems.push(String(error)));
  await page.goto(server.url);
  await showDocumentation(page);
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

/** Opens the documentation if it is not open already. */
export async function showDocumentation(page: Page): Promise<void> {
  const button = page.getByRole('button', { name: /(Show|Hide) Documentation Explorer/ });
  await button.waitFor();
  if ((await page.locator('.graphiql-doc-explorer').count()) === 0) await button.click();
}

/** Signs in on the provider's page. */
export async function signInAtProvider(page: Page, login = 'admin'): Promise<void> {
  await panel(page).locator('summary').click();
  await panel(page).getByText('Sign in at the provider').click();
  await page.locator('input[name="user"]').fill(login);
  await page.locator('input[name="password"]').fill('sandbox');
  await page.locator('button, input[type="submit"]').first().click();
  await panel(page).getByText('Signed in').waitFor();
}

/** Enters a token for a header in the panel. */
export async function useToken(page: Page, token: string, header = 'X-Service-Auth-Token'): Promise<void> {
  await panel(page).locator('summary').click();
  await panel(page).locator('select[name="name"]').selectOption(header);
  await page.getByLabel('Token', { exact: true }).fill(token);
  await panel(page).getByRole('button', { name: 'Use token' }).click();
}

/** The sign-in panel. */
export const panel = (page: Page) => page.locator('#optiongraph-panel');

/** Waits until the documentation of `Query` has a field, or has it no more. */
export async function expectDocumented(page: Page, field: string, expected: boolean): Promise<void> {
  const docs = page.locator('.graphiql-doc-explorer');
  const back = docs.locator('.graphiql-doc-explorer-back');
  if ((await back.count()) === 0) await docs.getByText('Query', { exact: true }).click();
  await expect
    .poll(() => docs.getByText(field, { exact: true }).count(), { timeout: 15_000 })
    .toBe(expected ? 1 : 0);
}

/** Saves a screenshot for people to look at, if the variable `PICTURES` names a folder. */
export async function saveScreenshot(page: Page, name: string): Promise<void> {
  const folder = process.env['PICTURES'];
  if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png` });
}
