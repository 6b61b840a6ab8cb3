// Tests what operators see of the program: reloaded settings, causes of failures, a passed socket and health.
import { once } from 'node:events';
import { createServer as createSecureServer } from 'node:https';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeCertificate } from '../helpers/certificates.ts';
import { ADDRESS, runCli } from '../helpers/cli.ts';
import { makeFolder } from '../helpers/folder.ts';
import { readJsonLines } from '../helpers/json-lines.ts';
import { startWithSocket } from '../helpers/passed-socket.ts';
import { listen, listenWith } from '../helpers/plain-server.ts';
import { post } from '../helpers/transports.ts';
import { openWorkshop } from '../helpers/workshop.ts';

const ORIGIN = 'https://app.example';

async function ask(url: string, query: string) {
  const response = await post(url, { query }, { origin: ORIGIN, 'x-library-token': 'one' });
  const { errors } = (await response.json()) as { readonly errors?: readonly unknown[] };
  return { isRefused: errors !== undefined, origin: response.headers.get('access-control-allow-origin') };
}

describe('SIGHUP', () => {
  test('applies what can change, and logs that and what needs a restart', async () => {
    using folder = makeFolder();
    await using shop = await openWorkshop();
    const write = (settings: object): string => folder.write('config.yaml', settings);
    const upstream = { url: shop.upstream.url.href };
    const file = write({ port: 0, upstream, limits: { operationCost: 26 } });
    await using cli = runCli(['--config', file], { OPTIONGRAPH_LIMITS_CALLS: '70' });
    const [, url = ''] = await cli.waitForOutput(ADDRESS);
    const query = '{ a: __typename b: __typename }';
    expect(await ask(url, query)).toEqual({ isRefused: true, origin: null });

    const { options } = shop.upstream;
    write({
      port: 1,
      upstream: { ...upstream, authorization: 'Bearer canary-of-reload' },
      origins: [ORIGIN],
    });
    cli.signal('SIGHUP');
    const applied = 'the settings were read again; changed: origins, limits.operationCost';
    await expect.poll(() => cli.stdout, { timeout: 10_000 }).toContain(applied);
    await expect.poll(() => cli.stdout).toContain('need a restart: port, upstream.authorization');
    expect(cli.stdout).not.toContain('canary-of-reload');
    expect(await ask(url, query)).toEqual({ isRefused: false, origin: ORIGIN });
    await expect.poll(() => shop.upstream.options).toBeGreaterThan(options);

    write({ prot: 1, origins: [] });
    cli.signal('SIGHUP');
    const invalid = /the settings are invalid, so the previous ones stay in use: .*There is no setting prot/;
    await expect.poll(() => cli.stdout, { timeout: 10_000 }).toMatch(invalid);
    expect(await ask(url, query)).toEqual({ isRefused: false, origin: ORIGIN });
    const lines = readJsonLines(cli.stdout);
    expect(lines.filter(({ event }) => event === 'reload')).toMatchObject([
      { level: 'info', applied: ['origins', 'limits.operationCost'] },
      { level: 'warn', pending: ['port', 'upstream.authorization'] },
      { level: 'warn' },
    ]);
    expect(lines.filter(({ event }) => event === undefined)).toEqual([]);
  });
});

describe('a failure is explained with the setting to check', () => {
  test('of a connection to the API, for which the program waits', async () => {
    using folder = makeFolder();
    await using closed = await listen(() => {});
    await closed.close();
    const { files, certificate, key } = makeCertificate(folder.path, 'api');
    // It speaks TLS, but is no HaveAPI server.
    const secure = createSecureServer({ cert: certificate, key }, (_request, response) => response.end('{}'));
    await using listening = await listenWith(secure);
    const origin = `https://127.0.0.1:${listening.port}`;
    for (const [args, message] of [
      [
        ['--upstream', closed.url],
        /nothing listens there \(ECONNREFUSED\)\. Check --upstream\. Trying again/,
      ],
      [
        ['--upstream', origin],
        /certificate is not accepted \(DEPTH_ZERO\w+\)\. Check OPTIONGRAPH_UPSTREAM_CA\. Trying again/,
      ],
      [
        ['--upstream', 'http://api.example/'],
        /the Unix socket does not exist \(ENOENT\)\. Check OPTIONGRAPH_UPSTREAM_SOCKET\. Trying again/,
      ],
    ] as const) {
      await using cli = runCli(['--port', '0', ...args], {
        OPTIONGRAPH_UPSTREAM_SOCKET: args[1].includes('api.example') ? join(folder.path, 'none') : '',
      });
      await expect.poll(() => cli.stdout, { timeout: 20_000 }).toMatch(message);
      cli.signal('SIGTERM');
      expect((await cli.ended).code).toBe(0);
    }
    const trusting = runCli(['--port', '0', '--upstream', origin], {
      OPTIONGRAPH_UPSTREAM_CA: files.certificate,
    });
    expect(await trusting.ended).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/this is not a HaveAPI server\. Check --upstream\.\n$/),
    });
  });

  test('of a socket that is taken', async () => {
    using folder = makeFolder();
    const socket = join(folder.path, 'graph.sock');
    const taken = createServer().listen(socket);
    await once(taken, 'listening');
    expect(await runCli(['--sandbox'], { OPTIONGRAPH_SOCKET: socket }).ended).toEqual({
      code: 1,
      stdout: '',
      stderr: `optiongraph: The socket ${socket} is taken, or is no socket; choose another with the setting socket.\n`,
    });
    taken.close();
  });
});

describe('a socket that systemd passes', () => {
  test('is listened at in place of host and port', async () => {
    const { child, port, output } = await startWithSocket('--sandbox --port 1');
    await expect.poll(output, { timeout: 20_000 }).toContain(`http://127.0.0.1:${port}/graphql`);
    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
    child.kill('SIGTERM');
    expect(await once(child, 'close')).toEqual([0, null]);
  });
});

describe('a base path', () => {
  test('is taken from the public URL, and is part of all addresses', async () => {
    await using cli = runCli(['--sandbox', '--port', '0'], {
      OPTIONGRAPH_PUBLIC_URL: 'https://one.example/api/graph/',
    });
    const [, url = ''] = await cli.waitForOutput(ADDRESS);
    expect(new URL(url).pathname).toBe('/api/graph/graphql');
    const { origin } = new URL(url);
    for (const path of ['/readyz', '/api/graph/readyz'])
      expect((await fetch(origin + path)).status).toBe(200);
    const login = await fetch(`${origin}/api/graph/auth/login`, { redirect: 'manual' });
    expect(decodeURIComponent(login.headers.get('location') ?? '')).toContain(
      'redirect_uri=https://one.example/api/graph/auth/callback',
    );
  });
});
