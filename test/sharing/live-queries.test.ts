// Tests that replicas share the executions of live queries.
import { describe, expect, it } from 'vitest';
import { LocalDeployment } from '../../src/sharing/local-replicas.ts';
import type { Replicas } from '../../src/sharing/replicas.ts';
import {
  type LiveClient,
  type LiveLibrary,
  type LiveResult,
  liveOverWebSocket,
  openLiveLibrary,
  openReplicaOf,
} from '../helpers/live-library.ts';
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
  /** Ends a replica without a word to the others. */
  kill(replica: number): Promise<void>;
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
    kill: async (replica) => servers[replica]?.close(),
    [Symbol.asyncDispose]: close,
  };
}

const joinLocal = (count: number): Replicas[] => {
  const deployment = new LocalDeployment();
  return Array.from({ length: count }, () => deployment.join());
};

/** Opens an equal live query at each of three replicas. */
async function expectSharing(joined: readonly Replicas[]): Promise<void> {
  await using deployment = await openDeployment(joined);
  const { library } = deployment;
  const clients: LiveClient[] = [];
  for (const replica of [0, 1, 2]) {
    const client = deployment.send(replica, LONG);
    clients.push(client);
    expect(titlesIn(await client.next())).toEqual(['One', 'Two', 'Three']);
  }
  expect(library.callsOf('book#index')).toBe(1);
  await library.ask(WRITE);
  for (const client of clients) expect(titlesIn(await client.next())).toEqual(['Uno', 'Two', 'Three']);
  // One that began after each replica knew of the write may have been necessary for those who saw another begin.
  expect(library.callsOf('book#index')).toBeLessThanOrEqual(3);
  for (const client of clients) await client.leave();
}

describe('replicas with equal live queries', () => {
  it('share executions within a process', async () => {
    await expectSharing(joinLocal(3));
  });

  it.skipIf(!hasRedis)('share executions through Redis', async () => {
    await using redis = await startRedis();
    await expectSharing([await redis.join(), await redis.join(), await redis.join()]);
  });

  it.skipIf(!hasRedis)('go on alone while Redis cannot be used', async () => {
    await using redis = await startRedis();
    await using deployment = await openDeployment([await redis.join(), await redis.join()]);
    const query = LONG.replace('3600', '0.05');
    const clients = [deployment.send(0, query), deployment.send(1, query)];
    for (const client of clients) await client.next();
    await redis.stop();
    deployment.library.books.delete(1);
    for (const client of clients) expect(titlesIn(await client.next())).toEqual(['Two', 'Three']);
    await redis.start();
    deployment.library.books.delete(2);
    for (const client of clients) {
      let titles = titlesIn(await client.next());
      while (titles.length > 1) titles = titlesIn(await client.next());
      expect(titles).toEqual(['Three']);
      await client.leave();
    }
  });

  it('make the calls of one of them while nothing changes, and go on when one of them has gone', async () => {
    await using deployment = await openDeployment(joinLocal(3));
    const { library } = deployment;
    // Many intervals pass while a busy machine waits, so calls are compared with those of another query that only one replica has.
    const query = LONG.replace('3600', '0.4');
    const clients = [0, 1, 2].map((replica) => deployment.send(replica, query));
    for (const client of clients) await client.next();
    const alone = deployment.send(0, query.replace(/books.*/, 'shelves { nodes { label } } }'));
    await alone.next();
    const before = library.callsOf('book#index');
    await library.waitForCalls('shelf#index', 6);
    expect(library.callsOf('book#index') - before).toBeLessThanOrEqual(2 * 6);
    await deployment.kill(1);
    library.books.delete(1);
    for (const client of [clients[0], clients[2]])
      expect(titlesIn(await client?.next())).toEqual(['Two', 'Three']);
    for (const client of [...clients, alone]) await client.leave().catch(() => undefined);
  });

  it('take the result of one whose message comes while they claim', async () => {
    const [first, second] = joinLocal(2);
    if (first === undefined || second === undefined) return expect.fail();
    const isLive = (name: string): boolean => name.startsWith('["live"');
    let onMessage = (): void => undefined;
    let [claims, stored] = [0, 0];
    // The claims of the second replica arrive after the message about the execution of the first.
    const late: Replicas = {
      ...second,
      open: (name, receive) =>
        second.open(name, (message) => {
          receive(message);
          if (isLive(name)) onMessage();
        }),
      claim: async (name, duration) => {
        if (isLive(name)) {
          claims += 1;
          await new Promise<void>((resolve) => {
            onMessage = resolve;
          });
        }
        return second.claim(name, duration);
      },
      store: (name, ...value) => {
        if (isLive(name)) stored += 1;
        return second.store(name, ...value);
      },
    };
    await using deployment = await openDeployment([first, late]);
    const query = LONG.replace('3600', '0.1');
    const clients = [deployment.send(0, query), deployment.send(1, query)];
    for (const client of clients) await client.next();
    await deployment.library.waitForCalls('book#index', 8);
    expect(claims).toBeGreaterThan(0);
    expect(stored).toBe(0);
    for (const client of clients) await client.leave();
  });

  it('show a write of another replica although its message comes before the query', async () => {
    await using deployment = await openDeployment(joinLocal(2));
    const { library } = deployment;
    await using first = deployment.send(0, LONG);
    await first.next();
    await library.ask(WRITE);
    expect(titlesIn(await first.next())).toEqual(['Uno', 'Two', 'Three']);
    await using second = deployment.send(1, LONG);
    expect(titlesIn(await second.next())).toEqual(['Uno', 'Two', 'Three']);
  });
});
