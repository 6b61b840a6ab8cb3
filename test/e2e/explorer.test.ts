// Tests the explorer in a browser.
import type { BrowserContext, Page } from 'playwright-core';
import { expect, test, vi } from 'vitest';
import { listenSandbox, type SandboxOptions } from '../../packages/sandbox/src/listen-sandbox.ts';
import { createFacade } from '../../src/facade/facade.ts';
import { startServer } from '../../src/transports/server.ts';
import { readAuthorization } from '../../src/upstream/http/caller.ts';
import { turnTo, typeOperation } from '../helpers/explorer-page.ts';
import { collectLog } from '../helpers/facade.ts';
import { describeInBrowser, openPage } from '../helpers/shared-browser.ts';

/** Opens the facade's page in a browser without access to other hosts. */
async function open(options: SandboxOptions = {}) {
  const sandbox = await listenSandbox(options);
  const token = sandbox.users.at(-1)?.token ?? '';
  const facade = await createFacade({
    upstream: new URL(sandbox.url),
    descriptionCredential: readAuthorization(`Basic ${Buffer.from('admin:sandbox').toString('base64')}`),
    explorerHeaders: { [sandbox.tokenHeader]: token },
    log: collectLog(),
  });
  const server = await startServer(facade, { host: '127.0.0.1', port: 0 });
  const page = await openPage();
  const outside = await cutOff(page.context(), page);
  const errors: string[] = [];
  page.on('pageerror', ({ message }) => errors.push(message));
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  await page.goto(server.url);
  const dispose = async (): Promise<void> => {
    await page.context().close();
    await server.close();
    await sandbox.close();
  };
  return { sandbox, token, page, outside, errors, [Symbol.asyncDispose]: dispose };
}

/** Aborts requests to other hosts; returns the growing list of their URLs. */
async function cutOff(context: BrowserContext, page: Page): Promise<readonly string[]> {
  const outside: string[] = [];
  const isOutside = (url: URL): boolean =>
    /^(http|ws)s?:$/.test(url.protocol) && url.hostname !== '127.0.0.1';
  await context.route(isOutside, (route) => {
    outside.push(route.request().url());
    return route.abort();
  });
  page.on('websocket', (socket) => {
    if (isOutside(new URL(socket.url()))) outside.push(socket.url());
  });
  return outside;
}

/** The visible text of an editor, which has an element for each line, and non-breaking spaces. */
async function textOf(page: Page, selector: string): Promise<string> {
  const text = await page.locator(`${selector} .view-lines:visible`).innerText();
  return text.replaceAll('\u00a0', ' ');
}

/** The result that GraphiQL shows, as far as it is on the screen. The order of the editor's lines is only in their styles. */
async function shownAnswer(page: Page): Promise<string> {
  const lines = await page.locator('.graphiql-response .view-line').evaluateAll((found) =>
    found
      .map((line) => ({
        top: Number.parseInt(line.getAttribute('style')?.match(/top:\s*(\d+)/)?.[1] ?? '0', 10),
        text: line.textContent,
      }))
      .sort((a, b) => a.top - b.top)
      .map(({ text }) => text),
  );
  return lines.join('').replaceAll('\u00a0', ' ');
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

/** Saves a screenshot to the folder in `PICTURES`, if it is set. */
async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env['PICTURES'];
  if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png` });
}

const isIntrospection = (body: string | null): boolean => body?.includes('__schema') ?? false;

describeInBrowser('GraphiQL in a browser without a network', () => {
  test('shows rows for its first query without changes', async () => {
    await using explorer = await open();
    const { page, sandbox, token } = explorer;
    await page.waitForSelector('section[aria-label="Headers"] .view-line >> nth=1');
    const headers = await textOf(page, 'section[aria-label="Headers"]');
    expect(headers).toContain(`"${sandbox.tokenHeader}": "${token}"`);

    const answer = await execute(page);
    expect(answer).not.toHaveProperty('errors');
    expect(answer).toMatchObject({ data: { datasets: { nodes: { length: 5 } } } });
    await page.waitForSelector('.graphiql-response .view-line >> nth=5');
    const shown = await textOf(page, '.graphiql-response');
    expect(shown).toContain('"nodes": [');
    expect(shown).toMatch(/"id": "dataset\/\d+"/);
    expect(shown).not.toContain('"errors"');
    expect(explorer.errors).toEqual([]);
    expect(explorer.outside).toEqual([]);

    await expect(page.evaluate("fetch('http://elsewhere.invalid/')")).rejects.toThrow();
    expect(explorer.outside, 'its policy allows no other host').toEqual([]);
    const empty = await page.context().newPage();
    await expect(empty.evaluate("fetch('http://elsewhere.invalid/')")).rejects.toThrow();
    expect(explorer.outside, 'the watch itself works').toEqual(['http://elsewhere.invalid/']);
  });

  test('starts an action, shows its progress and end, and cancels another', async () => {
    await using explorer = await open({ step: 'manual' });
    const { page, sandbox } = explorer;
    const begin = async (name: string, dataset: number): Promise<string> => {
      const mutation = `mutation ${name} { datasetSnapshotCreate(dataset: ${dataset}, wait: 0) { actionState { id outcome } userErrors { message } } }`;
      await typeOperation(page, name, mutation);
      const { data } = (await execute(page)) as {
        data: { datasetSnapshotCreate: { actionState: { id: string } } };
      };
      return data.datasetSnapshotCreate.actionState.id;
    };
    const shown = (text: string) => page.locator('.graphiql-response .view-line', { hasText: text });
    const id = await begin('Begin', 12);
    await typeOperation(
      page,
      'Follow',
      `subscription Follow { actionProgress(id: "${id}", minInterval: 0.1) { label outcome progress } }`,
    );
    await page.getByRole('button', { name: 'Execute query' }).press('Enter');
    await shown('"progress": 0').waitFor();
    sandbox.advance(2);
    await shown('"progress": 0.4').waitFor();
    await picture(page, 'follow');
    sandbox.advance(3);
    await shown('"SUCCEEDED"').waitFor();

    const other = await begin('Again', 15);
    await typeOperation(
      page,
      'Cancel',
      `mutation Cancel { actionStateCancel(id: "${other}") { target { id outcome status } userErrors { code message } } }`,
    );
    expect(await execute(page)).toMatchObject({
      data: {
        actionStateCancel: { target: { id: other, outcome: 'RUNNING', status: false }, userErrors: [] },
      },
    });
    await shown('"RUNNING"').waitFor();
    await picture(page, 'cancel');
    expect(explorer.outside).toEqual([]);
    await expect.poll(() => sandbox.openRequests).toBe(0);
  });

  test('lists the latest state of every pending action, unfinished ones first', async () => {
    await using explorer = await open({ step: 'manual' });
    const { page, sandbox, token } = explorer;
    const begin = async (dataset: number): Promise<string> => {
      const query = `mutation { datasetSnapshotCreate(dataset: ${dataset}, wait: 0) { actionState { id } } }`;
      const answer = await fetch(page.url().split('?', 1)[0] ?? '', {
        method: 'POST',
        headers: { 'content-type': 'application/json', [sandbox.tokenHeader]: token },
        body: JSON.stringify({ query }),
      });
      const { data } = (await answer.json()) as {
        data: { datasetSnapshotCreate: { actionState: { id: string } } };
      };
      return data.datasetSnapshotCreate.actionState.id;
    };
    const shown = async (...ids: string[]) => {
      const { pendingActions } = JSON.parse(await shownAnswer(page)) as {
        pendingActions: { id: string; outcome: string; progress: number }[];
      };
      return pendingActions
        .filter(({ id }) => ids.includes(id))
        .map(({ id, outcome, progress }) => [id, outcome, progress]);
    };
    // The editor renders only visible lines.
    await page.setViewportSize({ width: 1400, height: 2000 });
    const first = await begin(12);
    await turnTo(page, 'Progress');
    await page.getByRole('button', { name: 'Execute query' }).press('Enter');
    await expect.poll(() => shown(first)).toEqual([[first, 'RUNNING', 0]]);
    sandbox.advance(2);
    const second = await begin(15);
    await expect
      .poll(() => shown(first, second), { timeout: 10_000 })
      .toEqual([
        [first, 'RUNNING', 0.4],
        [second, 'RUNNING', 0],
      ]);
    sandbox.advance(3);
    await expect
      .poll(() => shown(first, second), { timeout: 10_000 })
      .toEqual([
        [second, 'RUNNING', 0.6],
        [first, 'SUCCEEDED', 1],
      ]);
    await picture(page, 'pending');
    await page.getByRole('button', { name: 'Stop query' }).click();
    await expect.poll(() => sandbox.openRequests).toBe(0);
    expect(explorer.errors).toEqual([]);
  });

  test('has tabs for the caller’s rights, whose writes lack an id', async () => {
    await using explorer = await open({ step: 'manual' });
    const { page, sandbox } = explorer;
    const writes: string[] = [];
    sandbox.onRequest(({ method, path }) => {
      if (!['GET', 'OPTIONS'].includes(method)) writes.push(`${method} ${path}`);
    });
    for (const name of ['Create', 'Cancel']) {
      await turnTo(page, name);
      // GraphiQL takes a moment to find the operation of a document.
      await vi.waitFor(
        async () =>
          expect(await execute(page)).toMatchObject({
            errors: [
              {
                message: expect.stringContaining('must not be null'),
                extensions: { code: 'BAD_USER_INPUT' },
              },
            ],
          }),
        { timeout: 20_000 },
      );
      await picture(page, `tab-${name}`);
    }
    await turnTo(page, 'Progress');
    expect(writes).toEqual([]);
    expect(explorer.outside).toEqual([]);
  });
});
