// Tests that replicas share through a server with and without TLS.
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { joinRedisReplicas } from '../../../src/sharing/redis/redis-replicas.ts';
import type { Replicas } from '../../../src/sharing/replicas.ts';
import { makeCertificate } from '../../helpers/certificates.ts';
import { makeFolder } from '../../helpers/folder.ts';
import { findPort } from '../../helpers/plain-server.ts';
import { hasRedis, REPLICAS_SECRET, startRedisServer, stopRedisServer } from '../../helpers/redis.ts';

/** Starts a server with the arguments that `argumentsOf` gives for its port. It ends with the test. */
async function startServer(argumentsOf: (port: number) => readonly string[]) {
  const folder = makeFolder();
  const port = await findPort();
  const server = await startRedisServer(argumentsOf(port), folder.path);
  return {
    port,
    async [Symbol.asyncDispose]() {
      await stopRedisServer(server);
      folder[Symbol.dispose]();
    },
  };
}

/** Joins a replica at an address. */
const joinReplica = (address: string, ca: string | null = null): Promise<Replicas> =>
  joinRedisReplicas({ address, ca, prefix: 'test', secrets: [REPLICAS_SECRET], observer: {} });

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

describe.skipIf(!hasRedis)('replicas share', () => {
  it('through a server at a port', async () => {
    await using server = await startServer((port) => ['--port', `${port}`]);
    await expectSharing(`redis://127.0.0.1:${server.port}/1`);
  });

  it('over TLS with a private authority, and not without it', async () => {
    using folder = makeFolder();
    const { files, certificate } = makeCertificate(folder.path, 'redis');
    await using server = await startServer((port) => [
      ...['--port', '0', '--tls-port', `${port}`, '--tls-auth-clients', 'no'],
      ...['--tls-cert-file', files.certificate, '--tls-key-file', files.key],
      ...['--tls-ca-cert-file', files.certificate],
    ]);
    const text = `rediss://localhost:${server.port}`;
    await expectSharing(text, certificate);
    const stranger = await joinReplica(text);
    expect(stranger.report).toMatchObject({ isAlone: true, reason: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
    await stranger.close();
  });
});
