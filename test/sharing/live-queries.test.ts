// Tests that a write of a caller shows in live queries at each replica.
import { describe, expect, it } from 'vitest';
import type { Replicas } from '../../src/sharing/replicas.ts';
import {
  type LiveClient,
  type LiveLibrary,
  type LiveResult,
  liveOverWebSocket,
  openLiveLibrary,
  openReplicaOf,
} from '../helpers/live-library.ts';
import { LocalDeployment } from '../helpers/local-deployment.ts';
import { hasRedis, startRedis } from '../helpers/redis.ts';

const LONG = 'query @live(interval: 3600) { books { nodes { title } } }';
const WRITE = 'mutation { bookUpdate(id: 1, input: { title: "Uno" }) { userErrors { code } } }';
const titlesIn = ({ data }: LiveResult = {}): readonly string[] =>
  (data as { books: { nodes: { title: string }[] } }).books.nodes.map(({ title }) => title);

/** Replicas in front of one library; the first is the library's own. */
interface Deployment extends AsyncDisposable {
  readonly library: LiveLibrary;
  /** Sends a live query to a replica. */
  send(replica: number, query: string): LiveClient;
}

async function openDeployment(joined: readonly Replicas[]): Promise<Deployment> {
  const [first, ...others] = joined;
  const library = await openLiveLibrary({ shared: { replicas: first ?? expect.fail() } });
  const servers = [await library.listen()];
  for (const replicas of others) servers.push(await openReplicaOf(library, replicas));
  const close = async (): Promise<void> => {
    for (const server of servers) await server.close();
    await library[Symbol.asyncDispose]();
  };
  return {
    library,
    send: (replica, query) => liveOverWebSocket(servers[replica]?.url ?? '', { query }),
    [Symbol.asyncDispose]: close,
  };
}

const joinLocal = (count: number): Replicas[] => {
  const deployment = new LocalDeployment();
  return Array.from({ length: count }, () => deployment.join());
};

/** Opens a live query at each of three replicas, and writes through the first. */
async function expectShown(joined: readonly Replicas[]): Promise<void> {
  await using deployment = await openDeployment(joined);
  const clients: LiveClient[] = [];
  for (const replica of [0, 1, 2]) {
    const client = deployment.send(replica, LONG);
    clients.push(client);
    expect(titlesIn(await client.next())).toEqual(['One', 'Two', 'Three']);
  }
  await deployment.library.ask(WRITE);
  for (const client of clients) expect(titlesIn(await client.next())).toEqual(['Uno', 'Two', 'Three']);
  for (const client of clients) await client.leave();
}

describe('a write of the caller', () => {
  it.skipIf(!hasRedis)('shows in live queries at all replicas that share through Redis', async () => {
    await using redis = await startRedis();
    await expectShown([await redis.join(), await redis.join(), await redis.join()]);
  });

  it('shows in a live query that begins at another replica after it was answered', async () => {
    await using deployment = await openDeployment(joinLocal(2));
    await using first = deployment.send(0, LONG);
    await first.next();
    await deployment.library.ask(WRITE);
    await using second = deployment.send(1, LONG);
    expect(titlesIn(await second.next())).toEqual(['Uno', 'Two', 'Three']);
  });
});

it.skipIf(!hasRedis)('live queries go on while Redis cannot be used', async () => {
  await using redis = await startRedis();
  await using deployment = await openDeployment([await redis.join(), await redis.join()]);
  const query = LONG.replace('3600', '0.05');
  const clients = [deployment.send(0, query), deployment.send(1, query)];
  for (const client of clients) await client.next();
  await redis.stop();
  deployment.library.books.delete(1);
  for (const client of clients) {
    expect(titlesIn(await client.next())).toEqual(['Two', 'Three']);
    await client.leave();
  }
});
