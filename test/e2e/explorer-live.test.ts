// Tests live queries in the explorer.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { FOREIGN, isCutOff, openExplorer, typeOperation } from '../helpers/explorer-page.ts';
import type { Pair } from '../helpers/facade.ts';
import { describeInBrowser, findBarriers, saveScreenshot } from '../helpers/shared-browser.ts';

const LIVE = { name: 'Live query (@live)', exact: true } as const;
const COUNT = 'query Count { dataset(id: "dataset/12") { snapshots(first: 0) { totalCount } } }';

const liveButton = (page: Page) => page.getByRole('button', LIVE);
const line = (page: Page) => page.locator('.optiongraph-live');

/** The text of an editor, without spaces. */
const textOf = async (page: Page, place: string): Promise<string> =>
  (await page.locator(`${place} .view-line`).allTextContents()).join('').replaceAll(/\s/g, '');

const countIn = async (page: Page): Promise<number> =>
  Number(/"totalCount":(\d+)/.exec(await textOf(page, '.graphiql-response'))?.[1]);

/** Creates a snapshot as another program of the same user does, and waits for the end of its action. */
async function createSnapshot(pair: Pair): Promise<void> {
  const { data } = await pair.ask<{ datasetSnapshotCreate: { actionState: { outcome: string } } }>(
    'mutation { datasetSnapshotCreate(dataset: "dataset/12", wait: 30) { actionState { outcome } } }',
    { login: 'user' },
  );
  expect(data?.datasetSnapshotCreate.actionState.outcome).toBe('SUCCEEDED');
}

describeInBrowser('the live switch', () => {
  test('shows changes of others until it is turned off', async () => {
    await using explorer = await openExplorer({ hasInitialHeaders: true });
    const { page, pair } = explorer;
    await typeOperation(page, 'Count', COUNT);
    expect(await liveButton(page).getAttribute('aria-pressed')).toBe('false');
    await liveButton(page).click();
    await expect.poll(() => textOf(page, 'section[aria-label="Operation Editor"]')).toContain('Count@live{');
    expect(await liveButton(page).getAttribute('aria-pressed')).toBe('true');
    await expect.poll(() => line(page).textContent()).toMatch(/^Live · read at \d+:\d\d:\d\d.* · every 5 s/);
    const before = await countIn(page);
    await createSnapshot(pair);
    await expect.poll(() => countIn(page), { timeout: 10_000 }).toBe(before + 1);
    expect(await line(page).textContent()).toMatch(/^Live · changed at \d+:\d\d:\d\d/);
    await saveScreenshot(page, 'live');
    expect(await findBarriers(page, FOREIGN)).toEqual([]);

    const isClosed = page.waitForEvent('requestfailed', (request) => request.method() === 'POST');
    await liveButton(page).click();
    await isClosed;
    await expect.poll(() => line(page).textContent()).toMatch(/^Stopped · changed at \d+:\d\d:\d\d/);
    await expect.poll(() => textOf(page, 'section[aria-label="Operation Editor"]')).toContain('Count{');
    expect(await page.getByRole('button', { name: 'Execute query' }).count()).toBe(1);
    expect([explorer.problems, explorer.consoleErrors]).toEqual([[], []]);
  });

  test('is on for a document with the directive, and off for mutations, on a phone as well', async () => {
    await using explorer = await openExplorer({ hasInitialHeaders: true, isNarrow: true });
    const { page } = explorer;
    await typeOperation(page, 'Count', COUNT.replace('Count', 'Count @live(interval: 60)'));
    await expect.poll(() => liveButton(page).getAttribute('aria-pressed')).toBe('true');
    await page.getByRole('button', { name: 'Execute query' }).click();
    await expect.poll(() => line(page).textContent()).toMatch(/^Live · read at .* · every 60 s/);
    await saveScreenshot(page, 'live-narrow');
    expect(await line(page).evaluate(isCutOff)).toBe(false);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(400);
    await page.getByRole('button', { name: 'Stop query' }).click();
    await expect.poll(() => line(page).textContent()).toMatch(/^Stopped/);
    await expect.poll(() => liveButton(page).getAttribute('aria-pressed')).toBe('false');
    const sent = page.waitForRequest((request) => request.method() === 'POST');
    await page.getByRole('button', { name: 'Execute query' }).click();
    expect((await sent).postData(), 'what is executed after Stop').not.toContain('@live');
    await page.locator('section[aria-label="Operation Editor"] .monaco-editor').first().click();
    await page.keyboard.press('Control+Z');
    await expect.poll(() => liveButton(page).getAttribute('aria-pressed')).toBe('true');
    await typeOperation(
      page,
      'Delete',
      'mutation Delete { datasetDelete(dataset: "dataset/0") { userErrors { message } } }',
    );
    expect(await liveButton(page).getAttribute('aria-disabled')).toBe('true');
    expect(explorer.problems).toEqual([]);
  });
});
