// Tests that a client who writes at one replica and reads at another one gets what it wrote, even if no message arrives.
import { describe, expect, it } from 'vitest';
import { createFacade, type Facade } from '../../src/facade/facade.ts';
import type { Replicas } from '../../src/sharing/replicas.ts';
import { ask, collectLog, type OperationResult } from '../helpers/facade.ts';
import { type HeldAnswers, holdAnswersOf } from '../helpers/held-answers.ts';
import { LocalDeployment } from '../helpers/local-deployment.ts';
import { hasRedis, startRedis } from '../helpers/redis.ts';
import { type Handler, ok } from '../helpers/stub-upstream.ts';
import { openWorkshop } from '../helpers/workshop.ts';

const READ = '{ tool(id: 5) { weight } }';
const WRITE = 'mutation { toolUpdate(id: 5, input: { weight: 6 }) { userErrors { code } } }';

/** A replica in front of the workshop. */
interface Replica {
  readonly facade: Facade;
  ask(query: string): Promise<OperationResult>;
  /** The weight of the tool. */
  weigh(): Promise<unknown>;
}

const toReplica = (facade: Facade): Replica => {
  const askHere = (query: string) => ask(facade, query, { headers: { 'x-library-token': 'one' } });
  return {
    facade,
    ask: askHere,
    weigh: async () => ((await askHere(READ)).data as { tool: { weight: number } }).tool.weight,
  };
};

/** Opens two replicas in front of a tool whose weight is 7 until a write makes it 6. */
async function openReplicas(
  [one, other]: readonly [Replicas, Replicas],
  hold: (show: Handler) => Handler = (show) => show,
) {
  let weight = 7;
  const show = hold(() => ok({ tool: { id: 5, name: 'tool 5', weight, owner: null } }));
  const change = (response: object) => () => {
    weight = 6;
    return ok(response);
  };
  const handlers = {
    'tool#show': show,
    'tool#update': change({}),
    'tool#sharpen': change({ _meta: { action_state_id: 500 } }),
    'order#index': () => ok({ orders: [1, 2, 3].map((id) => ({ id, goods: `${weight} nails` })) }),
  };
  const optionsOf = (replicas: Replicas) => ({ shared: { replicas } });
  const shop = await openWorkshop(handlers, optionsOf(one));
  const { upstream } = shop;
  const facade = await createFacade({ upstream: upstream.url, log: collectLog(), ...optionsOf(other) });
  return {
    one: toReplica(shop.facade),
    other: toReplica(facade),
    actions: shop.actions,
    /** The number of calls that have read the tool, or the list of orders. */
    get reads() {
      return upstream.calls.filter(({ scope }) => scope === 'tool#show' || scope === 'order#index').length;
    },
    async [Symbol.asyncDispose]() {
      await facade.close();
      await shop[Symbol.asyncDispose]();
    },
  };
}

const joinPair = (): [Replicas, Replicas] => {
  const deployment = new LocalDeployment();
  return [deployment.join(), deployment.join()];
};

/** A replica whose messages are all lost. */
const withoutMessages = (replicas: Replicas): Replicas => ({
  ...replicas,
  open: () => ({ send: async () => undefined, close: () => undefined }),
});

/** Opens replicas that hold back each answer to a read. */
async function openHeld(replicas: [Replicas, Replicas]) {
  let shows: HeldAnswers | null = null;
  const api = await openReplicas(replicas, (show) => {
    shows = holdAnswersOf(show);
    return shows.handler;
  });
  const held = shows as HeldAnswers | null;
  if (held === null) throw new TypeError('expected answers that are held back');
  return Object.assign(api, { take: held.take });
}

/** Reads at one replica, writes at the other one before the answer, and reads again. */
async function expectOwnWrite(replicas: [Replicas, Replicas], beforeWrite = async () => {}): Promise<void> {
  await using api = await openHeld(replicas);
  const before = api.other.weigh();
  const first = await api.take(0);
  await beforeWrite();
  expect((await api.one.ask(WRITE)).errors).toEqual([]);
  const after = api.other.weigh();
  const second = await api.take(1);
  for (const { release } of [second, first]) release();
  expect([await before, await after]).toEqual([7, 6]);
}

describe('a read after a write at another replica', () => {
  it('joins no read that began before the write', async () => {
    await expectOwnWrite(joinPair());
  });

  it('joins no read that began before the write, if messages are lost', async () => {
    const [one, other] = joinPair();
    await expectOwnWrite([withoutMessages(one), withoutMessages(other)]);
  });

  it.skipIf(!hasRedis)(
    'joins no read that began before the write, with Redis and after its loss',
    async () => {
      await using redis = await startRedis();
      await expectOwnWrite([await redis.join(), await redis.join()]);
      await expectOwnWrite([await redis.join(), await redis.join()], () => redis.stop());
    },
  );
});

/** Sends equal reads within one turn. Returns the weights. */
async function openReads({ facade }: Replica): Promise<(count: number) => Promise<readonly unknown[]>> {
  const { client, served } = await facade.openSession({
    header: (name) => (name === 'x-library-token' ? 'one' : null),
    address: undefined,
    requestId: 'reads',
    signal: undefined,
  });
  const [action] = served.description.resources
    .flatMap(({ actions }) => actions)
    .filter(({ scope }) => scope === 'tool#show');
  if (action === undefined) throw new TypeError('expected tool#show');
  const read = async () => {
    const { output } = await client.call({ action, path: ['5'], input: {}, meta: {} }, { kind: 'read' });
    return (output as { weight: number }).weight;
  };
  return (count) => Promise.all(Array.from({ length: count }, read));
}

describe('equal reads at a replica that has others', () => {
  it('share a call that has not been sent', async () => {
    await using api = await openHeld(joinPair());
    const read = await openReads(api.other);
    const reads = read(20);
    (await api.take(0)).release();
    expect(await reads).toEqual(Array(20).fill(7));
    expect(api.reads).toBe(1);
  });

  it('share no call that has been sent', async () => {
    await using api = await openHeld(joinPair());
    const reads = [api.other.weigh()];
    const held = [await api.take(0)];
    reads.push(api.other.weigh());
    held.push(await api.take(1));
    for (const { release } of held) release();
    expect(await Promise.all(reads)).toEqual([7, 7]);
  });
});
