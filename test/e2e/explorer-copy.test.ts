// Tests that the explorer writes operations for other programs.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { seededToken } from '../../packages/sandbox/src/auth/sessions.ts';
import { FOREIGN, openExplorer, panel, typeOperation } from '../helpers/explorer-page.ts';
import { describeInBrowser, findBarriers, saveScreenshot } from '../helpers/shared-browser.ts';

const button = (page: Page) => page.getByRole('button', { name: 'Copy as a command or a program' });

describeInBrowser('the dialog that copies an operation', () => {
  test('shows it in each form without the credential, and returns the focus', async () => {
    await using explorer = await openExplorer({ hasInitialHeaders: true });
    const { page } = explorer;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await typeOperation(page, 'Copied', 'query Copied { session { method } }');
    const variables = page.locator('section[aria-label="Variables"] .monaco-editor').first();
    await page.getByRole('button', { name: 'Variables', exact: true }).click();
    await variables.click();
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText('{ "kept": 1, } // Comments and commas are allowed');
    await button(page).focus();
    await page.keyboard.press('Enter');
    const field = panel(page).getByLabel('Text', { exact: true });
    await field.waitFor();
    for (const form of ['curl', 'optiongraph query', 'fetch']) {
      await panel(page).getByLabel('Form', { exact: true }).selectOption(form);
      await expect.poll(() => field.inputValue()).toMatch(new RegExp(`${form.split(' ')[0]}[^]*Copied`));
      expect(await field.inputValue()).not.toContain(seededToken('user'));
      expect(await field.inputValue()).toMatch(/"kept":\s*1/);
      await saveScreenshot(page, `copy-${form}`);
    }
    expect(await panel(page).innerText()).toContain('OPTIONGRAPH_TOKEN');
    await panel(page).getByRole('button', { name: 'Copy', exact: true }).click();
    await panel(page).getByRole('status').filter({ hasText: 'Copied.' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(await field.inputValue());
    expect(await findBarriers(page, FOREIGN)).toEqual([]);
    await page.keyboard.press('Escape');
    await panel(page).waitFor({ state: 'hidden' });
    const isFocused = () => button(page).evaluate((element) => element === document.activeElement);
    await expect.poll(isFocused).toBe(true);
    expect([explorer.problems, explorer.consoleErrors]).toEqual([[], []]);
  });
});
