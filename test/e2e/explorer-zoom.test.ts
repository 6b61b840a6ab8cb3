// Tests that all that Optiongraph adds to GraphiQL can be used on a narrow screen and at a zoom of 200 %.
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { seededToken } from '../../packages/sandbox/src/auth/sessions.ts';
import {
  FOREIGN,
  isCutOff,
  openAccount,
  openExplorer,
  panel,
  typeOperation,
  useToken,
  waitForSignedIn,
} from '../helpers/explorer-page.ts';
import { describeInBrowser, findBarriers, isInFront, saveScreenshot } from '../helpers/shared-browser.ts';

/** Checks that a part fits into the page, that nothing covers its controls, and that it has no barriers. */
async function check(page: Page, part: Locator, name: string): Promise<void> {
  await part.waitFor();
  const { width } = page.viewportSize() ?? { width: 0 };
  expect(await page.evaluate('document.documentElement.scrollWidth'), name).toBe(width);
  const { x, width: ownWidth } = (await part.boundingBox()) ?? { x: -1, width: 0 };
  expect(x, name).toBeGreaterThanOrEqual(0);
  expect(x + ownWidth, name).toBeLessThanOrEqual(width);
  expect(await part.evaluate(isCutOff), name).toBe(false);
  // In the page, because a panel can have a hundred controls.
  const inFront = await page.evaluateHandle(`(${isInFront})`);
  const covered = await part.locator('button, input, select, textarea, a').evaluateAll(
    (controls, isSeen) =>
      controls
        .filter((control) => control.checkVisibility({ visibilityProperty: true }))
        .filter((control) => {
          control.scrollIntoView({ block: 'nearest' });
          return !(isSeen as typeof isInFront)(control);
        })
        .map(({ outerHTML }) => outerHTML.slice(0, 200)),
    inFront,
  );
  expect(covered, name).toEqual([]);
  expect(await findBarriers(page, FOREIGN), name).toEqual([]);
  await saveScreenshot(page, `${width}-${name}`);
}

const editorLine = (page: Page) => page.locator('section[aria-label="Operation Editor"] .view-line').first();

async function checkPanes(page: Page): Promise<void> {
  for (const name of ['About this API', 'Upstream calls']) {
    await page.getByRole('button', { name: `Show ${name}` }).click();
    await check(page, page.getByRole('region', { name }), name);
    await page.getByRole('button', { name: `Hide ${name}` }).click();
  }
}

describeInBrowser('what Optiongraph adds to GraphiQL', () => {
  test('can be used at a width of 400 pixels and at a zoom of 200 %', async () => {
    // A window of 1280 by 1024 pixels then has a height of 512.
    const size = { width: 400, height: 512 };
    await using explorer = await openExplorer({ isNarrow: true, sandbox: { step: 'manual' } });
    const { page, pair } = explorer;
    await page.setViewportSize(size);
    const execute = page.getByRole('button', { name: 'Execute query' });
    for (const element of [editorLine(page), execute]) {
      await element.waitFor();
      expect(await element.evaluate(isInFront), 'as it opens').toBe(true);
    }
    await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
    const docs = page.locator('.graphiql-doc-explorer');
    expect((await docs.boundingBox())?.width).toBeGreaterThan(300);
    expect(await page.getByRole('combobox').evaluate(isCutOff), 'the keys of the search').toBe(false);
    await page.getByRole('button', { name: 'Hide Documentation Explorer' }).click();
    await openAccount(page);
    await check(page, panel(page), 'Sign in');
    await page.keyboard.press('Escape');
    await useToken(page, seededToken('user'));
    await waitForSignedIn(page);
    await openAccount(page);
    await check(page, panel(page), 'Your session');
    await page.keyboard.press('Escape');

    await page.locator('.graphiql-tab-button[title="Create"]').waitFor();
    await execute.click();
    await page.locator('.graphiql-response .view-line', { hasText: '"nodes"' }).first().waitFor();
    await checkPanes(page);

    const live = page.getByRole('button', { name: 'Live query' });
    await live.click();
    await check(page, page.locator('.optiongraph-live.running'), 'Live');
    await live.click();
    await pair.ask('mutation { datasetSnapshotCreate(dataset: 12, wait: 0) { actionState { id } } }', {
      login: 'user',
    });
    await typeOperation(page, 'Follow', 'subscription Follow { pendingActions { id label progress } }');
    await execute.click();
    await check(page, page.getByRole('region', { name: 'Progress' }), 'Progress');
    expect(explorer.problems).toEqual([]);
  });
});
