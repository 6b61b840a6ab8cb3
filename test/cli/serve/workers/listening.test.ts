// Tests where several workers listen: at a Unix socket, at a socket that systemd passes, with TLS.
import { once } from 'node:events';
import { request } from 'node:http';
import { request as requestOverTls } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { makeCertificate } from '../../../helpers/certificates.ts';
import { ADDRESS, runCli } from '../../../helpers/cli.ts';
import { makeFolder } from '../../../helpers/folder.ts';
import { startWithSocket } from '../../../helpers/passed-socket.ts';
import { startStub } from '../../../helpers/stub-upstream.ts';
import { WORKSHOP } from '../../../helpers/workshop.ts';

const ALL_SERVE = /all 2 workers serve/;
const HEADERS = { 'content-type': 'application/json', host: 'localhost' };
type Options = Parameters<typeof request>[1];

/** Sends operations over new connections until both workers have logged one. */
async function expectBoth(output: () => string, to: Options, send = request): Promise<void> {
  const reached = (worker: number): boolean => output().includes(`"worker":${worker},"event":"operation"`);
  const ask = async (): Promise<boolean> => {
    const sent = send({ ...to, path: '/graphql', method: 'POST', headers: HEADERS, agent: false });
    sent.end(JSON.stringify({ query: '{ __typename }' }));
    const [response] = await once(sent, 'response');
    expect(JSON.parse(await text(response))).toMatchObject({ data: { __typename: 'Query' } });
    return reached(1) && reached(2);
  };
  await expect.poll(ask, { timeout: 10_000 }).toBe(true);
}

test('workers serve at a Unix socket, also after a crash of all that left its file', async () => {
  using folder = makeFolder();
  await using upstream = await startStub(WORKSHOP, {});
  const socketPath = join(folder.path, 'graph.sock');
  const start = () => runCli(['--workers', '2', '--upstream', upstream.url.href, '--socket', socketPath]);
  const crashed = start();
  await crashed.waitForOutput(ALL_SERVE);
  crashed.signal('SIGKILL');
  await crashed.ended;
  await using cli = start();
  await cli.waitForOutput(ALL_SERVE);
  await expectBoth(() => cli.stdout, { socketPath });
});

test('workers serve at a socket that systemd passes to their primary', async () => {
  await using upstream = await startStub(WORKSHOP, {});
  const { child, port, output } = await startWithSocket(
    `--workers 2 --port 1 --upstream ${upstream.url.href}`,
  );
  await expect.poll(output, { timeout: 20_000 }).toMatch(ALL_SERVE);
  await expectBoth(output, { host: '127.0.0.1', port });
  child.kill('SIGTERM');
  expect(await once(child, 'close')).toEqual([0, null]);
});

test('workers serve HTTPS', async () => {
  using folder = makeFolder();
  await using upstream = await startStub(WORKSHOP, {});
  const { files, certificate } = makeCertificate(folder.path, 'server');
  const tls = ['--tls-certificate', files.certificate, '--tls-key', files.key];
  await using cli = runCli(['--workers', '2', '--port', '0', '--upstream', upstream.url.href, ...tls]);
  const [, url = ''] = await cli.waitForOutput(ADDRESS);
  await cli.waitForOutput(ALL_SERVE);
  const send = ((options: object) => requestOverTls({ ...options, ca: certificate })) as typeof request;
  await expectBoth(() => cli.stdout, { host: '127.0.0.1', port: new URL(url).port }, send);
});
