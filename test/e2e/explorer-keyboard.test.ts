// Tests that the explorer can be used by the keyboard alone, at any width.
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import {
  focused,
  openExplorer,
  panel,
  shareExplorer,
  showDocumentation,
  tabTo,
  waitForSignedIn,
} from '../helpers/explorer-page.ts';
import { describeInBrowser } from '../helpers/shared-browser.ts';

const firstLine = async (page: Page): Promise<string> => {
  const line = page.locator('section[aria-label="Operation Editor"] .view-line').first();
  return (await line.innerText()).replaceAll('\u00a0', ' ');
};

describeInBrowser('the explorer without a mouse', () => {
  test('signs in, keeps the focus in its dialog, and returns it to the button', async () => {
    await using explorer = await openExplorer();
    const { page } = explorer;
    await tabTo(page, 'Sign in');
    await page.keyboard.press('Enter');
    await panel(page).getByLabel('User', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await panel(page).waitFor({ state: 'hidden' });
    await expect.poll(() => focused(page)).toBe('Sign in');
    await page.keyboard.press('Enter');
    await panel(page).getByLabel('User', { exact: true }).waitFor();
    await tabTo(page, 'Use token');
    await tabTo(page, 'User');
    await page.keyboard.type('admin');
    await tabTo(page, 'Password');
    await page.keyboard.type('wrong');
    await tabTo(page, 'Sign in');
    await page.keyboard.press('Enter');
    await panel(page).getByRole('alert').waitFor();
    expect(await focused(page), 'after a failure').toBe('Sign in');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Shift+Tab');
    expect(await focused(page)).toBe('Password');
    await page.keyboard.type('sandbox');
    await page.keyboard.press('Enter');
    await waitForSignedIn(page);
    await expect.poll(() => focused(page)).toMatch(/^Signed in as\s+admin/);
    expect(explorer.problems).toEqual([]);
  });

  describe('as a user', () => {
    const explorer = shareExplorer({ hasInitialHeaders: true });

    test('edits and executes an operation: Enter leads into the editor, and Escape out of it', async () => {
      const { page } = explorer;
      const editor = page.locator('section[aria-label="Operation Editor"] .graphiql-editor');
      const hasFocus = () => editor.evaluate((element) => element === document.activeElement);
      await page.getByRole('button', { name: 'New tab' }).focus();
      for (let presses = 0; !(await hasFocus()); presses += 1) {
        expect(presses).toBeLessThan(5);
        await page.keyboard.press('Tab');
      }
      await page.keyboard.press('Enter');
      await page.keyboard.press('Control+A');
      await page.keyboard.insertText('query Mine { session { authenticated } }');
      await page.keyboard.press('Control+Space');
      await page.locator('.suggest-widget.visible').first().waitFor();
      await page.keyboard.press('Escape');
      await page.locator('.suggest-widget.visible').first().waitFor({ state: 'hidden' });
      expect(await hasFocus(), 'the first one closes the suggestions').toBe(false);
      const answer = page.waitForResponse(
        (response) => response.request().postData()?.includes('Mine') === true,
      );
      await page.keyboard.press('Control+Enter');
      expect(await (await answer).json()).toMatchObject({ data: { session: { authenticated: true } } });
      await page.keyboard.press('Escape');
      await expect.poll(hasFocus).toBe(true);
      const text = await firstLine(page);
      await tabTo(page, /^Execute query/);
      expect(await firstLine(page)).toBe(text);
      // Those who have clicked into the editor stay there.
      await editor.click();
      await page.keyboard.press('Escape');
      expect(await hasFocus()).toBe(false);
    });

    test('shows the explanation of a field first, and leads back', async () => {
      const { page } = explorer;
      await showDocumentation(page);
      const docs = page.locator('.graphiql-doc-explorer');
      for (const name of ['Query', 'datasets']) {
        await docs.getByText(name, { exact: true }).focus();
        await page.keyboard.press('Enter');
        await docs.locator('.graphiql-doc-explorer-title', { hasText: name }).waitFor();
      }
      const shown = (await docs.innerText()).split('\n').filter((line) => line !== '');
      expect(shown.slice(0, 5)).toEqual([
        'Query',
        'datasets',
        'List datasets',
        expect.stringMatching(/^dataset#index/),
        'Type',
      ]);
      await docs.locator('.graphiql-doc-explorer-back').focus();
      await page.keyboard.press('Enter');
      await docs.locator('.graphiql-doc-explorer-title', { hasText: 'Query' }).waitFor();
    });
  });
});
