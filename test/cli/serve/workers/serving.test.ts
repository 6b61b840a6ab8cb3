// Tests that several workers serve as one process would: addresses, metrics, signals, failures of the start.
import { describe, expect, test } from 'vitest';
import { runCli } from '../../../helpers/cli.ts';
import { makeFolder } from '../../../helpers/folder.ts';
import { holdAnswers } from '../../../helpers/held-answers.ts';
import { readJsonLines } from '../../../helpers/json-lines.ts';
import { listen } from '../../../helpers/plain-server.ts';
import { ok, startStub } from '../../../helpers/stub-upstream.ts';
import { startWorkers, WAIT } from '../../../helpers/worker-processes.ts';
import { openWorkshop, WORKSHOP } from '../../../helpers/workshop.ts';

const headers = { 'x-library-token': 'one' };
const STAMP = 'mutation { toolStamp(id: 5) { tool { name } } }';
const COUNT = 'optiongraph_operation_duration_seconds_count';
const sum = (values: ReadonlyMap<string, number>): number => [...values.values()].reduce((a, b) => a + b, 0);

describe('workers', () => {
  test('serve at one address with one start line, and their metrics add up at each', async () => {
    await using upstream = await startStub(WORKSHOP, {});
    await using workers = await startWorkers(upstream.url);
    for (let count = 1; count <= 10; count += 1)
      expect(await workers.ask('{ __typename }')).toMatchObject({ data: { __typename: 'Query' } });
    const starts = readJsonLines(workers.primary.stdout).filter(({ event }) => event === 'start');
    expect(starts).toMatchObject([{ worker: 1, url: workers.url }]);
    // Each of them answers for both.
    for (let time = 1; time <= 4; time += 1) {
      const counts = await workers.metric(COUNT);
      expect([...counts.keys()].sort()).toEqual(['1', '2']);
      expect(sum(counts)).toBe(10);
    }
    const memory = await workers.metric('process_resident_memory_bytes');
    expect([...memory.keys()].sort()).toEqual(['1', '2', 'primary']);
  });

  test('have their metrics at a port of their own once', async () => {
    await using upstream = await startStub(WORKSHOP, {});
    await using workers = await startWorkers(upstream.url, ['--metrics-port', '0']);
    const [, metrics = ''] = await workers.primary.waitForOutput(/Metrics: ([^"\s]+)/);
    await workers.askEach('{ __typename }');
    expect([...(await workers.metric(COUNT, metrics)).keys()].sort()).toEqual(['1', '2']);
    expect(workers.primary.stdout.match(/Metrics: /g)).toHaveLength(1);
    expect((await fetch(`${workers.origin}/metrics`)).status).toBe(404);
  });

  test('finish what is under way at a signal, and leave no process', async () => {
    const stamps = holdAnswers(ok({ tool: { id: 5, name: 'saw', weight: 1, owner: null } }));
    await using shop = await openWorkshop({ 'tool#stamp': stamps.handler });
    await using workers = await startWorkers(shop.upstream.url);
    const writes = Array.from({ length: 4 }, () => workers.ask(STAMP, headers));
    const held = await Promise.all(writes.map((_write, index) => stamps.take(index)));
    workers.primary.signal('SIGTERM');
    await expect.poll(() => workers.primary.stdout.match(/shutdown: begun/g), WAIT).toHaveLength(2);
    for (const { release } of held) release();
    const results = await Promise.all(writes);
    for (const result of results)
      expect(result).toMatchObject({ data: { toolStamp: { tool: { name: 'saw' } } } });
    expect(new Set(results.map(({ worker }) => worker)).size).toBe(2);
    // The output ends with the last process that can write to it.
    expect(await workers.primary.ended).toMatchObject({ code: 0, stderr: '' });
    expect(workers.primary.stdout).not.toContain('has ended');
  });

  test('end at once at a second signal', async () => {
    const stamps = holdAnswers(ok({}));
    await using shop = await openWorkshop({ 'tool#stamp': stamps.handler });
    await using workers = await startWorkers(shop.upstream.url);
    const write = workers.ask(STAMP, headers).catch((error: unknown) => error);
    await stamps.take(0);
    workers.primary.signal('SIGTERM');
    await expect.poll(() => workers.primary.stdout, WAIT).toContain('shutdown: begun');
    workers.primary.signal('SIGTERM');
    expect((await workers.primary.ended).code).toBe(143);
    expect(await write).toBeInstanceOf(Error);
  });

  test('end with an error when none of them serves any more', async () => {
    await using upstream = await startStub(WORKSHOP, {});
    await using workers = await startWorkers(upstream.url);
    for (const pid of workers.pids.values()) process.kill(pid, 'SIGKILL');
    const { code, stdout } = await workers.primary.ended;
    expect(code).toBe(1);
    expect(stdout).toContain('has ended (SIGKILL), and no other one serves, so the program ends');
  });

  test('all read their settings again at SIGHUP, and one of them the description', async () => {
    using folder = makeFolder();
    await using upstream = await startStub(WORKSHOP, {});
    const write = (aliases: number): string =>
      folder.write('config.yaml', { limits: { document: { aliases } } });
    const file = write(1);
    await using workers = await startWorkers(upstream.url, ['--config', file]);
    expect(upstream.options).toBe(1);
    const query = '{ a: __typename b: __typename }';
    for (const { errors } of await workers.askEach(query)) expect(errors).toHaveLength(1);
    write(2);
    workers.primary.signal('SIGHUP');
    await expect
      .poll(() => workers.primary.stdout.match(/changed: limits.document.aliases/g), WAIT)
      .toHaveLength(2);
    for (const { errors } of await workers.askEach(query)) expect(errors).toBeUndefined();
    await expect.poll(() => upstream.options, WAIT).toBe(2);
  });
});

describe('a start that fails is reported once, and ends the program', () => {
  test('1: the port is in use', async () => {
    await using upstream = await startStub(WORKSHOP, {});
    await using taken = await listen(() => {});
    const args = ['--workers', '2', '--upstream', upstream.url.href, '--port', String(taken.port)];
    expect(await runCli(args).ended).toEqual({
      code: 1,
      stdout: '',
      stderr: `optiongraph: Port ${taken.port} is taken; choose another with --port.\n`,
    });
  });

  test('1: the first worker is killed', async () => {
    await using primary = runCli(['--workers', '2', '--port', '0', '--upstream', 'http://127.0.0.1:1/']);
    const [, pid = ''] = await primary.waitForOutput(/"pid":(\d+)/);
    process.kill(Number(pid), 'SIGKILL');
    const { code, stdout } = await primary.ended;
    expect(code).toBe(1);
    expect(stdout.match(/worker 1 has ended \(SIGKILL\), and no other one serves/g)).toHaveLength(1);
  });
});
