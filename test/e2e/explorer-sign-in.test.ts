// Tests how users sign in to the explorer.
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seededToken } from '../../src/sandbox/auth/sessions.ts';
import {
  expectDocumented,
  openExplorer,
  panel,
  saveScreenshot,
  showDocumentation,
  signInAtProvider,
  useToken,
} from '../helpers/explorer-page.ts';
import { authorizationCode, redirectUri, requestTokens } from '../helpers/oauth.ts';
import { createOneTimeCode, signIn } from '../helpers/sign-in.ts';

const executablePath = '/usr/bin/chromium';
const hasChromium = existsSync(executablePath);
if (!hasChromium) console.warn(`SKIPPED: ${executablePath} is not there, so nobody signs in to GraphiQL`);

let browser: Browser;
beforeAll(async () => {
  if (hasChromium) browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
});
afterAll(async () => browser?.close());

const open = (options: Parameters<typeof openExplorer>[1] = {}) => openExplorer(browser, options);

describe.skipIf(!hasChromium)('signing in to GraphiQL', { timeout: 60_000 }, () => {
  test('by password and one-time code: the documentation grows, and shrinks after signing out', async () => {
    await using explorer = await open();
    const { page, pair } = explorer;
    await expectDocumented(page, 'components', true);
    await expectDocumented(page, 'datasets', false);
    await panel(page).locator('summary').click();
    await page.getByLabel('user', { exact: true }).fill('totp');
    await page.getByLabel('password', { exact: true }).fill('wrong');
    await saveScreenshot(page, 'sign-in');
    await panel(page).getByRole('button', { name: 'Sign in' }).click();
    await panel(page).getByRole('alert').waitFor();
    await page.getByLabel('password', { exact: true }).fill('sandbox');
    await panel(page).getByRole('button', { name: 'Sign in' }).click();
    await page.getByLabel('code', { exact: true }).fill(createOneTimeCode(pair.sandbox, Date.now()));
    await saveScreenshot(page, 'sign-in-code');
    await panel(page).getByRole('button', { name: 'Continue' }).click();
    await panel(page).getByText('Signed in').waitFor();
    await expectDocumented(page, 'datasets', true);
    await panel(page).locator('summary').click();
    await saveScreenshot(page, 'signed-in');
    await panel(page).getByRole('button', { name: 'Sign out' }).click();
    await panel(page).getByText('Sign in', { exact: true }).first().waitFor();
    await expectDocumented(page, 'datasets', false);
    expect(explorer.problems).toEqual([]);
  });

  test('by a token, which is verified before it is stored', async () => {
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
    await expectDocumented(page, 'datasets', true);
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
    await saveScreenshot(page, 'provider');
    await page.locator('button, input[type="submit"]').first().click();
    await panel(page).getByText('Signed in').waitFor();
    await panel(page).locator('summary').click();
    await panel(page).getByText('By OAUTH2').waitFor();
    await saveScreenshot(page, 'signed-in-oauth');
    expect(await page.evaluate('document.cookie')).toBe('');
    await expectDocumented(page, 'datasets', true);
    await panel(page).getByRole('button', { name: 'Sign out' }).click();
    await expectDocumented(page, 'datasets', false);
    expect(explorer.problems).toEqual([]);
  });

  test('takes precedence over the initial header of the editor, also after the provider’s page and a reload', async () => {
    await using explorer = await open({ hasInitialHeaders: true });
    const { page } = explorer;
    await expectDocumented(page, 'datasets', true);
    await expectDocumented(page, 'debugHashTop', false);
    await signInAtProvider(page);
    await showDocumentation(page);
    await expectDocumented(page, 'debugHashTop', true);
    await saveScreenshot(page, 'signed-in-over-prefilled');
    await page.reload();
    await panel(page).getByText('Signed in').waitFor();
    await showDocumentation(page);
    await expectDocumented(page, 'debugHashTop', true);
    await panel(page).locator('summary').click();
    await panel(page).getByRole('button', { name: 'Sign out' }).click();
    await panel(page).getByText('Sign in', { exact: true }).first().waitFor();
    await showDocumentation(page);
    await expectDocumented(page, 'debugHashTop', false);
    await expectDocumented(page, 'datasets', true);
  });

  test('replaces the examples, and keeps edited documents', async () => {
    await using explorer = await open();
    const { page } = explorer;
    const tab = (name: string) => page.locator(`.graphiql-tab-button[title="${name}"]`);
    const tabs = page.locator('.graphiql-tab-button');
    await expect.poll(() => tabs.allTextContents()).toEqual(['Example', 'Progress', 'Cancel']);
    await page.locator('section[aria-label="Operation Editor"] .view-lines').click();
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText('query Mine { session { authenticated } } #');
    await tab('Mine').waitFor();
    await useToken(page, seededToken('user'));
    await panel(page).getByText('Signed in').waitFor();
    await panel(page).locator('summary').click();
    await saveScreenshot(page, 'examples-offered');
    // GraphiQL stores edits after a moment.
    await expect.poll(() => page.evaluate("localStorage.getItem('graphiql:tabState')")).toContain('Mine');
    await panel(page).getByRole('button', { name: 'Open examples for you' }).click();
    await tab('Create').waitFor();
    expect(await tabs.allTextContents()).toEqual(['Mine', 'Example', 'Create', 'Progress', 'Cancel']);
    await tab('Create').press('Enter');
    await page.locator('.graphiql-tab-active', { hasText: 'Create' }).waitFor();
    const operation = page.locator('section[aria-label="Operation Editor"] .view-line');
    await operation.filter({ hasText: 'datasetSnapshotCreate' }).waitFor();
    const answer = page.waitForResponse((response) =>
      Boolean(response.request().postData()?.includes('Create')),
    );
    await page.getByRole('button', { name: 'Execute query' }).press('Enter');
    expect(await (await answer).json()).toMatchObject({
      errors: [{ message: 'Variable "$dataset" of non-null type "ID!" must not be null.' }],
    });
    await saveScreenshot(page, 'examples');
    await page.reload();
    await tab('Create').waitFor();
    expect(await tabs.allTextContents(), 'no second time').toEqual([
      'Mine',
      'Example',
      'Create',
      'Progress',
      'Cancel',
    ]);
    await panel(page).locator('summary').click();
    await panel(page).getByRole('button', { name: 'Sign out' }).click();
    await panel(page).getByText('Sign in', { exact: true }).first().waitFor();
    for (const time of ['first', 'second']) {
      await page.goto(page.url().split('?', 1)[0] ?? '');
      await tab('Progress').waitFor();
      expect(await tabs.allTextContents(), `${time} visit`).toEqual([
        'Mine',
        'Example',
        'Progress',
        'Cancel',
      ]);
    }
    expect(explorer.problems).toEqual([]);
  });

  test('stays when the server cannot be reached to sign out', async () => {
    await using explorer = await open();
    const { page } = explorer;
    await signInAtProvider(page, 'user');
    await page.route('**/auth/logout', (route) => route.abort());
    await panel(page).locator('summary').click();
    await panel(page).getByRole('button', { name: 'Sign out' }).click();
    await panel(page).getByRole('alert').waitFor();
    await page.unroute('**/auth/logout');
    await panel(page).getByRole('button', { name: 'Sign out' }).click();
    await panel(page).getByText('Sign in', { exact: true }).first().waitFor();
  });

  test('survives an outage: only a response of the server ends it', async () => {
    await using explorer = await open();
    const { page } = explorer;
    await useToken(page, seededToken('user'));
    await panel(page).getByText('Signed in').waitFor();
    await page.route('**/graphql', (route) =>
      route.request().method() === 'POST' ? route.abort() : route.continue(),
    );
    await page.reload();
    await panel(page).getByText('The server does not answer.').waitFor({ state: 'attached' });
    await saveScreenshot(page, 'outage');
    await page.unroute('**/graphql');
    await page.reload();
    await panel(page).getByText('Signed in').waitFor();
  });

  test('with a pasted token does not revoke the token when the user signs out', async () => {
    await using explorer = await open();
    const { page, pair } = explorer;
    await useToken(page, seededToken('user'));
    await panel(page).getByText('Signed in').waitFor();
    await panel(page).locator('summary').click();
    await panel(page).getByRole('button', { name: 'Sign out' }).click();
    await panel(page).getByText('Sign in', { exact: true }).first().waitFor();
    expect((await pair.ask('{ userCurrent { login } }', { login: 'user' })).data).toEqual({
      userCurrent: { login: 'user' },
    });
  });

  test('by an access token that is pasted without Bearer', async () => {
    await using explorer = await open();
    const { page, pair } = explorer;
    const code = await authorizationCode(pair.sandbox);
    const { access_token: token } = await requestTokens(pair.sandbox, {
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
    });
    await useToken(page, String(token), 'Authorization');
    await panel(page).getByText('Signed in').waitFor();
    await expectDocumented(page, 'datasets', true);
  });

  test('begins and ends in all tabs of the browser', async () => {
    await using explorer = await open();
    const { page } = explorer;
    await signInAtProvider(page, 'user');
    const other = await page.context().newPage();
    await other.goto(page.url());
    await panel(other).getByText('Signed in').waitFor();
    await panel(other).locator('summary').click();
    await panel(other).getByRole('button', { name: 'Sign out' }).click();
    await panel(other).getByText('Sign in', { exact: true }).first().waitFor();
    const comeBack = () => page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await comeBack();
    await panel(page).getByText('Sign in', { exact: true }).first().waitFor();
    await showDocumentation(page);
    await expectDocumented(page, 'datasets', false);
    await signInAtProvider(other, 'user');
    await comeBack();
    await panel(page).getByText('Signed in').waitFor();
  });

  test('works with damaged storage, and without storage', async () => {
    await using explorer = await open();
    const { page, problems } = explorer;
    for (const spoil of [
      "for (const kept of [localStorage, sessionStorage]) for (const key of ['graphiql:tabState', 'optiongraph:examples', 'optiongraph:credential']) kept.setItem(key, '{damaged')",
      "localStorage.setItem('optiongraph:examples', '5'); localStorage.setItem('graphiql:tabState', '{\"tabs\":7}')",
      'localStorage.clear()',
    ]) {
      await page.evaluate(spoil);
      await page.reload();
      await panel(page).getByText('Sign in', { exact: true }).first().waitFor();
      await page.locator('section[aria-label="Operation Editor"] .view-line').first().waitFor();
    }
    expect(problems).toEqual([]);
    await page.addInitScript(
      "for (const name of ['localStorage', 'sessionStorage']) Object.defineProperty(window, name, { get() { throw new DOMException('denied', 'SecurityError'); } })",
    );
    await page.reload();
    await panel(page).getByText('Sign in', { exact: true }).first().waitFor();
    await useToken(page, seededToken('user'));
    await panel(page).getByText('Signed in').waitFor();
  });

  test('is laid out for narrow screens and for dark mode', async () => {
    await using explorer = await open();
    const { page } = explorer;
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize({ width: 700, height: 800 });
    await panel(page).locator('summary').click();
    await page.getByLabel('password', { exact: true }).waitFor();
    await saveScreenshot(page, 'sign-in-dark-narrow');
    const box = await panel(page).locator('> div').boundingBox();
    expect(box?.y).toBeGreaterThanOrEqual(0);
    const ground = 'getComputedStyle(document.querySelector("#optiongraph-panel > div")).backgroundColor';
    expect(await page.evaluate(ground)).toBe('rgb(33, 42, 59)');
  });

  test('ends in the page when the API has ended it', async () => {
    await using explorer = await open();
    const { page, pair } = explorer;
    const token = await signIn(pair.sandbox, {});
    await useToken(page, token);
    await panel(page).getByText('Signed in').waitFor();
    await expectDocumented(page, 'datasets', true);
    await pair.facade.yoga.fetch('http://facade.test/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'X-Service-Auth-Token': token },
      body: JSON.stringify({ query: 'mutation { tokenRevoke { userErrors { message } } }' }),
    });
    await page.getByRole('button', { name: /Execute query/ }).click();
    await panel(page).getByText('Sign in', { exact: true }).first().waitFor();
    await expectDocumented(page, 'datasets', false);
  });
});
