// Tests that replicas share through each kind of Redis: a server with and without TLS, Sentinels and a cluster.
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@redis/client';
import { describe, expect, it } from 'vitest';
import { parseRedisAddress } from '../../../src/sharing/redis/redis-address.ts';
import { joinRedisReplicas } from '../../../src/sharing/redis/redis-replicas.ts';
import type { Replicas } from '../../../src/sharing/replicas.ts';
import { makeCertificate } from '../../helpers/certificates.ts';
import { makeFolder } from '../../helpers/folder.ts';
import { findPort } from '../../helpers/plain-server.ts';
import { hasRedis, REPLICAS_SECRET, startRedisServer, stopRedisServer } from '../../helpers/redis.ts';

/** Starts servers, each with the arguments that `argumentsOf` gives for its port. They end with the test. */
async function startServers(
  count: number,
  argumentsOf: (port: number, folder: string, ports: readonly number[]) => readonly string[],
) {
  const folder = makeFolder();
  const ports: number[] = [];
  const servers: (Awaited<ReturnType<typeof startRedisServer>> | undefined)[] = [];
  for (let index = 0; index < count; index += 1) {
    const port = await findPort();
    ports.push(port);
    servers.push(await startRedisServer(argumentsOf(port, folder.path, ports), folder.path));
  }
  return {
    ports,
    stop: async (index: number): Promise<void> => {
      const server = servers[index];
      if (server !== undefined) await stopRedisServer(server);
      servers[index] = undefined;
    },
    async [Symbol.asyncDispose]() {
      for (const server of servers) if (server !== undefined) await stopRedisServer(server);
      folder[Symbol.dispose]();
    },
  };
}

/** Joins a replica at an address. */
async function joinReplica(text: string, ca: string | null = null): Promise<Replicas> {
  const address = parseRedisAddress(text);
  if (address === null) throw new TypeError(`expected an address: ${text}`);
  return joinRedisReplicas({ address, ca, prefix: 'test', secrets: [REPLICAS_SECRET], observer: {} });
}

/** Joins two replicas at an address, and has them share. */
async function expectSharing(text: string, ca: string | null = null): Promise<void> {
  const one = await joinReplica(text, ca);
  const other = await joinReplica(text, ca);
  try {
    await expectThatTheyShare(one, other);
  } finally {
    await one.close();
    await other.close();
  }
}

async function expectThatTheyShare(one: Replicas, other: Replicas): Promise<void> {
  await expect
    .poll(() => [one.report?.isAlone, other.report?.isAlone], { timeout: 10_000 })
    .toEqual([false, false]);
  const name = randomUUID();
  expect(await one.add(name, { of: 'one' }, 60_000)).toBe(true);
  expect(await other.load(name)).toEqual({ of: 'one' });
  await one.store('value', { is: 'shared' }, 60_000);
  expect(await other.load('value')).toEqual({ is: 'shared' });
  const received: unknown[] = [];
  const channel = other.open('news', (message) => received.push(message));
  const sender = one.open('news', () => undefined);
  await expect
    .poll(() => {
      void sender.send({ is: 'sent' });
      return received[0];
    })
    .toEqual({ is: 'sent' });
  for (const opened of [channel, sender]) opened.close();
}

/** Waits until a server says something of its replication. */
async function untilReplicates(port: number | undefined, state: string): Promise<void> {
  const client = createClient({ url: `redis://127.0.0.1:${port}` });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await expect
      .poll(() => client.sendCommand(['INFO', 'replication']), { timeout: 15_000 })
      .toContain(state);
  } finally {
    client.destroy();
  }
}

describe.skipIf(!hasRedis)('replicas share', () => {
  it('through a server at a port', async () => {
    await using servers = await startServers(1, (port) => ['--port', `${port}`]);
    await expectSharing(`redis://127.0.0.1:${servers.ports[0]}/1`);
  });

  it('over TLS with a private authority, and not without it', async () => {
    using folder = makeFolder();
    const { files, certificate } = makeCertificate(folder.path, 'redis');
    await using servers = await startServers(1, (port) => [
      ...['--port', '0', '--tls-port', `${port}`, '--tls-auth-clients', 'no'],
      ...['--tls-cert-file', files.certificate, '--tls-key-file', files.key],
      ...['--tls-ca-cert-file', files.certificate],
    ]);
    const text = `rediss://localhost:${servers.ports[0]}`;
    await expectSharing(text, certificate);
    const stranger = await joinReplica(text);
    expect(stranger.report).toMatchObject({ isAlone: true, reason: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
    await stranger.close();
  });

  it('through the primary that a Sentinel names', async () => {
    await using servers = await startServers(2, (port, folder, [primary]) => {
      if (port === primary) return ['--port', `${port}`];
      const file = join(folder, 'sentinel.conf');
      writeFileSync(file, `port ${port}\nsentinel monitor main 127.0.0.1 ${primary} 1\n`);
      return [file, '--sentinel'];
    });
    await expectSharing(`redis+sentinel://127.0.0.1:${servers.ports[1]}/main`);
  });

  it('through the server that Sentinels promote when the primary dies', async () => {
    await using data = await startServers(2, (port, _folder, [primary]) => [
      ...['--port', `${port}`, '--repl-diskless-sync-delay', '0'],
      ...(port === primary ? [] : ['--replicaof', `127.0.0.1 ${primary}`]),
    ]);
    const [primary, secondary] = data.ports;
    await untilReplicates(secondary, 'master_link_status:up');
    await using sentinels = await startServers(1, (port, folder) => {
      const file = join(folder, 'sentinel.conf');
      const lines = [
        `port ${port}`,
        `sentinel monitor main 127.0.0.1 ${primary} 1`,
        'sentinel down-after-milliseconds main 500',
        'sentinel failover-timeout main 2000',
      ];
      writeFileSync(file, `${lines.join('\n')}\n`);
      return [file, '--sentinel'];
    });
    const text = `redis+sentinel://127.0.0.1:${sentinels.ports[0]}/main`;
    const one = await joinReplica(text);
    const other = await joinReplica(text);
    await expectThatTheyShare(one, other);
    // What has been opened before goes on to receive.
    const received: unknown[] = [];
    other.open('kept', (message) => received.push(message));
    const sender = one.open('kept', () => undefined);
    await data.stop(0);
    await untilReplicates(secondary, 'role:master');
    await expectThatTheyShare(one, other);
    await expect
      .poll(
        () => {
          void sender.send({ is: 'sent' });
          return received.length;
        },
        { timeout: 10_000 },
      )
      .toBeGreaterThan(0);
    for (const replica of [one, other]) await replica.close();
  }, 60_000);

  it('through a cluster', async () => {
    await using servers = await startServers(1, (port) => ['--port', `${port}`, '--cluster-enabled', 'yes']);
    const [port] = servers.ports;
    const client = createClient({ url: `redis://127.0.0.1:${port}` });
    await client.connect();
    await client.sendCommand(['CLUSTER', 'ADDSLOTSRANGE', '0', '16383']);
    client.destroy();
    await expectSharing(`redis+cluster://127.0.0.1:${port}`);
  });
});
