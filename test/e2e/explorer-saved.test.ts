// Tests the operations that people save in the explorer, the files in which they travel, and the operator's collection.
import { text } from 'node:stream/consumers';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { seededToken } from '../../packages/sandbox/src/auth/sessions.ts';
import { parseTrustedDocuments } from '../../src/server/documents/trusted-manifest.ts';
import {
  FOREIGN,
  focused,
  openExplorer,
  tabTo,
  turnTo,
  typeOperation,
  useToken,
} from '../helpers/explorer-page.ts';
import { describeInBrowser, findBarriers, openPage, saveScreenshot } from '../helpers/shared-browser.ts';

const pane = (page: Page) => page.getByRole('region', { name: 'Saved operations' });
const own = (page: Page) => pane(page).getByRole('list', { name: 'Yours' });
const button = (page: Page, name: string) => pane(page).getByRole('button', { name, exact: true });

async function openPane(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Show Saved operations' }).click();
  await pane(page).waitFor();
}

/** Waits until the pane says something about the last change. */
const says = (page: Page, text: string | RegExp) => pane(page).getByRole('status').getByText(text).waitFor();

async function importFile(page: Page, content: string): Promise<void> {
  const chooser = page.waitForEvent('filechooser');
  await button(page, 'Import').click();
  await (await chooser).setFiles({
    name: 'shared.json',
    mimeType: 'application/json',
    buffer: Buffer.from(content),
  });
}

/** The text in an editor. */
const textIn = async (page: Page, editor: string): Promise<string> =>
  (await page.locator(`section[aria-label="${editor}"] .view-line`).allTextContents())
    .join('\n')
    .replaceAll('\u00a0', ' ');

const manifest = (operations: readonly unknown[]): string =>
  JSON.stringify({ format: 'apollo-persisted-query-manifest', version: 1, operations });

describeInBrowser('saved operations', () => {
  test('outlive the page, travel to another browser in a file without credentials, and can be deleted', async () => {
    await using explorer = await openExplorer({ hasInitialHeaders: true });
    const { page } = explorer;
    await openPane(page);
    await typeOperation(page, 'Mine', '# Who I am.\nquery Mine { session { method } }');
    await expect.poll(() => pane(page).getByRole('textbox').inputValue()).toBe('Mine');
    await button(page, 'Save').click();
    await says(page, 'Saved “Mine”.');
    await typeOperation(page, 'Other', 'mutation Other { tokenRevoke { userErrors { message } } }');
    await pane(page).getByRole('textbox').fill('Sign out');
    await page.keyboard.press('Enter');
    await says(page, 'Saved “Sign out”.');
    await page.reload();
    await pane(page).waitFor();
    expect(await own(page).getByRole('listitem').allInnerTexts()).toEqual([
      expect.stringMatching(/^Mine\s+query\s+Who I am\.$/),
      expect.stringMatching(/^Sign out\s+mutation$/),
    ]);
    await saveScreenshot(page, 'saved');
    await turnTo(page, 'Progress');
    await button(page, 'Mine query').click();
    await expect.poll(() => textIn(page, 'Operation Editor')).toContain('query Mine');
    await page.keyboard.press('Control+Enter');
    await page.locator('.graphiql-response .view-line', { hasText: '"TOKEN"' }).waitFor();

    const downloading = page.waitForEvent('download');
    await button(page, 'Export').click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe('operations.json');
    const file = await text(await download.createReadStream());
    expect(file).not.toContain(seededToken('user'));
    // The operator can serve the file as it is.
    expect([...parseTrustedDocuments(JSON.parse(file)).values()]).toEqual([
      expect.stringContaining('query Mine'),
      expect.stringContaining('mutation Other'),
    ]);

    const other = await openPage();
    await other.goto(page.url());
    await openPane(other);
    await pane(other).getByText('You have saved none in this browser.').waitFor();
    await importFile(other, file);
    await says(other, 'shared.json: Added 2 operations.');
    await importFile(other, file);
    await says(other, 'You have all of its operations already.');
    await importFile(
      other,
      manifest([{ name: 'Mine', body: '{ session { authenticated } }', variables: { a: 1 } }]),
    );
    await says(other, 'Added 0 operations, and replaced “Mine”.');
    const tabs = other.locator('.graphiql-tab');
    const earlier = await tabs.count();
    for (const name of ['Mine query', 'Sign out mutation', 'Mine query']) await button(other, name).click();
    await expect.poll(() => textIn(other, 'Operation Editor')).toBe('{ session { authenticated } }');
    expect(await tabs.count(), 'each has one tab').toBe(earlier + 2);
    await button(other, 'Delete Sign out').click();
    await says(other, 'Deleted “Sign out”.');
    expect(await focused(other)).toBe('Undo');
    await other.keyboard.press('Enter');
    await button(other, 'Sign out mutation').waitFor();
    await button(other, 'Delete Sign out').click();
    await other.reload();
    await button(other, 'Mine query').waitFor();
    expect(await own(other).getByRole('listitem').count()).toBe(1);
    expect(await findBarriers(other, FOREIGN)).toEqual([]);
    await other.context().close();
    expect(explorer.problems).toEqual([]);
  });

  test('are renamed by the keyboard alone, and keep their names apart', async () => {
    await using explorer = await openExplorer({ hasInitialHeaders: true });
    const { page } = explorer;
    await openPane(page);
    await importFile(
      page,
      manifest(['A', 'B'].map((name) => ({ name, body: `query ${name} { session { method } }` }))),
    );
    await says(page, 'Added 2 operations.');
    await tabTo(page, 'Rename A');
    await page.keyboard.press('Enter');
    await expect.poll(() => focused(page)).toBe('New name of A');
    await page.keyboard.type('B');
    await page.keyboard.press('Enter');
    await pane(page).getByRole('alert').getByText('Another operation is called “B”.').waitFor();
    expect(await findBarriers(page, FOREIGN)).toEqual([]);
    await page.keyboard.press('Escape');
    await expect.poll(() => focused(page)).toBe('Rename A');
    const warnings: string[] = [];
    page.on('console', (message) => warnings.push(message.text()));
    await page.keyboard.press('Enter');
    await page.keyboard.type('Not this');
    await tabTo(page, 'Cancel');
    await page.keyboard.press('Enter');
    await expect.poll(() => focused(page)).toBe('Rename A');
    expect(warnings).toEqual([]);
    await page.keyboard.press('Enter');
    await page.keyboard.type('Z');
    await page.keyboard.press('Enter');
    await says(page, '“A” is now called “Z”.');
    await tabTo(page, /^Z\s+query/);
    await page.keyboard.press('Enter');
    await expect.poll(() => textIn(page, 'Operation Editor')).toContain('query A');
    const editor = page.locator('section[aria-label="Operation Editor"] .graphiql-editor');
    expect(await editor.evaluate((element) => element === document.activeElement)).toBe(true);
    expect(explorer.problems).toEqual([]);
  });

  test('can be as before each change, until another page changes them', async () => {
    await using explorer = await openExplorer({ hasInitialHeaders: true });
    const { page } = explorer;
    await openPane(page);
    await button(page, 'Save').click();
    await button(page, 'Undo').waitFor();
    const other = await page.context().newPage();
    await other.goto(page.url());
    await pane(other).getByRole('textbox').fill('Second');
    await other.keyboard.press('Enter');
    await button(page, 'Second query').waitFor();
    expect(await button(page, 'Undo').count(), 'it would remove what the other page has saved').toBe(0);
    await button(other, 'Undo').click();
    await button(page, 'Second query').waitFor({ state: 'detached' });
    await button(page, 'Example query').waitFor();
    expect(explorer.problems).toEqual([]);
  });

  test('are not lost or mixed up by files and documents that cannot be read', async () => {
    await using explorer = await openExplorer({ hasInitialHeaders: true });
    const { page } = explorer;
    await openPane(page);
    const alert = pane(page).getByRole('alert');
    for (const [content, message] of [
      ['{', /^Nothing of shared\.json was imported\.\nIt is no JSON: /],
      ['{}', /It is no manifest of operations: it needs "format": "apollo-persisted-query-manifest"/],
      [
        manifest([
          null,
          { name: ' ', body: '{ a }' },
          { name: 'A' },
          { name: 'B', body: '{ a' },
          { name: 'C', body: 'fragment F on Query { a }' },
          { name: 'D', body: '{ a }', variables: 1 },
          { name: 'E', body: '{ a }' },
          { name: 'E', body: '{ b }' },
        ]),
        /Operation 1: it must be an object\.\nOperation 2 \(“ ”\): "name" must be a text\.\nOperation 3 \(“A”\): "body" must be the text of the operation\.\nOperation 4 \(“B”\): "body" cannot be read\. Syntax Error: .*\nOperation 5 \(“C”\): .*no operation.*\nAnd 2 more\.$/,
      ],
    ] as const) {
      await importFile(page, content);
      await expect.poll(() => alert.textContent().catch(() => '')).toMatch(message);
    }
    expect(await own(page).count()).toBe(0);
    await typeOperation(page, 'Broken', 'query Broken {');
    await button(page, 'Save').click();
    await alert.getByText('The document in the editor cannot be saved. Syntax Error').waitFor();
    await saveScreenshot(page, 'saved-problem');
    expect(await findBarriers(page, FOREIGN)).toEqual([]);
    expect(explorer.problems).toEqual([]);
  });

  test('are read from damaged storage as far as that is possible, and kept by the page without storage', async () => {
    await using explorer = await openExplorer({ hasInitialHeaders: true });
    const { page } = explorer;
    await openPane(page);
    for (const [stored, expected] of [
      ['{ damaged', []],
      ['{"not": "a list"}', []],
      [
        JSON.stringify([null, { name: 1 }, { name: 'Kept', query: '{ a }', variables: null }]),
        ['Kept query'],
      ],
    ] as const) {
      await page.evaluate((value) => localStorage.setItem('optiongraph:saved', value), stored);
      await page.reload();
      await button(page, 'Save').click();
      await says(page, 'Saved “Example”.');
      const names = await own(page).locator('.optiongraph-operation > :first-child').allInnerTexts();
      expect(names.map((name) => name.replace(/\s+/, ' ')).sort(), stored).toEqual([
        'Example query',
        ...expected,
      ]);
    }
    await page.addInitScript(() => {
      Object.defineProperty(window, 'localStorage', {
        get: () => {
          throw new DOMException('denied', 'SecurityError');
        },
      });
    });
    await page.reload();
    await openPane(page);
    await pane(page).getByText('This browser keeps nothing for this page.').waitFor();
    await button(page, 'Save').click();
    await button(page, 'Example query').waitFor();
    expect(explorer.problems).toEqual([]);
  });

  test('lead to the editor where their pane covers it', async () => {
    await using explorer = await openExplorer({ hasInitialHeaders: true, isNarrow: true });
    const { page } = explorer;
    await openPane(page);
    await button(page, 'Save').click();
    await button(page, 'Example query').click();
    await pane(page).waitFor({ state: 'hidden' });
    const editor = page.locator('section[aria-label="Operation Editor"] .graphiql-editor');
    expect(await editor.evaluate((element) => element === document.activeElement)).toBe(true);
  });
});

describeInBrowser('the collection of the operator', () => {
  test('is shown with descriptions as far as the user may use it, and opens with its variables', async () => {
    const documents = parseTrustedDocuments({
      one: '"One dataset, with *all* of its snapshots."\nquery One($id: ID!) { dataset(id: $id) { id snapshots { nodes { id } } } }',
      packages: '# Packages of resources.\nquery Packages { clusterResourcePackages { nodes { id } } }',
      components: '{ components { nodes { id } } }',
    });
    await using explorer = await openExplorer({ facade: { trustedDocuments: { mode: 'allow', documents } } });
    const { page } = explorer;
    await page.emulateMedia({ colorScheme: 'dark' });
    await openPane(page);
    const list = pane(page).getByRole('list', { name: 'From the operator' });
    const names = async () =>
      (await list.getByRole('button').allInnerTexts()).map((name) => name.replace(/\s+/, ' '));
    await expect.poll(names).toEqual(['components query']);
    await useToken(page, seededToken('user'));
    await expect.poll(names).toEqual(['One query', 'components query']);
    expect(await list.innerText()).toContain('One dataset, with all of its snapshots.');
    await button(page, 'Save').click();
    await button(page, 'Example query').waitFor();
    await saveScreenshot(page, 'collection-dark');
    expect(await findBarriers(page, FOREIGN)).toEqual([]);
    await button(page, 'One query').click();
    await expect.poll(() => textIn(page, 'Operation Editor')).toContain('query One');
    await page.getByRole('button', { name: 'Variables', exact: true }).click();
    await expect.poll(() => textIn(page, 'Variables')).toContain('"id": null');
    expect(explorer.problems).toEqual([]);
  });
});
