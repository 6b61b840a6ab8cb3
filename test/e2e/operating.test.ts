// Tests what operators see of the program: a description fetched again, causes of failures, and base paths.
import { once } from 'node:events';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeCertificate } from '../helpers/certificates.ts';
import { ADDRESS, runCli } from '../helpers/cli.ts';
import { runInProcess } from '../helpers/cli-in-process.ts';
import { makeFolder } from '../helpers/folder.ts';
import { listen, listenWith } from '../helpers/plain-server.ts';
import { openWorkshop } from '../helpers/workshop.ts';

describe('SIGHUP', () => {
  test('fetches the description again', async () => {
    await using shop = await openWorkshop();
    await using cli = runCli(['--port', '0', '--upstream', shop.upstream.url.href]);
    await cli.waitForOutput(ADDRESS);
    const { options } = shop.upstream;
    cli.signal('SIGHUP');
    await expect.poll(() => shop.upstream.options, { timeout: 10_000 }).toBeGreaterThan(options);
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

  test('of a port that is taken', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    expect(await runInProcess(['--sandbox', '--port', `${port}`])).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^optiongraph: Cannot listen \(listen EADDRINUSE: address already in use .+ the setting metrics\.port\.\n$/,
      ),
    });
    taken.close();
  });
});
