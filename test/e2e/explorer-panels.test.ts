// Tests what the explorer shows around GraphiQL: who is signed in, progress, upstream calls, and how it serves all people.
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { seededToken } from '../../packages/sandbox/src/auth/sessions.ts';
import {
  FOREIGN,
  openAccount,
  openExplorer,
  panel,
  shareExplorer,
  turnTo,
  typeHeaders,
  typeOperation,
  useToken,
  waitForSignedIn,
} from '../helpers/explorer-page.ts';
import { describeInBrowser, findBarriers, saveScreenshot } from '../helpers/shared-browser.ts';

const execute = (page: Page) => page.getByRole('button', { name: 'Execute query' }).click();

/** The text of the result. */
const resultOf = async (page: Page): Promise<string> =>
  (await page.locator('.graphiql-response .view-line').allTextContents()).join(' ').replaceAll('\u00a0', ' ');

describeInBrowser('the explorer', () => {
  describe('before anybody signs in', () => {
    const explorer = shareExplorer();

    test('says which API it is and what can be asked without signing in, and asks to sign in', async () => {
      const { page, pair } = explorer;
      await page.goto(new URL('/', page.url()).href);
      expect(new URL(page.url()).pathname).toBe('/graphql');
      await page.getByRole('button', { name: 'Show About this API' }).click();
      const about = page.getByRole('region', { name: 'About this API' });
      await about.getByText('components', { exact: true }).waitFor();
      expect(await about.getByRole('heading').first().innerText()).toBe(new URL(page.url()).host);
      expect(await page.content(), 'the address of the API').not.toContain(new URL(pair.sandbox.url).host);
      expect(await about.getByText('datasets', { exact: true }).count()).toBe(0);
      await about.locator('code', { hasText: 'NOT_FOUND' }).waitFor();
      expect(await about.innerText()).not.toContain('`');
      await execute(page);
      await expect.poll(() => resultOf(page)).toContain('"component/1"');
      await about.getByRole('button', { name: /Sign in/ }).click();
      await panel(page).getByLabel('User', { exact: true }).waitFor();
      expect(await panel(page).getByRole('heading').allTextContents()).toEqual([
        'Sign in',
        'With your user name',
        'At the provider',
        'With a token that you have',
      ]);
      const purposes = panel(page).locator('form >> nth=0 >> input');
      expect(
        await purposes.evaluateAll((found) => found.map((input) => input.getAttribute('autocomplete'))),
      ).toEqual(['username', 'current-password']);
      await panel(page).getByLabel('User', { exact: true }).fill('user');
      await panel(page).getByLabel('Password', { exact: true }).fill('wrong');
      await page.keyboard.press('Enter');
      await panel(page).getByRole('alert').waitFor();
      expect(await findBarriers(page, FOREIGN)).toEqual([]);
      await page.keyboard.press('Escape');
      await panel(page).waitFor({ state: 'hidden' });
      await openAccount(page);
      await page.mouse.click(5, 5);
      await panel(page).waitFor({ state: 'hidden' });
    });

    test('follows the system’s theme while it is open, until its reader chooses one', async () => {
      const { page } = explorer;
      const editor = page.locator('.graphiql-response .monaco-editor').first();
      const isDark = () => editor.evaluate((element) => element.classList.contains('vs-dark'));
      expect(await isDark()).toBe(false);
      await page.emulateMedia({ colorScheme: 'dark' });
      await expect.poll(isDark).toBe(true);
      await openAccount(page);
      await panel(page).getByLabel('Password', { exact: true }).waitFor();
      const ground = "getComputedStyle(document.querySelector('[role=dialog]')).backgroundColor";
      expect(await page.evaluate(ground)).toBe('rgb(33, 42, 59)');
      await saveScreenshot(page, 'sign-in-dark');
      expect(await findBarriers(page, FOREIGN)).toEqual([]);
      await page.keyboard.press('Escape');
      await saveScreenshot(page, 'dark');
      expect(await findBarriers(page, FOREIGN)).toEqual([]);
      await page.emulateMedia({ colorScheme: 'light' });
      await expect.poll(isDark).toBe(false);
      const scheme = () => page.evaluate('getComputedStyle(document.documentElement).colorScheme');
      expect(await scheme(), 'the scroll bars').toBe('light dark');
      await page.getByRole('button', { name: 'Open settings dialog' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Dark' }).click();
      await expect.poll(scheme).toBe('dark');
      await page.getByRole('dialog').getByRole('button', { name: 'Light' }).click();
      await expect.poll(scheme).toBe('light');
    });
  });

  test('shows who is signed in, and leads back from the second step of signing in', async () => {
    await using explorer = await openExplorer({ hasInitialHeaders: true });
    const { page } = explorer;
    const headers = page.locator('section[aria-label="Headers"]', { hasText: 'X-Service-Auth-Token' });
    await headers.waitFor();
    const account = page.locator('.optiongraph-account');
    await openAccount(page);
    await panel(page).getByLabel('User', { exact: true }).fill('totp');
    await panel(page).getByLabel('Password', { exact: true }).fill('sandbox');
    await panel(page).getByRole('button', { name: 'Sign in', exact: true }).click();
    expect(await panel(page).getByLabel('TOTP code').getAttribute('autocomplete')).toBe('one-time-code');
    await panel(page).getByRole('button', { name: 'Back' }).click();
    expect(await panel(page).getByLabel('User', { exact: true }).inputValue()).toBe('totp');
    await page.keyboard.press('Escape');
    await useToken(page, seededToken('user'));
    await waitForSignedIn(page);
    await expect.poll(() => account.textContent()).toMatch(/^Signed in as user level \d+$/);
    expect(await headers.count(), 'no longer the token of another user').toBe(0);
    await openAccount(page);
    expect(await panel(page).innerText()).toMatch(/User\s+user/);
    expect(explorer.problems).toEqual([]);
  });

  test('turns to each tab at the first click, and shows the progress of actions', async () => {
    await using explorer = await openExplorer({ sandbox: { step: 'manual' }, hasInitialHeaders: true });
    const { page, pair } = explorer;
    for (const name of ['Create', 'Progress', 'Cancel', 'Example', 'Progress']) await turnTo(page, name);
    const { data } = await pair.ask<{ datasetSnapshotCreate: { actionState: { id: string } } }>(
      'mutation { datasetSnapshotCreate(dataset: 12, wait: 0) { actionState { id } } }',
      { login: 'user' },
    );
    const { id } = data?.datasetSnapshotCreate.actionState ?? {};
    await typeOperation(
      page,
      'Follow',
      `subscription Follow { actionProgress(id: "${id}", minInterval: 0.1) { label outcome progress } }`,
    );
    await execute(page);
    const progress = page.getByRole('region', { name: 'Progress' });
    const bar = progress.getByRole('progressbar');
    await bar.waitFor();
    expect(await bar.getAttribute('value')).toBe('0');
    pair.sandbox.advance(2);
    await expect.poll(() => bar.getAttribute('value'), { timeout: 10_000 }).toBe('40');
    expect(await progress.innerText()).toMatch(/40 % · \d+:\d\d/);
    const events = progress.getByRole('list', { name: 'Events' });
    expect(await events.getByRole('listitem').count()).toBeGreaterThan(1);
    await saveScreenshot(page, 'progress');
    for (const percent of ['60', '80']) {
      pair.sandbox.advance(1);
      await expect.poll(() => bar.getAttribute('value'), { timeout: 10_000 }).toBe(percent);
    }
    pair.sandbox.advance(1);
    await expect.poll(() => progress.innerText(), { timeout: 10_000 }).toMatch(/100 % .* succeeded/);
    // Longer than its place: the tab key reaches it.
    await expect.poll(() => events.evaluate(({ tabIndex }) => tabIndex)).toBe(0);
    expect(await findBarriers(page, FOREIGN)).toEqual([]);
    expect(explorer.problems).toEqual([]);
  });

  test('lists the upstream calls of the last operation, whose result stays as it is', async () => {
    await using explorer = await openExplorer();
    const { page, pair } = explorer;
    await useToken(page, seededToken('user'));
    await page.locator('.optiongraph-role').waitFor();
    await page.locator('.graphiql-tab-button[title="Create"]').waitFor();
    await execute(page);
    await expect.poll(() => resultOf(page)).toContain('"nodes"');
    await page.getByRole('button', { name: 'Show Upstream calls' }).click();
    await page.getByRole('region', { name: 'Upstream calls' }).getByRole('listitem').first().waitFor();
    await saveScreenshot(page, 'explorer');
    await typeOperation(
      page,
      'Small',
      'query Small { datasets(first: 2) { nodes { snapshots(first: 1) { nodes { id } } } } }',
    );
    pair.calls.length = 0;
    await execute(page);
    await expect.poll(() => resultOf(page)).toContain('"coalesced"');
    const calls = page.getByRole('region', { name: 'Upstream calls' }).getByRole('listitem');
    await expect.poll(() => calls.count()).toBe(pair.calls.length);
    expect(await calls.first().innerText()).toMatch(/^dataset#index\s+\d+ ms/);
    expect(await resultOf(page)).not.toContain('"trace"');
    expect(await findBarriers(page, FOREIGN)).toEqual([]);
  });

  test('explains headers that cannot be sent, and a syntax error by the server’s words, without a stack trace', async () => {
    await using explorer = await openExplorer({ hasInitialHeaders: true });
    const { page } = explorer;
    await typeHeaders(page, '{"not a name":"x"} //');
    await execute(page);
    await expect.poll(() => resultOf(page)).toMatch(/cannot be\s+sent/);
    expect(await resultOf(page)).not.toMatch(/stack|https?:/);
    await typeHeaders(page, '{} //');
    await page.locator('section[aria-label="Operation Editor"] .view-lines').click();
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText('query Broken { session {');
    await execute(page);
    await expect.poll(() => resultOf(page)).toContain('Syntax Error');
    expect(await resultOf(page)).not.toMatch(/stack|https?:/);
  });
});
