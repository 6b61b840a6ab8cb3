// Measures what replicas share: requests to the upstream, final states while replicas are killed, and what Redis does.
import { setTimeout as pause } from 'node:timers/promises';
import { hasProxy, startProxy } from '../helpers/proxy.ts';
import { hasRedis, startRedis, type TestRedis } from '../helpers/redis.ts';
import { Audience } from './replicas/audience.ts';
import { ReplicaSet } from './replicas/replica-set.ts';
import { askOnce } from './requests/running-servers.ts';
import { Stub } from './requests/servers.ts';
import { leaveServerCore } from './server-process.ts';
import { quantile, type Row, rounded } from './table.ts';

/** Subscribers and their running actions. */
const SHAPE = { subscribers: 5_000, actions: 250, callers: 10 } as const;
const QUICK_SHAPE = { subscribers: 500, actions: 250, callers: 10 } as const;

/** Each action changes once in a period, and ends with its last change; another one begins. Milliseconds. */
const PERIOD = 4_000;
const CHANGES = 5;

/** Times in milliseconds. */
const WINDOW = PERIOD * CHANGES;
const KILLS = { count: 6, interval: 10_000 } as const;
const LONGEST_END = 40_000;
const LONGEST_RUN = 600_000;

/** One replica, three, and three of which some are killed. No rows where there is no Redis. */
export async function benchReplicas(isQuick: boolean): Promise<readonly Row[]> {
  if (!hasRedis) return [];
  // Nothing here may run for ever, and what it starts ends with this process.
  const limit = setTimeout(() => {
    console.error(`The bench has not ended within ${LONGEST_RUN / 1_000} s.`);
    process.exit(1);
  }, LONGEST_RUN);
  leaveServerCore();
  try {
    const shape = isQuick ? QUICK_SHAPE : SHAPE;
    return [...(await run(1, shape)), ...(await run(3, shape))];
  } finally {
    clearTimeout(limit);
  }
}

/** Runs replicas under subscribers, who at the end have got all that they wait for. */
async function run(count: number, shape: typeof SHAPE | typeof QUICK_SHAPE): Promise<readonly Row[]> {
  await using redis = await startRedis();
  await using stub = await Stub.start();
  await using replicas = await ReplicaSet.start(count, stub.urlOf(false), redis.url);
  await using proxy = hasProxy && count === 3 ? await startProxy(replicas.ports) : null;
  const origins = proxy === null ? replicas.ports.map((port) => `http://127.0.0.1:${port}`) : [proxy.url];
  const urls = origins.map((origin) => `${origin.replace('http', 'ws')}/graphql`);
  await askOnce(`${origins[0]}/graphql`, 'Q1');

  const epoch = Date.now();
  await stub.tell({ states: { ...shape, period: PERIOD, changes: CHANGES, epoch } });
  const audience = new Audience({ ...shape, urls, epoch });
  await audience.open();
  await pause(PERIOD);

  const rows = [await observe(0, () => pause(WINDOW))];
  if (count > 1) rows.push(await observe(KILLS.count, kill));
  // The last actions end at once.
  audience.stop();
  await stub.tell({ endsStates: true });
  const unfinished = await audience.finish(LONGEST_END);
  const { followed, final, wentBack, failed, connections } = audience.counts;
  for (const error of audience.errors) console.warn(error);
  await audience.close();
  // These are counted over the whole run, and shown in its last row.
  const atEnd: Row = {
    'final states': `${final} of ${followed + unfinished}`,
    'went back': `${wentBack}`,
    errors: `${failed}`,
    connections: `${connections}`,
  };
  const notYet = Object.fromEntries(Object.keys(atEnd).map((column) => [column, '']));
  return rows.map((row, index) => ({ ...row, ...(index < rows.length - 1 ? notYet : atEnd) }));

  async function kill(): Promise<void> {
    for (let left = KILLS.count; left > 0; left -= 1) {
      const next = pause(KILLS.interval);
      await replicas.killNext();
      await next;
    }
  }

  /** Counts what happens meanwhile, in each second. */
  async function observe(killed: number, wait: () => Promise<void>): Promise<Row> {
    const read = async () => ({
      'upstream per s': (await stub.tell()).reads,
      ...(await readUsage(redis)),
      'states per s': audience.counts.states,
    });
    audience.takeDelays();
    const startedAt = performance.now();
    const from = await read();
    await wait();
    const to = await read();
    const seconds = (performance.now() - startedAt) / 1_000;
    const delays = audience.takeDelays();
    const rates = (Object.keys(from) as (keyof typeof from)[]).map((column) => [
      column,
      rounded((to[column] - from[column]) / seconds),
    ]);
    return {
      replicas: count,
      killed,
      ...Object.fromEntries(rates),
      'delay p50 ms': quantile(delays, 0.5, 0),
      'p99 ms': quantile(delays, 0.99, 0),
    };
  }
}

/** What Redis has done since it started: commands of clients, without those inside of scripts, and hundredths of a second of CPU time. */
async function readUsage(redis: TestRedis) {
  const text = String(await redis.send('INFO', 'everything'));
  const read = (pattern: RegExp): number => Number(pattern.exec(text)?.[1] ?? 0);
  return {
    'claims per s': read(/cmdstat_eval:calls=(\d+)/),
    'messages per s': read(/cmdstat_publish:calls=(\d+)/),
    'Redis CPU %': 100 * (read(/used_cpu_sys:([\d.]+)/) + read(/used_cpu_user:([\d.]+)/)),
  };
}
