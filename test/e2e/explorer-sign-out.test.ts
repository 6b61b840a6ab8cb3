// Tests that signing out of the explorer removes all results.
import type { Locator, Page } from 'playwright-core';
import { expect, test, vi } from 'vitest';
import { seededToken } from '../../packages/sandbox/src/auth/sessions.ts';
import {
  expectDocumented,
  openExplorer,
  panel,
  showDocumentation,
  signInAtProvider,
  signOut,
  turnTo,
  useToken,
  waitForSignedIn,
  waitForSignedOut,
} from '../helpers/explorer-page.ts';
import { describeInBrowser, saveScreenshot } from '../helpers/shared-browser.ts';

const response = (page: Page) => page.locator('.graphiql-response .view-line');

/** Presses Execute until something is shown: GraphiQL may ignore the first press after a change of tabs. */
async function executeUntilShown(page: Page, shown: Locator): Promise<void> {
  const button = page.getByRole('button', { name: 'Execute query' });
  await vi.waitFor(
    async () => {
      if (await button.isVisible()) await button.press('Enter', { timeout: 4_000 });
      await shown.first().waitFor({ timeout: 4_000 });
    },
    { timeout: 30_000 },
  );
}

/** Shows a user's results in two tabs; the second is a running subscription. */
async function fillTabs(page: Page): Promise<void> {
  await waitForSignedIn(page);
  // The tab for those who are signed in.
  await page.locator('.graphiql-tab-button[title="Create"]').waitFor();
  await turnTo(page, 'Example');
  await executeUntilShown(page, response(page).filter({ hasText: '"dataset/' }));
  await turnTo(page, 'Progress');
  await executeUntilShown(page, response(page).filter({ hasText: '"action_state/' }));
}

/** Expects that no tab shows a result, and that the browser stores none. */
async function expectNoResults(page: Page): Promise<void> {
  for (const name of ['Example', 'Progress']) {
    await turnTo(page, name);
    expect((await response(page).allTextContents()).join(''), name).toBe('');
  }
  const kept = await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])');
  expect(kept).not.toMatch(/dataset\/\d|action_state\/\d/);
}

const begin = 'mutation { datasetSnapshotCreate(dataset: 12, wait: 0) { userErrors { message } } }';

describeInBrowser('signing out of GraphiQL', () => {
  test('leaves no result in the browser’s other pages, in which the next session begins too', async () => {
    await using explorer = await openExplorer({ sandbox: { step: 'manual' } });
    const { page, pair } = explorer;
    await pair.ask(begin, { login: 'user' });
    await signInAtProvider(page, 'user');
    await turnTo(page, 'Example');
    await executeUntilShown(page, response(page).filter({ hasText: '"dataset/' }));
    const other = await page.context().newPage();
    await other.goto(page.url());
    await waitForSignedIn(other);
    await signOut(other);
    await waitForSignedOut(page);
    await expectNoResults(page);
    await showDocumentation(page);
    await expectDocumented(page, 'datasets', false);
    await signInAtProvider(other, 'user');
    // The user comes back to the page.
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await waitForSignedIn(page);
    expect(explorer.problems).toEqual([]);
  });

  test('by the API shows a notice, and leaves no result', async () => {
    await using explorer = await openExplorer({ sandbox: { step: 'manual' } });
    const { page, pair } = explorer;
    await pair.ask(begin, { login: 'user' });
    await useToken(page, seededToken('user'));
    await fillTabs(page);
    await expectDocumented(page, 'datasets', true);
    await pair.ask('mutation { tokenRevoke { userErrors { message } } }', { login: 'user' });
    await turnTo(page, 'Example');
    await executeUntilShown(page, panel(page).getByText('Your session has ended'));
    await saveScreenshot(page, 'session-ended');
    await page.keyboard.press('Escape');
    await waitForSignedOut(page);
    await expectDocumented(page, 'datasets', false);
    await expectNoResults(page);
    await expect.poll(() => pair.facade.watcher.watched).toBe(0);
    await page.reload();
    await waitForSignedOut(page);
    expect(await panel(page).getByRole('status').count(), 'once').toBe(0);
  });
});
