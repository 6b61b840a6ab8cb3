// Tests that the replicas of a deployment share the pollers of running actions.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createFacade, type Facade } from '../../../src/facade/facade.ts';
import { LocalDeployment } from '../../../src/sharing/local-replicas.ts';
import type { LeaseTimes } from '../../../src/sharing/polling/lease.ts';
import { DEFAULT_LEASE } from '../../../src/sharing/polling/shared-poller.ts';
import type { Replicas } from '../../../src/sharing/replicas.ts';
import { startServer } from '../../../src/transports/server.ts';
import type { JsonObject } from '../../../src/upstream/json.ts';
import { collectLog } from '../../helpers/facade.ts';
import { hasRedis, startRedis, type TestRedis } from '../../helpers/redis.ts';
import { errorCodes, overSse, overWebSocket, type Stream } from '../../helpers/streams.ts';
import { openWorkshop, type Workshop } from '../../helpers/workshop.ts';

const PROGRESS = 'subscription { actionProgress(id: 500, minInterval: 0.1) { outcome current } }';
const PROGRESS_501 = PROGRESS.replace('500', '501');
const PENDING = 'subscription { pendingActions { id outcome current } }';
const event = (current: number, outcome = 'RUNNING') => ({ actionProgress: { outcome, current } });
const pending = (id: number, current: number, outcome = 'RUNNING') => ({
  pendingActions: { id: `action_state/${id}`, outcome, current },
});
const token = (value: string) => ({ 'X-Library-Token': value });
const reads = ({ upstream }: Workshop) =>
  upstream.calls.filter(({ scope }) => scope.startsWith('action_state#'));
/** A shorter lease than that of a server, for tests in which one ends. A busy machine might lose it in the others. */
const SHORT_LEASE = [600, 100] as const;

interface Replica extends AsyncDisposable {
  readonly facade: Facade;
  subscribe(query?: string, caller?: string): Stream;
}

/** Adds a replica in front of the workshop’s API. */
async function openReplica(
  { upstream }: Workshop,
  replicas: Replicas,
  lease: LeaseTimes = DEFAULT_LEASE,
): Promise<Replica> {
  const watch = { interval: 20, lease };
  const shared = { replicas };
  const facade = await createFacade({ upstream: upstream.url, log: collectLog(), watch, shared });
  const { url, close } = await startServer(facade, { host: '127.0.0.1', port: 0 });
  let streams = 0;
  return {
    facade,
    subscribe: (query = PROGRESS, caller = 'one') => {
      streams += 1;
      return (streams % 2 === 0 ? overSse : overWebSocket)(url, query, token(caller));
    },
    [Symbol.asyncDispose]: close,
  };
}

/** A replica that does what another one does. */
const copyOf = (replicas: Replicas): Replicas => ({
  id: replicas.id,
  hasOthers: true,
  report: null,
  store: (name, value, keptFor) => replicas.store(name, value, keptFor),
  add: (name, value, keptFor) => replicas.add(name, value, keptFor),
  load: (name) => replicas.load(name),
  remove: (name) => replicas.remove(name),
  createLimiter: (name, limit) => replicas.createLimiter(name, limit),
  digest: (text) => replicas.digest(text),
  claim: (name, duration) => replicas.claim(name, duration),
  release: (name) => replicas.release(name),
  open: (name, onMessage) => replicas.open(name, onMessage),
  close: () => replicas.close(),
});

/** A replica that can be stopped as a machine stops a process: it neither claims, sends nor receives any more. */
function stoppable(replicas: Replicas) {
  let running = Promise.resolve();
  let isStopped = false;
  const stopped: Replicas = {
    ...copyOf(replicas),
    claim: (name, duration) => running.then(() => replicas.claim(name, duration)),
    release: (name) => running.then(() => replicas.release(name)),
    open(name, onMessage) {
      const channel = replicas.open(name, (message) => void running.then(() => onMessage(message)));
      return {
        send: async (message) => (isStopped ? undefined : channel.send(message)),
        close: channel.close,
      };
    },
  };
  return {
    replicas: stopped,
    stop() {
      isStopped = true;
      running = new Promise(() => undefined);
    },
  };
}

/** A replica whose messages reach the network later. @param onSend Takes each state that is sent. */
function sendingLater(replicas: Replicas, onSend: (current: unknown) => void): Replicas {
  return {
    ...copyOf(replicas),
    open(name, onMessage) {
      const channel = replicas.open(name, onMessage);
      const send = async (message: object): Promise<void> => {
        const { states = [] } = message as { states?: readonly (readonly [string, string, JsonObject])[] };
        await nextTurn();
        for (const [, , state] of states) onSend(state['current']);
        await channel.send(message);
      };
      return { send, close: channel.close };
    },
  };
}

/** Reads a stream until an event of it. */
async function readUntil(stream: Stream, awaited: unknown): Promise<void> {
  for (let last = await stream.next(); ; last = await stream.next()) {
    if (last === undefined) throw new Error('the stream has ended');
    if (JSON.stringify(last) === JSON.stringify(awaited)) return;
  }
}

const KINDS = [
  ['one process', true, null],
  ['Redis', hasRedis, startRedis],
] as const;

describe.each(KINDS)('replicas that share through %s', (_name, isPossible, open) => {
  const itShares = it.skipIf(!isPossible);
  /** What does not depend on how messages arrive. */
  const itOnce: (title: string, run: () => Promise<void>) => void = open === null ? it : () => undefined;
  async function openDeployment() {
    const redis: TestRedis | null = open === null ? null : await open();
    const local = new LocalDeployment();
    return {
      join: async (): Promise<Replicas> => (redis === null ? local.join() : redis.join()),
      [Symbol.asyncDispose]: async () => redis?.[Symbol.asyncDispose](),
    };
  }

  itShares('poll an action of a caller once, whatever their number', async () => {
    await using deployment = await openDeployment();
    await using shop = await openWorkshop();
    const members = [await deployment.join(), await deployment.join(), await deployment.join()];
    await using one = await openReplica(shop, members[0] as Replicas);
    await using two = await openReplica(shop, members[1] as Replicas);
    await using three = await openReplica(shop, members[2] as Replicas);
    const streams: Stream[] = [];
    for (const replica of [one, two, three, one, two, three]) {
      const stream = replica.subscribe();
      streams.push(stream);
      expect(await stream.next()).toEqual(event(0));
    }
    for (const current of [1, 2, 3]) {
      await shop.actions.waitForOpenPolls(1);
      shop.actions.set({ id: 500, current });
      for (const stream of streams) expect(await stream.next()).toEqual(event(current));
    }
    await shop.actions.waitForOpenPolls(1);
    shop.actions.set({ id: 500, current: 10, finished: true });
    for (const stream of streams) expect(await stream.rest()).toEqual([event(10, 'SUCCEEDED')]);
    expect(shop.actions.maxPollsOfOneAction).toBe(1);
    // The first state, and each change.
    expect(reads(shop)).toHaveLength(5);
    for (const { facade } of [one, two, three]) expect(facade.watcher.watched).toBe(0);
  });

  itShares('tell each other of a state before their readers, who may come to another one', async () => {
    await using deployment = await openDeployment();
    await using shop = await openWorkshop();
    const order: string[] = [];
    const leader = sendingLater(await deployment.join(), (current) => order.push(`sent ${current}`));
    await using one = await openReplica(shop, leader);
    await using other = await openReplica(shop, await deployment.join());
    await using first = one.subscribe();
    await first.next();
    await using second = other.subscribe();
    await second.next();
    order.length = 0;
    for (const current of [1, 2, 3]) {
      await shop.actions.waitForOpenPolls(1);
      const told = first.next().then(() => order.push(`told ${current}`));
      shop.actions.set({ id: 500, current });
      await told;
      await second.next();
    }
    expect(order).toEqual([1, 2, 3].flatMap((current) => [`sent ${current}`, `told ${current}`]));
  });

  itOnce('poll separately for each caller', async () => {
    await using deployment = await openDeployment();
    await using shop = await openWorkshop();
    await using one = await openReplica(shop, await deployment.join());
    await using other = await openReplica(shop, await deployment.join());
    await using first = one.subscribe(PROGRESS, 'one');
    await using second = other.subscribe(PROGRESS, 'two');
    await first.next();
    await second.next();
    await shop.actions.waitForOpenPolls(2);
    expect(new Set(reads(shop).map(({ headers }) => headers['x-library-token']))).toEqual(
      new Set(['one', 'two']),
    );
  });

  itShares('go on at another one as soon as the readers of the polling one have left', async () => {
    await using deployment = await openDeployment();
    await using shop = await openWorkshop();
    await using one = await openReplica(shop, await deployment.join());
    await using other = await openReplica(shop, await deployment.join());
    const first = one.subscribe();
    await first.next();
    await using second = other.subscribe();
    await second.next();
    await shop.actions.waitForOpenPolls(1);
    await first.leave();
    shop.actions.set({ id: 500, current: 4 });
    expect(await second.next()).toEqual(event(4));
    await shop.actions.waitForOpenPolls(1);
    shop.actions.set({ id: 500, current: 10, finished: true });
    expect(await second.rest()).toEqual([event(10, 'SUCCEEDED')]);
    expect(shop.actions.maxPollsOfOneAction).toBe(1);
  });

  itShares('read the list of unfinished actions once, and all show each change and each end', async () => {
    await using deployment = await openDeployment();
    await using shop = await openWorkshop();
    await using one = await openReplica(shop, await deployment.join());
    await using other = await openReplica(shop, await deployment.join());
    await using first = one.subscribe(PENDING);
    expect(await first.next()).toEqual(pending(500, 0));
    await using second = other.subscribe(PENDING);
    expect(await second.next()).toEqual(pending(500, 0));
    shop.actions.set({ id: 501, current: 1 });
    for (const stream of [first, second]) await readUntil(stream, pending(501, 1));
    shop.actions.set({ id: 500, current: 5 });
    for (const stream of [first, second]) await readUntil(stream, pending(500, 5));
    shop.actions.set({ id: 501, current: 10, finished: true });
    for (const stream of [first, second]) await readUntil(stream, pending(501, 10, 'SUCCEEDED'));
    const shows = reads(shop).filter(({ scope }) => scope === 'action_state#show');
    expect(shows).toHaveLength(1);
  });

  itOnce('read the end of an action once, whichever of them its subscribers come back to', async () => {
    await using deployment = await openDeployment();
    await using shop = await openWorkshop();
    shop.actions.set({ id: 501 });
    const members = [await deployment.join(), await deployment.join(), await deployment.join()];
    await using leader = await openReplica(shop, members[0] as Replicas);
    await using follower = await openReplica(shop, members[1] as Replicas);
    await using late = await openReplica(shop, members[2] as Replicas);
    const readsBut501 = (): number => reads(shop).filter(({ path: [id] }) => id !== '501').length;
    const expectEnd = async (replica: Replica): Promise<void> => {
      await using stream = replica.subscribe();
      expect(await stream.rest()).toEqual([event(10, 'SUCCEEDED')]);
    };
    await using first = leader.subscribe();
    await first.next();
    for (const replica of [leader, follower]) await replica.subscribe(PROGRESS_501).next();
    await shop.actions.waitForOpenPolls(2);
    shop.actions.set({ id: 500, current: 10, finished: true });
    await first.rest();
    const known = readsBut501();
    for (const replica of [leader, follower, late]) await expectEnd(replica);
    await leader[Symbol.asyncDispose]();
    await shop.actions.waitForOpenPolls(1);
    for (const replica of [follower, late]) await expectEnd(replica);
    await follower[Symbol.asyncDispose]();
    await expectEnd(late);
    expect(readsBut501()).toBe(known);
  });

  itOnce(
    'read the list before they poll in place of one that is killed, so that no poll is answered at once',
    async () => {
      await using deployment = await openDeployment();
      await using shop = await openWorkshop();
      const ids = Array.from({ length: 10 }, (_, index) => 501 + index);
      const setAll = (current: number): void => {
        for (const id of ids) shop.actions.set({ id, current });
      };
      setAll(1);
      const leader = stoppable(await deployment.join());
      await using one = await openReplica(shop, leader.replicas);
      await using other = await openReplica(shop, await deployment.join());
      await one.subscribe().next();
      const streams = ids.map((id) => other.subscribe(PROGRESS.replace('500', String(id))));
      for (const stream of streams) expect(await stream.next()).toEqual(event(1));
      await shop.actions.waitForOpenPolls(8);
      leader.stop();
      await one[Symbol.asyncDispose]();
      await shop.actions.waitForOpenPolls(0);
      setAll(2);
      const before = reads(shop).length;
      await shop.actions.waitForOpenPolls(8);
      const polls = reads(shop)
        .slice(before)
        .filter(({ scope }) => scope === 'action_state#poll');
      expect(polls).toHaveLength(8);
      for (const stream of streams) expect(await stream.next()).toEqual(event(2));
      await Promise.all(streams.map((stream) => stream.leave()));
    },
  );

  itOnce('end the streams of all when an action disappears or does not exist', async () => {
    await using deployment = await openDeployment();
    await using shop = await openWorkshop();
    await using one = await openReplica(shop, await deployment.join());
    await using other = await openReplica(shop, await deployment.join());
    await using first = one.subscribe();
    await first.next();
    await using second = other.subscribe();
    await second.next();
    await using unknown = other.subscribe(PROGRESS.replace('500', '404'));
    expect(await errorCodes(unknown.next())).toEqual(['NOT_FOUND']);
    await shop.actions.waitForOpenPolls(1);
    shop.actions.remove(500);
    expect(await errorCodes(first.next())).toEqual(['NOT_FOUND']);
    expect(await errorCodes(second.next())).toEqual(['NOT_FOUND']);
  });
});

describe.skipIf(!hasRedis)('replicas that lose Redis', () => {
  it('poll by themselves until it is back, and no stream loses its end or shows a state again', async () => {
    await using redis = await startRedis();
    await using shop = await openWorkshop();
    await using one = await openReplica(shop, await redis.join(), SHORT_LEASE);
    await using other = await openReplica(shop, await redis.join(), SHORT_LEASE);
    await using first = one.subscribe();
    await using second = other.subscribe();
    const streams = [first, second];
    const expectAll = async (current: number): Promise<void> => {
      shop.actions.set({ id: 500, current });
      for (const stream of streams) expect(await stream.next()).toEqual(event(current));
    };
    for (const stream of streams) expect(await stream.next()).toEqual(event(0));
    await shop.actions.waitForOpenPolls(1);
    await expectAll(1);
    await redis.stop();
    await shop.actions.waitForOpenPolls(2);
    await expectAll(2);
    await redis.start();
    await shop.actions.waitForOpenPolls(1);
    await expectAll(3);
    shop.actions.set({ id: 500, current: 10, finished: true });
    for (const stream of streams) expect(await stream.rest()).toEqual([event(10, 'SUCCEEDED')]);
  });

  it('poll by themselves while it hangs', async () => {
    await using redis = await startRedis();
    await using shop = await openWorkshop();
    await using one = await openReplica(shop, await redis.join(), SHORT_LEASE);
    await using other = await openReplica(shop, await redis.join(), SHORT_LEASE);
    await using first = one.subscribe();
    await first.next();
    await using second = other.subscribe();
    await second.next();
    redis.pause();
    await shop.actions.waitForOpenPolls(2);
    shop.actions.set({ id: 500, current: 10, finished: true });
    for (const stream of [first, second]) expect(await stream.rest()).toEqual([event(10, 'SUCCEEDED')]);
    redis.resume();
  });
});
