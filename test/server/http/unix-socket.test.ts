// Tests the server at a Unix socket.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, request } from 'undici';
import { describe, expect, it } from 'vitest';
import { openServer } from '../../../src/server/server.ts';
import { makeFolder } from '../../helpers/folder.ts';
import { openTelemetry } from '../../helpers/telemetry.ts';
import { openWorkshop } from '../../helpers/workshop.ts';

const local = { host: '127.0.0.1', port: 0 };

async function check(socketPath: string): Promise<number> {
  const dispatcher = new Client('http://localhost', { socketPath });
  const { statusCode, body } = await request('http://localhost/livez', { dispatcher });
  await body.dump();
  await dispatcher.close();
  return statusCode;
}

describe('a server at a Unix socket', () => {
  it('answers there, believes the proxy at the other end, and removes the file at its end', async () => {
    using folder = makeFolder();
    const socket = join(folder.path, 'graph.sock');
    const telemetry = openTelemetry();
    await using shop = await openWorkshop({}, telemetry.options);
    const server = await shop.listen({ socket });
    expect(server.url).toBe(`http://unix:${socket}:/graphql`);
    expect(await check(socket)).toBe(200);

    const clients = Array.from({ length: 3 }, () => new Client('http://localhost', { socketPath: socket }));
    const ask = async (client: Client, address: string): Promise<number> => {
      const { statusCode, body } = await client.request({
        path: '/graphql',
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
        body: JSON.stringify({ query: '{ __typename }' }),
      });
      await body.dump();
      return statusCode;
    };
    const statuses: number[] = [];
    for (const [index, client] of clients.entries())
      statuses.push(await ask(client, index === 2 ? '192.0.2.2' : '192.0.2.1'));
    expect(statuses).toEqual([200, 200, 200]);
    expect(telemetry.lines('operation').map(({ address }) => address)).toEqual([
      '192.0.2.1',
      '192.0.2.1',
      '192.0.2.2',
    ]);
    await Promise.all(clients.map((client) => client.destroy()));
    await server.close();
    expect(existsSync(socket)).toBe(false);
  });

  it('replaces the file of a process that has ended, and no other file or socket', async () => {
    using folder = makeFolder();
    const socket = join(folder.path, 'graph.sock');
    const script = join(folder.path, 'listen.mjs');
    writeFileSync(
      script,
      `import { createServer } from 'node:net';
       createServer().listen(process.argv[2], () => process.kill(process.pid, 'SIGKILL'));`,
    );
    await once(fork(script, [socket]), 'exit');
    expect(existsSync(socket)).toBe(true);
    await using server = await openServer({ ...local, socket });
    expect(server.origin).toBe(`http://unix:${socket}:`);
    expect(await check(socket)).toBe(200);
    await expect(openServer({ ...local, socket })).rejects.toMatchObject({ code: 'EADDRINUSE' });
    expect(await check(socket)).toBe(200);
    const file = join(folder.path, 'notes.txt');
    writeFileSync(file, 'keep');
    await expect(openServer({ ...local, socket: file })).rejects.toMatchObject({ code: 'EADDRINUSE' });
    expect(existsSync(file)).toBe(true);
  });
});
