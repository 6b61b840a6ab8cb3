// Tests what the explorer shows of a response, and how the documentation and the editor help to write a query.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { FOREIGN, searchDocumentation, shareExplorer, typeOperation } from '../helpers/explorer-page.ts';
import { describeInBrowser, findBarriers, saveScreenshot } from '../helpers/shared-browser.ts';

const execute = (page: Page) => page.getByRole('button', { name: 'Execute query' }).click();
const editorText = async (page: Page): Promise<string> =>
  (await page.locator('.graphiql-query-editor .view-line').allTextContents())
    .join('\n')
    .replaceAll('\u00a0', ' ');

const LIST = 'query List { datasets(first: 3) { nodes { id name used user { login } } } }';

describeInBrowser('the explorer', () => {
  const explorer = shareExplorer({ hasInitialHeaders: true });

  test('adds fields from the documentation', async () => {
    const { page } = explorer;
    await typeOperation(page, 'Short', 'query Short { datasets(first: 3) { nodes { id } } }');
    await searchDocumentation(page, 'Dataset');
    const adder = page.getByRole('region', { name: 'Add to the query' });
    const add = (field: string) => adder.getByRole('button', { name: field, exact: true });
    // The documentation of a type has all its fields.
    await add('used').click();
    await expect.poll(() => editorText(page)).toContain('{ id used }');
    await page.locator('.graphiql-doc-explorer-field-name', { hasText: /^name$/ }).click();
    await page.locator('.graphiql-doc-explorer-title', { hasText: 'name' }).waitFor();
    await add('name').click();
    await expect.poll(() => editorText(page)).toContain('{ id used name }');
    await expect.poll(() => add('name').getAttribute('aria-pressed')).toBe('true');
    await saveScreenshot(page, 'add');
    expect(await findBarriers(page, FOREIGN)).toEqual([]);
    expect([explorer.problems, explorer.consoleErrors]).toEqual([[], []]);
  });

  test('completes the exact beginning of a name first', async () => {
    const { page } = explorer;
    await typeOperation(page, 'Empty', 'query Empty {  }');
    await page.keyboard.press('Control+End');
    // Between the two spaces, before what follows them.
    for (const _ of ' } #') await page.keyboard.press('ArrowLeft');
    await page.keyboard.type('da');
    const first = page.locator('.suggest-widget .monaco-list-row');
    await first.first().waitFor();
    await expect
      .poll(async () => (await first.first().getAttribute('aria-label'))?.split(',')[0])
      .toBe('dataset');
    const labels = await first.evaluateAll((rows) =>
      rows.map((row) => row.getAttribute('aria-label')?.split(',')[0]),
    );
    expect(labels.slice(0, 2)).toEqual(['dataset', 'datasets']);
    await saveScreenshot(page, 'completion');
  });

  test('shows status, time, size and cost of a response, and its lists as tables', async () => {
    const { page } = explorer;
    await typeOperation(page, 'List', LIST);
    await execute(page);
    const line = page.locator('.optiongraph-response');
    await line.waitFor();
    expect(await line.innerText()).toMatch(/^HTTP 200\s+\d+ ms\s+[\d.]+ (B|kB)\s+cost \d+, [\d,]+ left$/);
    await page.getByRole('button', { name: 'Show Tables' }).click();
    const table = page.getByRole('table', { name: 'datasets.nodes' });
    await table.waitFor();
    expect(await table.getByRole('columnheader').allTextContents()).toEqual([
      'id',
      'name',
      'used',
      'user.login',
    ]);
    expect(await table.getByRole('row').count()).toBe(4);
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize({ width: 400, height: 900 });
    // A pane closes when the page becomes narrow.
    const show = page.getByRole('button', { name: 'Show Tables' });
    if (await show.isVisible()) await show.click();
    await table.waitFor();
    await saveScreenshot(page, 'tables-dark-400');
    expect(await findBarriers(page, FOREIGN)).toEqual([]);
    await page.setViewportSize({ width: 1400, height: 900 });
    await typeOperation(page, 'Wrong', 'query Wrong { datasetz }');
    await execute(page);
    await line.filter({ hasText: 'HTTP 400' }).waitFor();
    expect([explorer.problems, explorer.consoleErrors.filter((text) => !text.includes('400'))]).toEqual([
      [],
      [],
    ]);
  });
});
