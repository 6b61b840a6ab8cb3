// Tests that commands which serve outlive the reader of their output, and that others end with it.
import { openSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { holdAnswers } from '../helpers/held-answers.ts';
import { makeNamedPipe } from '../helpers/named-pipe.ts';
import { findPort } from '../helpers/plain-server.ts';
import { type RunningProcess, runNode } from '../helpers/running-process.ts';
import { ok } from '../helpers/stub-upstream.ts';
import { openWorkshop } from '../helpers/workshop.ts';

const WAIT = { timeout: 20_000 };
const STAMP = 'mutation { toolStamp(id: 5) { tool { name } } }';

/** A command that serves at a known port, because nobody reads its address. */
interface Server extends RunningProcess {
  readonly origin: string;
}

async function start(args: readonly string[], output: number): Promise<Server> {
  const port = await findPort();
  const process = runNode(['dist/cli/main.js', ...args, '--port', `${port}`], { output });
  return Object.assign(process, { origin: `http://127.0.0.1:${port}` });
}

/** Resolves when the path is served. */
const serves = ({ origin }: Server, path: string): Promise<void> =>
  expect
    .poll(
      async () => (await fetch(origin + path, { method: 'OPTIONS' }).catch(() => null))?.ok ?? false,
      WAIT,
    )
    .toBe(true);

async function ask({ origin }: Server, query = '{ __typename }'): Promise<unknown> {
  const response = await fetch(`${origin}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-library-token': 'one' },
    body: JSON.stringify({ query }),
  });
  return await response.json();
}

/** Asks the process to stop, and expects that it ends as it does with a reader. */
async function expectEnd(server: Server): Promise<void> {
  server.signal('SIGTERM');
  expect(await server.ended).toMatchObject({ code: 0, stderr: '' });
}

describe('serve', () => {
  const path = '/readyz';
  const startOver = (shop: { readonly upstream: { readonly url: URL } }, output: number): Promise<Server> =>
    start(['serve', '--upstream', shop.upstream.url.href], output);

  test('goes on serving and ends when its reader leaves', async () => {
    await using shop = await openWorkshop();
    using pipe = makeNamedPipe();
    await using server = await startOver(shop, pipe.writeEnd);
    await serves(server, path);
    await expect.poll(() => pipe.read(), WAIT).not.toBe('');
    pipe.close();
    await serves(server, path);
    await expectEnd(server);
  });

  test('serves and ends while the disk is full', async () => {
    await using shop = await openWorkshop();
    await using server = await startOver(shop, openSync('/dev/full', 'w'));
    await serves(server, path);
    await expectEnd(server);
  });
});

test('a reader that leaves during the shutdown does not hold it up', async () => {
  const stamps = holdAnswers(ok({ tool: { id: 5, name: 'saw', weight: 1, owner: null } }));
  await using shop = await openWorkshop({ 'tool#stamp': stamps.handler });
  using pipe = makeNamedPipe();
  await using server = await start(['serve', '--upstream', shop.upstream.url.href], pipe.writeEnd);
  await serves(server, '/readyz');
  const stamped = ask(server, STAMP);
  const { release } = await stamps.take(0);
  server.signal('SIGTERM');
  await expect.poll(async () => (await fetch(`${server.origin}/ready`)).status, WAIT).toBe(503);
  pipe.close();
  release();
  expect(await stamped).toMatchObject({ data: { toolStamp: { tool: { name: 'saw' } } } });
  expect(await server.ended).toMatchObject({ code: 0, stderr: '' });
});

describe('other commands', () => {
  const QUERY = ['query', '{ datasets(first: 100) { nodes { id name } } }', '--sandbox'];

  test('end quietly when their reader leaves, as head does', async () => {
    using pipe = makeNamedPipe();
    pipe.close();
    await using query = runNode(['dist/cli/main.js', ...QUERY], { output: pipe.writeEnd });
    expect(await query.ended).toMatchObject({ code: 0, stderr: '' });
  });

  test('say that their output cannot be written, and fail', async () => {
    await using query = runNode(['dist/cli/main.js', ...QUERY], { output: openSync('/dev/full', 'w') });
    expect(await query.ended).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^optiongraph: The output cannot be written: .*ENOSPC/),
    });
  });
});
