// Measures what replicas share: requests to the upstream, final states while replicas are killed, and what Redis does.
import { setTimeout as pause } from 'node:timers/promises';
import { hasProxy, startProxy } from '../helpers/proxy.ts';
import { hasRedis, startRedis, type TestRedis } from '../helpers/redis.ts';
import { Audience } from './replicas/audience.ts';
import { measureMessage } from './replicas/message-cost.ts';
import { measureRedis, type RedisCosts, readUsage } from './replicas/redis-usage.ts';
import { ReplicaSet } from './replicas/replica-set.ts';
import { LoadClient } from './requests/load.ts';
import { askOnce } from './requests/running-servers.ts';
import { Stub } from './requests/servers.ts';
import { leaveServerCore } from './server-process.ts';
import { quantile, type Row, rounded } from './table.ts';

/** Subscribers and their running actions. */
export const SHAPE = { subscribers: 5_000, actions: 250, callers: 10 } as const;
const QUICK_SHAPE = { subscribers: 500, actions: 250, callers: 10 } as const;

/** Each action changes once in a period, and ends with its last change; another one begins. Milliseconds. */
export const PERIOD = 4_000;
export const CHANGES = 5;

/** Times in milliseconds. */
const WINDOW = PERIOD * CHANGES;
const KILLS = { count: 6, interval: 10_000 } as const;
const LONGEST_END = 40_000;
const LONGEST_RUN = 600_000;

const QUERIES = 2_000;

/** A part of a run, in which the subscribers are all there. */
export interface Window {
  readonly replicas: number;
  readonly kills: number;
  /** In each second. */
  readonly upstream: number;
  readonly descriptions: number;
  readonly claims: number;
  readonly messages: number;
  readonly states: number;
  /** Parts of a core. */
  readonly redisCpu: number;
  readonly replicasCpu: number;
}

/** What one thing costs a replica. */
export interface ReplicaCosts {
  /** Milliseconds of CPU time. */
  readonly start: number;
  readonly state: number;
  readonly message: number;
  /** MiB. */
  readonly rest: number;
  /** KiB. */
  readonly subscriber: number;
}

export interface ReplicasFigures {
  readonly shape: typeof SHAPE;
  readonly windows: readonly Window[];
  readonly runs: readonly Row[];
  readonly queries: readonly Row[];
  readonly replicaCosts: ReplicaCosts;
  readonly redisCosts: RedisCosts;
}

/** Null where there is no Redis. */
export async function benchReplicas(isQuick: boolean): Promise<ReplicasFigures | null> {
  if (!hasRedis) return null;
  // Nothing here may run for ever, and what it starts ends with this process.
  const limit = setTimeout(() => {
    console.error(`The bench has not ended within ${LONGEST_RUN / 1_000} s.`);
    process.exit(1);
  }, LONGEST_RUN);
  leaveServerCore();
  try {
    const shape = isQuick ? QUICK_SHAPE : SHAPE;
    const one = await run(1, shape);
    const three = await run(3, shape);
    await using redis = await startRedis();
    return {
      shape: SHAPE,
      windows: [...one.windows, ...three.windows],
      runs: [...one.rows, ...three.rows],
      queries: one.queries,
      replicaCosts: { ...one.costs, message: await measureMessage(shape.actions / shape.callers) },
      redisCosts: await measureRedis(redis),
    };
  } finally {
    clearTimeout(limit);
  }
}

/** Runs replicas under subscribers, who at the end have got all that they wait for. */
async function run(count: number, shape: typeof SHAPE | typeof QUICK_SHAPE) {
  await using redis = await startRedis();
  await using stub = await Stub.start();
  await using replicas = await ReplicaSet.start(count, stub.urlOf(false), redis.url);
  await using proxy = hasProxy && count === 3 ? await startProxy(replicas.ports) : null;
  const origins = proxy === null ? replicas.ports.map((port) => `http://127.0.0.1:${port}`) : [proxy.url];
  const urls = origins.map((origin) => `${origin.replace('http', 'ws')}/graphql`);
  const [first = ''] = origins;
  await askOnce(`${first}/graphql`, 'Q1');
  const queries = count === 1 ? await countCommands(redis, `${first}/graphql`) : [];

  const epoch = Date.now();
  await stub.tell({ states: { ...shape, period: PERIOD, changes: CHANGES, epoch } });
  const audience = new Audience({ ...shape, urls, epoch });
  const before = { cpu: replicas.cpu(), rss: replicas.rss() };
  await audience.open();
  const started = { cpu: replicas.cpu() };
  await pause(PERIOD);
  const rss = replicas.rss();

  const parts = [await observe(0, () => pause(WINDOW))];
  if (count > 1) parts.push(await observe(KILLS.count, kill));
  // The last actions end at once.
  audience.stop();
  await stub.tell({ endsStates: true });
  const unfinished = await audience.finish(LONGEST_END);
  const { followed, final, wentBack, failed, connections } = audience.counts;
  for (const error of audience.errors) console.warn(error);
  await audience.close();
  const wanted = followed + unfinished;
  const [steady] = parts;
  return {
    queries,
    windows: parts.map(({ window }) => window),
    rows: parts.map(({ row }, index) =>
      index < parts.length - 1
        ? { ...row, ...NOT_YET }
        : {
            ...row,
            'final states': `${final} of ${wanted}`,
            'went back': `${wentBack}`,
            errors: `${failed}`,
            connections: `${connections}`,
          },
    ),
    costs: {
      start: (started.cpu - before.cpu) / shape.subscribers,
      state: steady === undefined ? 0 : (1_000 * steady.window.replicasCpu) / steady.window.states,
      rest: before.rss,
      subscriber: ((rss - before.rss) * 1_024) / shape.subscribers,
    },
  };

  async function kill(): Promise<void> {
    for (let left = KILLS.count; left > 0; left -= 1) {
      const next = pause(KILLS.interval);
      await replicas.killNext();
      await next;
    }
  }

  /** Counts what happens meanwhile. */
  async function observe(kills: number, wait: () => Promise<void>) {
    const read = async () => ({
      stub: await stub.tell(),
      redis: await readUsage(redis),
      cpu: replicas.cpu(),
      states: audience.counts.states,
      at: performance.now(),
    });
    audience.takeDelays();
    const from = await read();
    await wait();
    const to = await read();
    const delays = audience.takeDelays();
    const seconds = (to.at - from.at) / 1_000;
    const perSecond = (after: number, earlier: number): number => rounded((after - earlier) / seconds);
    const window: Window = {
      replicas: count,
      kills,
      upstream: perSecond(to.stub.reads, from.stub.reads),
      descriptions: perSecond(to.stub.descriptions, from.stub.descriptions),
      claims: perSecond(to.redis.claims, from.redis.claims),
      messages: perSecond(to.redis.messages, from.redis.messages),
      states: perSecond(to.states, from.states),
      redisCpu: rounded((to.redis.cpu - from.redis.cpu) / seconds / 1_000, 4),
      replicasCpu: rounded((to.cpu - from.cpu) / seconds / 1_000, 3),
    };
    const row: Row = {
      replicas: count,
      killed: kills,
      'upstream per s': window.upstream,
      'claims per s': window.claims,
      'messages per s': window.messages,
      'states per s': window.states,
      'delay p50 ms': quantile(delays, 0.5, 0),
      'p99 ms': quantile(delays, 0.99, 0),
      'Redis CPU %': rounded(100 * window.redisCpu),
    };
    return { window, row };
  }
}

/** These are counted over the whole run, and shown in its last row. */
const NOT_YET: Row = { 'final states': '', 'went back': '', errors: '', connections: '' };

/** The commands that Redis gets while queries of a known credential run, and in the same time without them. */
async function countCommands(redis: TestRedis, url: string): Promise<readonly Row[]> {
  const client = new LoadClient(url, 1);
  try {
    await client.ask('Q1');
    const commands = await redis.record();
    const { duration } = await client.load('Q1', Number.POSITIVE_INFINITY, QUERIES);
    const during = commands.length;
    await pause(duration);
    return [
      { what: `${QUERIES} queries, one after another`, 'commands at Redis': during },
      { what: 'the same time without queries', 'commands at Redis': commands.length - during },
    ];
  } finally {
    await client.close();
  }
}
