// Tests the pages of the examples in Chromium.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Pair, startPair } from '../../test/helpers/facade.ts';
import { runNode } from '../../test/helpers/running-process.ts';
import {
  describeInBrowser,
  findBarriers,
  openPage,
  saveScreenshot,
} from '../../test/helpers/shared-browser.ts';

/** Serves the page of an example, as it was built, over a sandbox whose actions the test advances. */
async function serveExample(example: string) {
  const pair = await startPair({ sandbox: { step: 'manual' } });
  const server = await pair.listen();
  const token = Object.values(pair.headers('user')).join();
  const preview = runNode(
    ['../node_modules/vite/bin/vite.js', 'preview', '--host', '127.0.0.1', '--port', '0'],
    { folder: `examples/${example}`, env: { SERVER_URL: new URL(server.url).origin, TOKEN: token } },
  );
  const [url] = await preview.waitForOutput(/http:\/\/127\.0\.0\.1:\d+/);
  return {
    pair,
    token,
    url,
    async [Symbol.asyncDispose](): Promise<void> {
      await preview[Symbol.asyncDispose]();
      await pair[Symbol.asyncDispose]();
    },
  };
}

type Example = Awaited<ReturnType<typeof serveExample>>;

/** Opens an empty page, and collects the errors that nothing in it catches. */
async function openEmptyPage() {
  const page = await openPage();
  const faults: unknown[] = [];
  page.on('pageerror', (error) => faults.push(error));
  return { page, faults, [Symbol.asyncDispose]: () => page.context().close() };
}

interface Dataset {
  readonly id: string;
  readonly name: string;
  readonly snapshots: {
    readonly totalCount: number;
    readonly nodes: readonly { readonly labelValue: string | null; readonly name: string }[];
  };
}

/** The datasets of the user who is signed in to the page. */
async function datasetsOf(pair: Pair): Promise<readonly Dataset[]> {
  const { data } = await pair.ask<{ datasets: { nodes: Dataset[] } }>(
    '{ datasets(first: 1000) { nodes { id name snapshots(first: 5) { totalCount nodes { labelValue name } } } } }',
    { login: 'user' },
  );
  return data?.datasets.nodes ?? [];
}

/** Presses a button until it is gone. */
async function pressToTheEnd(page: Page, name: string): Promise<void> {
  const button = page.getByRole('button', { name, exact: true });
  const rows = page.locator('main > ul > li');
  while ((await button.count()) > 0) {
    const before = await rows.count();
    await button.click();
    await expect.poll(() => rows.count()).toBeGreaterThan(before);
  }
}

describeInBrowser('the React page', () => {
  let example: Example;
  beforeAll(async () => {
    example = await serveExample('react');
  });
  afterAll(() => example[Symbol.asyncDispose]());

  it('says why a token is refused, and signs in by another one', async () => {
    await using opened = await openEmptyPage();
    const { page, faults } = opened;
    await page.goto(example.url);
    expect(await findBarriers(page)).toEqual([]);
    await page.getByLabel('Token').fill('unknown');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('does not know the credential').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.getByLabel('Token').fill(example.token);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Sign out' }).click();
    expect(await page.getByLabel('Token').inputValue()).toBe('');
    expect(faults).toEqual([]);
  });

  it('lists all datasets, and shows the progress of snapshots', async () => {
    await using opened = await openEmptyPage();
    const { page, faults } = opened;
    const { pair } = example;
    await page.goto(example.url);
    const datasets = await datasetsOf(pair);
    await page.getByLabel('Token').fill(example.token);
    await page.keyboard.press('Enter');
    await page.getByRole('listitem').first().waitFor();
    await pressToTheEnd(page, 'Show more');
    expect(await page.getByRole('heading', { level: 2 }).allTextContents()).toEqual(
      datasets.map(({ name }) => name),
    );

    const [dataset] = datasets;
    const row = page.getByRole('listitem').first();
    const create = row.getByRole('button');
    await create.press('Enter');
    const bar = row.getByRole('progressbar', { name: `Snapshot of ${dataset?.name}` });
    for (const value of ['0', '0.2', '0.4']) {
      await expect.poll(() => bar.getAttribute('value')).toBe(value);
      pair.sandbox.advance();
    }
    // The action is running, so pressing again does nothing.
    await create.press('Enter');
    await row.getByText('60 %').waitFor();
    await saveScreenshot(page, 'example-progress');
    expect(await findBarriers(page)).toEqual([]);
    pair.sandbox.advance(2);
    await row.getByText('The snapshot has been created.').waitFor();
    const count = (dataset?.snapshots.totalCount ?? 0) + 1;
    await row.getByText(`, ${count} snapshots`).waitFor();
    expect((await datasetsOf(pair))[0]?.snapshots.totalCount).toBe(count);
    expect(await create.evaluate((button) => button === document.activeElement)).toBe(true);
    expect(faults).toEqual([]);
  });

  it('shows what another page changes', async () => {
    await using dashboard = await openEmptyPage();
    await using other = await openEmptyPage();
    const { pair } = example;
    for (const { page } of [dashboard, other]) {
      await page.goto(example.url);
      await page.getByLabel('Token').fill(example.token);
      await page.keyboard.press('Enter');
    }
    const row = dashboard.page.getByRole('listitem').first();
    const before = (await datasetsOf(pair))[0]?.snapshots.totalCount ?? 0;
    await row.getByText(`, ${before} snapshots`).waitFor();
    let loads = 0;
    dashboard.page.on('load', () => {
      loads += 1;
    });
    const changed = other.page.getByRole('listitem').first();
    await changed.getByRole('button').click();
    await changed.getByRole('progressbar').waitFor();
    pair.sandbox.advance(5);
    await row.getByText(`, ${before + 1} snapshots`).waitFor();
    await saveScreenshot(dashboard.page, 'example-live');
    expect(loads).toBe(0);
    expect([dashboard.faults, other.faults]).toEqual([[], []]);
  });

  it('shows failures to people, dark and narrow as well', async () => {
    await using opened = await openEmptyPage();
    const { page, faults } = opened;
    const { pair } = example;
    await page.goto(example.url);
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize({ width: 360, height: 800 });
    await page.getByLabel('Token').fill(example.token);
    await page.keyboard.press('Enter');
    const row = page.getByRole('listitem').first();
    pair.sandbox.failNext('below');
    await row.getByRole('button').press('Enter');
    await row.getByRole('progressbar').waitFor();
    pair.sandbox.advance(5);
    await row.getByText('The snapshot could not be created.').waitFor();
    await page.context().setOffline(true);
    await row.getByRole('button').press('Enter');
    await row.getByRole('alert').getByText('The server cannot be reached.').waitFor();
    await saveScreenshot(page, 'example-failure-dark');
    expect(await findBarriers(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
    expect(faults).toEqual([]);
  });
});

describeInBrowser('the Relay page', () => {
  let example: Example;
  beforeAll(async () => {
    example = await serveExample('relay');
  });
  afterAll(() => example[Symbol.asyncDispose]());

  it('loads the pages of a list, and reads one of its objects again', async () => {
    await using opened = await openEmptyPage();
    const { page, faults } = opened;
    const { pair } = example;
    await page.goto(example.url);
    const datasets = await datasetsOf(pair);
    await page.getByRole('listitem').first().waitFor();
    await pressToTheEnd(page, 'Load more');
    const rows = page.locator('main > ul > li');
    expect(await rows.locator('h2').allTextContents()).toEqual(datasets.map(({ name }) => name));

    const [dataset] = datasets;
    const labels = dataset?.snapshots.nodes.map(({ labelValue, name }) => labelValue ?? name) ?? [];
    const snapshots = rows.first().getByRole('listitem');
    await rows.first().getByRole('button', { name: 'Show snapshots' }).click();
    await expect.poll(() => snapshots.allTextContents()).toEqual(labels);
    const { data } = await pair.ask(
      'mutation ($id: ID!) { datasetSnapshotCreate(dataset: $id, input: { label: "new" }) { snapshot { id } } }',
      {
        variables: { id: dataset?.id },
      },
    );
    expect(data).toMatchObject({ datasetSnapshotCreate: { snapshot: { id: expect.any(String) } } });
    await rows.first().getByRole('button', { name: 'Refresh' }).click();
    await expect.poll(() => snapshots.allTextContents()).toEqual([...labels, 'new']);
    expect(await rows.count()).toBe(datasets.length);
    expect(await findBarriers(page)).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('counts datasets anew when there is another one', async () => {
    await using opened = await openEmptyPage();
    const { page, faults } = opened;
    const { pair } = example;
    await page.goto(example.url);
    const before = (await datasetsOf(pair)).length;
    await page.getByText(`${before} datasets`, { exact: true }).waitFor();
    const { data } = await pair.ask(
      'mutation { datasetCreate(input: { name: "live" }) { dataset { id } userErrors { message } } }',
      { login: 'user' },
    );
    expect(data).toMatchObject({ datasetCreate: { userErrors: [] } });
    await page.getByText(`${before + 1} datasets`, { exact: true }).waitFor();
    expect(faults).toEqual([]);
  });

  it('says why it has no data', async () => {
    await using opened = await openEmptyPage();
    const { page } = opened;
    await page.route('**/graphql', (route) => route.abort());
    await page.goto(example.url);
    await page.getByRole('alert').getByText('Failed to fetch').waitFor();
  });
});
