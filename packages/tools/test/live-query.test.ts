// Tests `optiongraph query` with live queries.
import { expect, test } from 'vitest';
import { runCli } from '../../../test/helpers/cli.ts';
import { runInProcess } from '../../../test/helpers/cli-in-process.ts';
import { readJsonLines } from '../../../test/helpers/json-lines.ts';
import { admin, post } from '../../../test/helpers/sandbox-requests.ts';
import { runOnTerminal } from '../../../test/helpers/terminal.ts';
import { listenSandbox } from '../../sandbox/src/listen-sandbox.ts';

const RESOURCES = '{ clusterResources(first: 100) { nodes { label } } }';

/** Opens an API whose list changes. */
async function openApi() {
  const sandbox = await listenSandbox();
  return {
    flags: ['--upstream', sandbox.url],
    secret: { OPTIONGRAPH_TOKEN: admin(sandbox).token },
    /** Adds a row to the list, as another client does. */
    create: (label: string) =>
      post(sandbox, '/v7.0/cluster_resources', admin(sandbox), { cluster_resource: { label, name: label } }),
    [Symbol.asyncDispose]: () => sandbox.close(),
  };
}

test('a live query prints a line for each result that differs', async () => {
  await using api = await openApi();
  const select = ['--select', 'clusterResources.nodes[-1].label'];
  await using cli = runCli(
    ['query', RESOURCES.replace('{', 'query @live(interval: 1) {'), ...select, ...api.flags],
    api.secret,
  );
  await cli.waitForOutput(/^".+"$/m);
  await api.create('created');
  await cli.waitForOutput(/^"created"$/m);
  cli.signal('SIGINT');
  const { stdout } = await cli.ended;
  expect(readJsonLines(stdout)).toEqual([expect.any(String), 'created']);
});

test('a terminal shows the last result of a live query, in place of the ones before', async () => {
  await using api = await openApi();
  const document = RESOURCES.replace('{', 'query All @live(interval: 1) {');
  const args = ['query', document, '--format', 'table', ...api.flags];
  await using terminal = runOnTerminal(args, api.secret);
  await terminal.shows(/Last change at/);
  await api.create('created');
  await terminal.shows(/created[\s\S]*Last change at/);
  terminal.type('\u0003');
  const [before, ...screens] = (await terminal.ended).split('\u001b[H\u001b[2J');
  expect(before).not.toMatch(/label/);
  expect(screens.map((screen) => /\bcreated\b/.test(screen))).toEqual([false, true]);
});

test('a live query cannot be read page by page', async () => {
  const document = RESOURCES.replace('{', 'query @live {');
  const { code, stderr } = await runInProcess(['query', '--sandbox', document, '--paginate']);
  expect([code, stderr]).toEqual([2, expect.stringMatching(/--paginate is for queries with one result/)]);
});
