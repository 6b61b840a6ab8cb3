// Tests HTTPS and WSS with a certificate that changes.

import { once } from 'node:events';
import { copyFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { createClient } from 'graphql-ws';
import { Agent, fetch } from 'undici';
import { describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { openServer } from '../../../src/transports/server.ts';
import { makeCertificate } from '../../helpers/certificates.ts';
import { collectLog } from '../../helpers/facade.ts';
import { makeFolder } from '../../helpers/folder.ts';
import { openWorkshop } from '../../helpers/workshop.ts';

const local = { host: '127.0.0.1', port: 0 };

/** The status of a health check by a client that trusts one certificate, on a connection of its own. */
async function check(origin: string, ca: string): Promise<number> {
  const dispatcher = new Agent({ connect: { ca } });
  try {
    return (await fetch(`${origin}/livez`, { dispatcher })).status;
  } finally {
    await dispatcher.destroy();
  }
}

describe('a server with a certificate', () => {
  it('serves HTTPS and WSS', async () => {
    using folder = makeFolder();
    const { files: tls, certificate: ca } = makeCertificate(folder.path, 'one');
    await using shop = await openWorkshop();
    const { url } = await shop.listen({ tls });
    expect(url).toMatch(/^https:\/\/127\.0\.0\.1:\d+\/graphql$/);
    const dispatcher = new Agent({ connect: { ca } });
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-library-token': 'one' },
      body: JSON.stringify({ query: '{ tool(id: 5) { name } }' }),
      dispatcher,
    });
    expect(await response.json()).toMatchObject({ data: { tool: { name: 'tool 5' } } });
    await dispatcher.destroy();

    const client = createClient({
      url: url.replace('https', 'wss'),
      webSocketImpl: class extends WebSocket {
        constructor(address: string, protocol: string) {
          super(address, protocol, { ca });
        }
      },
      connectionParams: { 'x-library-token': 'one' },
      retryAttempts: 0,
    });
    for await (const { data } of client.iterate({ query: '{ tool(id: 6) { name } }' }))
      expect(data).toMatchObject({ tool: { name: 'tool 6' } });
    await client.dispose();
  });

  it('uses a new certificate for new connections, and keeps the old one while the files do not fit', async () => {
    using folder = makeFolder();
    const old = makeCertificate(folder.path, 'old');
    const next = makeCertificate(folder.path, 'next');
    const log = collectLog();
    await using server = await openServer({ ...local, tls: old.files, log });
    copyFileSync(next.files.certificate, old.files.certificate);
    server.reload({});
    expect(log.lines).toEqual([expect.stringMatching(/cannot be used: .+ The previous certificate stays/)]);
    expect(await check(server.origin, old.certificate)).toBe(200);
    copyFileSync(next.files.key, old.files.key);
    server.reload({});
    await expect(check(server.origin, old.certificate)).rejects.toThrow();
    expect(await check(server.origin, next.certificate)).toBe(200);
    server.reload({});
    expect(log.lines.slice(1)).toEqual(['the certificate files have changed, and new connections use them']);
  });

  it('notices new files by itself', async () => {
    using folder = makeFolder();
    const old = makeCertificate(folder.path, 'old');
    const log = collectLog();
    await using server = await openServer({ ...local, tls: old.files, log });
    makeCertificate(folder.path, 'old');
    await expect
      .poll(() => log.lines, { timeout: 15_000 })
      .toContainEqual(expect.stringContaining('have changed'));
    await expect(check(server.origin, old.certificate)).rejects.toThrow();
  });

  it('does not start with files that do not fit, and names them without their content', async () => {
    using folder = makeFolder();
    const [one, other] = ['one', 'other'].map((name) => makeCertificate(folder.path, name));
    if (one === undefined || other === undefined) throw new Error('expected certificates');
    const tls = { certificate: one.files.certificate, key: other.files.key };
    await expect(openServer({ ...local, tls })).rejects.toThrow(
      /one\.pem with the key .+other-key\.pem cannot be used/,
    );
    writeFileSync(other.files.key, 'no key');
    await expect(openServer({ ...local, tls })).rejects.toThrow(/^((?!no key).)+$/);
  });

  it('counts connections before their handshake, and closes them when it closes', async () => {
    using folder = makeFolder();
    const { files: tls } = makeCertificate(folder.path, 'one');
    // The loopback address is a trusted proxy by default, which is not counted.
    await using shop = await openWorkshop({}, { trustedProxies: [] });
    const limits = { transport: { connectionsOfAddress: 2, closeSpread: 20, shutdownTimeout: 20 } };
    const server = await shop.listen({ tls, limits });
    const { port } = new URL(server.url);
    const sockets = Array.from({ length: 3 }, () => connect(Number(port), '127.0.0.1'));
    await Promise.race(sockets.map((socket) => once(socket, 'close')));
    expect(sockets.filter(({ closed }) => closed)).toHaveLength(1);
    const closed = Promise.all(sockets.filter((one) => !one.closed).map((socket) => once(socket, 'close')));
    await server.close();
    await closed;
  });
});
