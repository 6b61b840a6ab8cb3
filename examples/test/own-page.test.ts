// Tests the recipe for a page on its own development server, in a browser.
import { readFileSync, rmSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RunningServer } from '../../src/server/server.ts';
import { type Pair, startPair } from '../../test/helpers/facade.ts';
import { type RunningProcess, runNode } from '../../test/helpers/running-process.ts';
import { describeInBrowser, openPage } from '../../test/helpers/shared-browser.ts';
import { openTelemetry } from '../../test/helpers/telemetry.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** Among the examples, so that their packages are found. */
const FOLDER = 'examples/.cache/own-page';
const ADDRESS = 'http://127.0.0.1:4000';

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** The configuration of Vite in the recipe. */
function readViteConfig(): string {
  const [, code] = /```ts\n(\/\/ vite\.config\.ts\n.*?)```/s.exec(read('docs/clients.md')) ?? [];
  if (code === undefined) throw new TypeError('docs/clients.md has no vite.config.ts');
  return code;
}

/** Asks by Relay's network, and gives the first result or the failure as a text. */
const MAIN = `
import { createEnvironment } from './environment.ts';
window.ask = (url, credential, operationKind, text) =>
  new Promise((resolve) => {
    const network = createEnvironment(new URL(url, location.href).href, credential).getNetwork();
    const params = { operationKind, text, name: 'Any', id: null, cacheID: text, metadata: {} };
    network.execute(params, {}, { force: true }, null, null, null, null, null).subscribe({
      next: resolve,
      error: (error) => resolve(String(error)),
    });
  });
`;

const USER = 'query Any { session { user { label } } }';
const PENDING = 'subscription Any { pendingActions { id } }';

describeInBrowser('a page on its own development server', () => {
  const telemetry = openTelemetry();
  let pair: Pair;
  let server: RunningServer;
  let vite: RunningProcess;
  let page: Page;
  beforeAll(async () => {
    pair = await startPair({ facade: telemetry.options, sandbox: { step: 'manual' } });
    server = await pair.listen();
    const config = readViteConfig();
    expect(config).toContain(ADDRESS);
    const files = {
      'package.json': '{ "type": "module" }',
      'vite.config.ts': config.replace(ADDRESS, new URL(server.url).origin),
      'environment.ts': read('examples/relay/src/token-environment.ts'),
      'index.html': '<!doctype html><script type="module" src="/main.ts"></script>',
      'main.ts': MAIN,
    };
    await mkdir(join(ROOT, FOLDER), { recursive: true });
    for (const [name, text] of Object.entries(files)) await writeFile(join(ROOT, FOLDER, name), text);
    vite = runNode(['../../node_modules/vite/bin/vite.js', '--host', '127.0.0.1', '--port', '0'], {
      folder: FOLDER,
    });
    const [url] = await vite.waitForOutput(/http:\/\/127\.0\.0\.1:\d+/);
    page = await openPage();
    await page.goto(url);
    await page.waitForFunction('window.ask !== undefined');
    await pair.ask('mutation { datasetSnapshotCreate(dataset: 12) { actionState { id } } }', {
      login: 'user',
    });
  });
  afterAll(async () => {
    await page.context().close();
    await vite[Symbol.asyncDispose]();
    await pair[Symbol.asyncDispose]();
    rmSync(join(ROOT, FOLDER), { recursive: true });
  });

  const ask = (url: string, kind: 'query' | 'subscription', text: string): Promise<unknown> => {
    const values = [url, pair.headers('user'), kind, text].map((value) => JSON.stringify(value));
    return page.evaluate(`ask(${values.join()})`);
  };
  const user = { data: { session: { user: { label: 'user' } } } };
  const event = { data: { pendingActions: { id: expect.any(String) } } };

  it('has one origin with the server when the development server passes operations on', async () => {
    expect(await ask('/graphql', 'query', USER)).toMatchObject(user);
    expect(await ask('/graphql', 'subscription', PENDING)).toMatchObject(event);
    expect(telemetry.lines('refusal')).toEqual([]);
  });

  it('cannot use the server’s address while its origin is not listed, which the log names', async () => {
    const { origin } = new URL(page.url());
    expect(await ask(server.url, 'query', USER)).toBe('TypeError: Failed to fetch');
    expect(telemetry.lines('refusal')).toMatchObject([{ origin }]);
    expect(await ask(server.url, 'subscription', PENDING)).toEqual(expect.any(String));
  });
});
