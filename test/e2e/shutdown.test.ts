// Tests how the command-line program ends on signals.
import { NetworkError } from 'graphql-sse';
import { describe, expect, test } from 'vitest';
import { ADDRESS, runCli } from '../helpers/cli.ts';
import { holdAnswers } from '../helpers/held-answers.ts';
import { overSse, overWebSocket } from '../helpers/streams.ts';
import { ok, startStub } from '../helpers/stub-upstream.ts';
import { post, TRANSPORTS } from '../helpers/transports.ts';
import { openWorkshop, WORKSHOP } from '../helpers/workshop.ts';

const headers = { 'x-library-token': 'one' };
const STAMP = 'mutation { toolStamp(id: 5) { tool { name } } }';
const WAIT = 'mutation { toolSharpen(id: 5, wait: 50) { actionState { id } } }';
const PROGRESS = 'subscription { actionProgress(id: 500) { current } }';

describe('a signal', () => {
  test('lets writes finish, answers waits and ends streams, over all transports', async () => {
    const stamps = holdAnswers(ok({ tool: { id: 5, name: 'saw', weight: 1, owner: null } }));
    await using shop = await openWorkshop({ 'tool#stamp': stamps.handler });
    await using cli = runCli(['--port', '0', '--upstream', shop.upstream.url.href]);
    const [, url = ''] = await cli.waitForOutput(ADDRESS);
    const writes = TRANSPORTS.map(([, send]) => send(url, { query: STAMP }, headers));
    const held = await Promise.all(writes.map((_write, index) => stamps.take(index)));
    const waits = TRANSPORTS.map(([, send]) => send(url, { query: WAIT }, headers));
    const socket = overWebSocket(url, PROGRESS, headers);
    const events = overSse(url, PROGRESS, headers);
    await Promise.all([socket.next(), events.next(), shop.actions.waitForOpenPolls(1)]);
    await expect
      .poll(() => shop.upstream.calls.filter(({ scope }) => scope === 'tool#sharpen'))
      .toHaveLength(3);

    cli.signal('SIGTERM');
    const waited = { toolSharpen: { actionState: { id: 'action_state/500' } } };
    for (const wait of waits) expect(await wait).toMatchObject({ data: waited });
    expect((await fetch(`${new URL(url).origin}/ready`)).status).toBe(503);
    for (const { release, isAbandoned } of held) {
      expect(isAbandoned).toBe(false);
      release();
    }
    for (const write of writes)
      expect(await write).toMatchObject({ data: { toolStamp: { tool: { name: 'saw' } } } });
    expect(await socket.next().catch((error: unknown) => error)).toMatchObject({ code: 1001 });
    expect(await events.next().catch((error: unknown) => error)).toBeInstanceOf(NetworkError);
    expect(await cli.ended).toMatchObject({ code: 0, stderr: '' });
  });

  test('ends the program while the management API does not answer at start', async () => {
    await using upstream = await startStub(WORKSHOP, {});
    const asked = new Promise<void>((resolve) => {
      upstream.onOptions = () => () => resolve();
    });
    await using cli = runCli(['--port', '0', '--upstream', upstream.url.href]);
    await asked;
    cli.signal('SIGTERM');
    expect(await cli.ended).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s after another one ends the program at once with %i', async (signal, code) => {
    const stamps = holdAnswers(ok({}));
    await using shop = await openWorkshop({ 'tool#stamp': stamps.handler });
    await using cli = runCli(['--port', '0', '--upstream', shop.upstream.url.href]);
    const [, url = ''] = await cli.waitForOutput(ADDRESS);
    const answer = post(url, { query: STAMP }, headers).catch((error: unknown) => error);
    await stamps.take(0);
    cli.signal('SIGTERM');
    await expect.poll(async () => (await fetch(`${new URL(url).origin}/ready`)).status).toBe(503);
    cli.signal(signal);
    expect((await cli.ended).code).toBe(code);
    expect(await answer).toBeInstanceOf(TypeError);
  });
});
