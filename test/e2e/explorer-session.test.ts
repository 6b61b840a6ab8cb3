// Tests sessions in the explorer, from signing in to signing out.
import { describe, expect, test, vi } from 'vitest';
import { seededToken } from '../../packages/sandbox/src/auth/sessions.ts';
import {
  openAccount,
  openExplorer,
  panel,
  shareExplorer,
  signInAtProvider,
  signOut,
  turnTo,
  typeHeaders,
  typeOperation,
  useToken,
  waitForSignedIn,
  waitForSignedOut,
} from '../helpers/explorer-page.ts';
import { describeInBrowser, saveScreenshot } from '../helpers/shared-browser.ts';

describeInBrowser('a session in GraphiQL', () => {
  test('replaces the examples, and keeps edited documents', async () => {
    await using explorer = await openExplorer();
    const { page } = explorer;
    const tab = (name: string) => page.locator(`.graphiql-tab-button[title="${name}"]`);
    const tabs = page.locator('.graphiql-tab-button');
    await expect.poll(() => tabs.allTextContents()).toEqual(['Example', 'Progress', 'Cancel']);
    await page.locator('section[aria-label="Operation Editor"] .view-lines').click();
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText('query Mine { session { authenticated } } #');
    await tab('Mine').waitFor();
    await useToken(page, seededToken('user'));
    await waitForSignedIn(page);
    await tab('Create').waitFor();
    await saveScreenshot(page, 'examples-at-once');
    expect(await tabs.allTextContents()).toEqual(['Mine', 'Example', 'Create', 'Progress', 'Cancel']);
    await turnTo(page, 'Create');
    const operation = page.locator('section[aria-label="Operation Editor"] .view-line');
    await operation.filter({ hasText: 'datasetSnapshotCreate' }).waitFor();
    // GraphiQL takes a moment to find the operation of a document.
    await vi.waitFor(
      async () => {
        const answer = page.waitForResponse((response) =>
          Boolean(response.request().postData()?.includes('Create')),
        );
        await page.getByRole('button', { name: 'Execute query' }).press('Enter');
        expect(await (await answer).json()).toMatchObject({
          errors: [{ message: 'Variable "$dataset" of non-null type "ID!" must not be null.' }],
        });
      },
      { timeout: 20_000 },
    );
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
    await signOut(page);
    await waitForSignedOut(page);
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

  test('begins without the operations of the user before', async () => {
    await using explorer = await openExplorer({ hasInitialHeaders: true, sandbox: { step: 'manual' } });
    const { page, pair } = explorer;
    await pair.ask('mutation { datasetSnapshotCreate(dataset: 12, wait: 0) { userErrors { message } } }', {
      login: 'user',
    });
    await turnTo(page, 'Progress');
    await page.getByRole('button', { name: 'Execute query' }).press('Enter');
    await page.getByRole('region', { name: 'Progress' }).waitFor();
    expect(pair.facade.watcher.watched).toBeGreaterThan(0);
    await useToken(page, seededToken('admin'));
    await waitForSignedIn(page);
    await expect.poll(() => pair.facade.watcher.watched).toBe(0);
    await page.getByRole('region', { name: 'Progress' }).waitFor({ state: 'detached' });
  });

  test('stores documents that were typed, but no headers', async () => {
    await using explorer = await openExplorer({ hasInitialHeaders: true });
    const { page } = explorer;
    await typeHeaders(page, '{"X-Service-Auth-Token":"a-typed-token"}');
    await typeOperation(page, 'Mine', 'query Mine { session { authenticated } }');
    const stored = () =>
      page.evaluate<string>('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])');
    await expect.poll(stored).toContain('query Mine');
    expect(await stored()).not.toContain('a-typed-token');
  });

  describe('when something fails', () => {
    const explorer = shareExplorer();

    test('stays when the server cannot be reached to sign out', async () => {
      const { page } = explorer;
      await signInAtProvider(page, 'user');
      await page.route('**/auth/logout', (route) => route.abort());
      await signOut(page);
      await panel(page).getByRole('alert').waitFor();
      await page.unroute('**/auth/logout');
      await panel(page).getByRole('button', { name: 'Sign out' }).click();
      await waitForSignedOut(page);
    });

    test('survives an outage: only a response of the server ends it', async () => {
      const { page } = explorer;
      await useToken(page, seededToken('user'));
      await waitForSignedIn(page);
      await page.route('**/graphql', (route) =>
        route.request().method() === 'POST' ? route.abort() : route.continue(),
      );
      await page.reload();
      await openAccount(page);
      await panel(page).getByText('The server does not answer.').waitFor();
      await saveScreenshot(page, 'outage');
      await page.unroute('**/graphql');
      await page.reload();
      await waitForSignedIn(page);
    });

    test('works with damaged storage, and without storage', async () => {
      const { page, problems } = explorer;
      await page.evaluate(
        "for (const kept of [localStorage, sessionStorage]) for (const key of ['graphiql:tabState', 'optiongraph:examples', 'optiongraph:credential']) kept.setItem(key, '{damaged')",
      );
      await page.reload();
      await waitForSignedOut(page);
      await page.locator('section[aria-label="Operation Editor"] .view-line').first().waitFor();
      expect(problems).toEqual([]);
      await page.addInitScript(
        "for (const name of ['localStorage', 'sessionStorage']) Object.defineProperty(window, name, { get() { throw new DOMException('denied', 'SecurityError'); } })",
      );
      await page.reload();
      await waitForSignedOut(page);
      await useToken(page, seededToken('user'));
      await waitForSignedIn(page);
    });
  });
});
