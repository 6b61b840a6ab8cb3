// Tests the pages of `optiongraph docs` in Chromium, opened as files: the search, the keyboard, and that all people can read them.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runInProcess } from '../../helpers/cli-in-process.ts';
import { makeFolder } from '../../helpers/folder.ts';
import {
  describeInBrowser,
  findBarriers,
  isInFront,
  openPage,
  saveScreenshot,
} from '../../helpers/shared-browser.ts';

const folder = makeFolder();
beforeAll(async () => {
  await runInProcess(['docs', '--sandbox', '--as', 'admin', '--out', join(folder.path, 'site')]);
}, 60_000);
afterAll(() => folder[Symbol.dispose]());

const addressOf = (file: string): string => pathToFileURL(join(folder.path, 'site', file)).href;

/** Opens a page of the site, and collects what it loads from elsewhere and what fails in it. */
async function open(file: string) {
  const page = await openPage();
  const problems: string[] = [];
  page.on('request', (request) => {
    if (!request.url().startsWith(addressOf(''))) problems.push(`requested ${request.url()}`);
  });
  page.on('console', (message) => problems.push(message.text()));
  page.on('pageerror', (error) => problems.push(String(error)));
  await page.goto(addressOf(file));
  return {
    page,
    problems,
    async [Symbol.asyncDispose]() {
      await page.context().close();
    },
  };
}

const isTooWide = (page: Page): Promise<boolean> =>
  page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth');

describeInBrowser('the site', () => {
  test.each(['index.html', 'resource-dataset.html', 'guide-contract.html'])(
    '%s can be read light, dark and narrow',
    async (file) => {
      await using site = await open(file);
      const { page, problems } = site;
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        expect(await findBarriers(page), colorScheme).toEqual([]);
        await saveScreenshot(page, `${file}-${colorScheme}`);
      }
      await page.setViewportSize({ width: 400, height: 800 });
      expect([await findBarriers(page), await isTooWide(page)]).toEqual([[], false]);
      await saveScreenshot(page, `${file}-narrow`);
      await page.getByRole('link', { name: 'Contents' }).click();
      expect(new URL(page.url()).hash).toBe('#contents');
      expect(problems).toEqual([]);
    },
  );

  test('can be read, and read by the keyboard, at a zoom of 400 %', async () => {
    await using site = await open('resource-dataset.html');
    const { page } = site;
    await page.setViewportSize({ width: 320, height: 256 });
    for (const file of ['index.html', 'guide-contract.html', 'resource-dataset.html']) {
      await page.goto(addressOf(file));
      expect([await findBarriers(page), await isTooWide(page)], file).toEqual([[], false]);
    }
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the content');
    await page.keyboard.press('Enter');
    for (let stop = 0; stop < 50; stop += 1) {
      await page.keyboard.press('Tab');
      const focused = page.locator('main :focus-visible');
      const place = await focused.evaluate(
        (element) => `${getComputedStyle(element).outlineStyle} ${element.outerHTML}`,
      );
      expect(place).not.toMatch(/^none/);
      expect(await focused.evaluate(isInFront), place).toBe(true);
    }
    await page.keyboard.press('/');
    const dialog = page.getByRole('dialog', { name: 'Search' });
    await page.keyboard.type('snapshot');
    await dialog.getByRole('link').first().waitFor();
    expect([await findBarriers(page), await isTooWide(page)]).toEqual([[], false]);
    await saveScreenshot(page, 'site-zoom');
  });

  test('finds what is typed, and goes there by the keyboard', async () => {
    await using site = await open('index.html');
    const { page, problems } = site;
    await page.keyboard.press('/');
    const dialog = page.getByRole('dialog', { name: 'Search' });
    await page.keyboard.type('snapshot crea');
    await dialog.getByRole('link').first().waitFor();
    expect(await dialog.getByRole('link').first().textContent()).toContain('Mutation.datasetSnapshotCreate');
    expect(await dialog.getByRole('status').textContent()).toMatch(/^\d+ results$/);
    expect(await findBarriers(page)).toEqual([]);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'DatasetSnapshot', exact: true }).waitFor();
    expect(page.url()).toBe(`${addressOf('resource-dataset-snapshot.html')}#Mutation.datasetSnapshotCreate`);
    expect(problems).toEqual([]);
  });

  test('finds names with a typing error, topics of the guide and nothing', async () => {
    await using site = await open('resource-dataset.html');
    const { page } = site;
    await page.getByRole('button', { name: 'Search' }).click();
    const dialog = page.getByRole('dialog', { name: 'Search' });
    const search = async (text: string): Promise<string | null> => {
      await dialog.getByRole('searchbox').fill(text);
      await dialog.getByRole('status').filter({ hasText: /\d/ }).waitFor();
      return dialog.textContent();
    };
    expect(await search('snapshto')).toContain('DatasetSnapshot');
    expect(await search('user errors')).toContain('Errors');
    expect(await search('OUTCOME_UNKNOWN')).toContain('The GraphQL contract');
    expect(await search('quota dataset')).toContain('Dataset.quota');
    expect(await search('nothing-of-the-kind')).toContain('0 results');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
  });
});
