// Tests what people see first in the explorer: the name of the API, the users, the beginning of a document.
import { expect, test } from 'vitest';
import { openEmbeddedSandbox } from '../../packages/tools/src/embedded-sandbox.ts';
import { openAccount, openExplorer, panel, shareExplorer, typeOperation } from '../helpers/explorer-page.ts';
import { describeInBrowser, saveScreenshot } from '../helpers/shared-browser.ts';

describeInBrowser('the first view of the explorer', () => {
  const explorer = shareExplorer({ hasInitialHeaders: true });

  test('names the public address of the operator, and the users whom the operator names', async () => {
    await using embedded = {
      ...(await openEmbeddedSandbox(false, '')),
      [Symbol.asyncDispose]: () => embedded.close(),
    };
    const { signInHint } = embedded.options.explorer;
    await using embeddedExplorer = await openExplorer({
      facade: { pages: { publicUrl: 'https://graphql.example' }, explorer: { signInHint } },
    });
    const { page } = embeddedExplorer;
    await page.getByRole('button', { name: 'Show About this API' }).click();
    await page.getByRole('heading', { name: 'graphql.example', exact: true }).waitFor();
    await openAccount(page);
    await panel(page).getByLabel('Password', { exact: true }).waitFor();
    for (const { login, password } of embedded.sandbox.users)
      expect(await panel(page).innerText()).toContain(`${login}, password ${password}`);
    await saveScreenshot(page, 'sign-in-hint');
  });

  test('begins at the start of the lines in each tab', async () => {
    const { page } = explorer;
    const left = (): Promise<string> =>
      page
        .locator('section[aria-label="Operation Editor"] .lines-content')
        .evaluate((lines) => (lines as HTMLElement).style.left);
    await typeOperation(page, 'Long', `query Long { session { authenticated } } # ${'long '.repeat(80)}`);
    await expect.poll(left).toMatch(/^-/);
    await page.getByRole('tab', { name: 'Create' }).click();
    await page.locator('.graphiql-tab-active', { hasText: 'Create' }).waitFor();
    await expect.poll(left).toBe('0px');
  });

  test('leads from a root field to its documentation, by keyboard as well', async () => {
    const { page, problems } = explorer;
    await page.getByRole('button', { name: 'Show About this API' }).click();
    const about = page.getByRole('region', { name: 'About this API' });
    await about.getByRole('button', { name: 'datasetCreate', exact: true }).press('Enter');
    const docs = page.locator('.graphiql-doc-explorer');
    await docs.locator('.graphiql-doc-explorer-title', { hasText: 'datasetCreate' }).waitFor();
    await docs.locator('.graphiql-doc-explorer-back:focus').click();
    await docs.locator('.graphiql-doc-explorer-title', { hasText: 'Mutation' }).waitFor();
    expect(problems).toEqual([]);
  });
});
