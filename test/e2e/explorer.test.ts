// Tests what the explorer executes and shows in a browser.
import type { Page } from 'playwright-core';
import { expect, test, vi } from 'vitest';
import { expectDocumented, openExplorer, turnTo } from '../helpers/explorer-page.ts';
import { describeInBrowser, saveScreenshot } from '../helpers/shared-browser.ts';

/** The visible text of an editor, which has an element for each line, and non-breaking spaces. */
async function textOf(page: Page, selector: string): Promise<string> {
  const text = await page.locator(`${selector} .view-lines:visible`).innerText();
  return text.replaceAll('\u00a0', ' ');
}

/** Presses Execute, and returns the response. GraphiQL may ignore the first press after a change of tabs. */
async function execute(page: Page): Promise<unknown> {
  const answer = page.waitForResponse(
    (response) => response.request().method() === 'POST' && !isIntrospection(response.request().postData()),
  );
  let isAnswered = false;
  answer.then(
    () => {
      isAnswered = true;
    },
    () => {},
  );
  await vi.waitFor(
    async () => {
      if (!isAnswered) await page.getByRole('button', { name: 'Execute query' }).press('Enter');
      await expect.poll(() => isAnswered, { timeout: 4_000 }).toBe(true);
    },
    { timeout: 30_000 },
  );
  return (await answer).json();
}

const isIntrospection = (body: string | null): boolean => body?.includes('__schema') ?? false;

describeInBrowser('GraphiQL in a browser without a network', () => {
  test('shows rows for its first query without changes', async () => {
    await using explorer = await openExplorer({ hasInitialHeaders: true });
    const { page, pair, problems } = explorer;
    await page.waitForSelector('section[aria-label="Headers"] .view-line >> nth=1');
    const headers = await textOf(page, 'section[aria-label="Headers"]');
    const [[name, token] = []] = Object.entries(pair.headers('user'));
    expect(headers).toContain(`"${name}": "${token}"`);

    const answer = await execute(page);
    expect(answer).not.toHaveProperty('errors');
    expect(answer).toMatchObject({ data: { datasets: { nodes: { length: 5 } } } });
    await page.waitForSelector('.graphiql-response .view-line >> nth=5');
    const shown = await textOf(page, '.graphiql-response');
    expect(shown).toContain('"nodes": [');
    expect(shown).toMatch(/"id": "dataset\/\d+"/);
    expect(shown).not.toContain('"errors"');
    expect([problems, explorer.consoleErrors]).toEqual([[], []]);

    await expect(page.evaluate("fetch('http://elsewhere.invalid/')")).rejects.toThrow();
    expect(problems, 'its policy allows no other host').toEqual([]);
    const empty = await page.context().newPage();
    await expect(empty.evaluate("fetch('http://elsewhere.invalid/')")).rejects.toThrow();
    expect(problems, 'the watch itself works').toEqual(['requested http://elsewhere.invalid/']);
  });

  test('shows the documentation in the language of its reader', async () => {
    await using explorer = await openExplorer({ hasInitialHeaders: true, locale: 'cs-CZ' });
    const { page, problems } = explorer;
    await expectDocumented(page, 'datasets', true);
    await page.locator('.graphiql-doc-explorer').getByText('Vypsat datasety').waitFor();
    expect(problems).toEqual([]);
  });

  test('shows the latest state of each pending action', async () => {
    await using explorer = await openExplorer({ sandbox: { step: 'manual' }, hasInitialHeaders: true });
    const { page, pair, problems } = explorer;
    const begin = (dataset: number): Promise<unknown> =>
      pair.ask(`mutation { datasetSnapshotCreate(dataset: ${dataset}, wait: 0) { actionState { id } } }`, {
        login: 'user',
      });
    const actions = page.getByRole('region', { name: 'Progress' }).getByRole('list', { name: 'Actions' });
    const shown = () =>
      actions
        .getByRole('listitem')
        .evaluateAll((items) =>
          items.map((item) => [item.getAttribute('data-outcome'), item.querySelector('progress')?.value]),
        );
    await begin(12);
    await turnTo(page, 'Progress');
    await page.getByRole('button', { name: 'Execute query' }).press('Enter');
    await expect.poll(shown).toContainEqual(['RUNNING', 0]);
    const others = (await shown()).length - 1;
    pair.sandbox.advance(2);
    await begin(15);
    const late = { timeout: 10_000 };
    await expect
      .poll(async () => (await shown()).slice(0, 2), late)
      .toEqual([
        ['RUNNING', 0],
        ['RUNNING', 40],
      ]);
    pair.sandbox.advance(3);
    await expect
      .poll(async () => (await shown()).slice(0, 2), late)
      .toEqual([
        ['RUNNING', 60],
        ['SUCCEEDED', 100],
      ]);
    expect(await shown()).toHaveLength(others + 2);
    await saveScreenshot(page, 'pending');
    await page.getByRole('button', { name: 'Stop query' }).click();
    await expect.poll(() => pair.sandbox.openRequests).toBe(0);
    expect([problems, explorer.consoleErrors]).toEqual([[], []]);
  });
});
