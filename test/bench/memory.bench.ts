// Judges whether the memory of the server stays flat over many requests, and over many subscriptions that come and go.
import pLimit from 'p-limit';
import { LoadClient } from './requests/load.ts';
import { SERVE_READY, Stub, serveArgs } from './requests/servers.ts';
import { leaveServerCore, PROBED, ServerProcess } from './server-process.ts';
import { subscribe } from './subscribers/subscriber.ts';
import { quantile, type Row, rounded } from './table.ts';

const REQUESTS = 200_000;
const SUBSCRIPTIONS = 10_000;

/** Measurements in each part. The first third is the warm-up. */
const SAMPLES = 12;

const CONNECTIONS = 16;
/** Credentials of subscribers, each with one action. */
const CALLERS = 100;

/** The highest growth from the second third of the measurements to the last one that counts as flat. */
const FLAT = 1.05;

/** Heap after collections, in MiB, at the end of each part of the load. */
export async function benchMemory(isQuick: boolean): Promise<readonly Row[]> {
  const share = (isQuick ? 0.1 : 1) / SAMPLES;
  leaveServerCore();
  await using stub = await Stub.start();
  await stub.tell({ states: { actions: CALLERS, callers: CALLERS, period: 1_000, epoch: Date.now() } });
  const args = [...PROBED, ...serveArgs(stub.urlOf(false))];
  await using server = await ServerProcess.start({ args, ready: SERVE_READY, isMeasured: true });
  const [url = ''] = server.ready;
  const client = new LoadClient(url, CONNECTIONS, CONNECTIONS);
  try {
    return [
      await sample(`${Math.round(REQUESTS * share * SAMPLES)} requests`, server, async () => {
        await client.load('Q1', Number.POSITIVE_INFINITY, (REQUESTS * share) / 2);
        await client.load('Q4', Number.POSITIVE_INFINITY, (REQUESTS * share) / 2);
      }),
      await sample(`${Math.round(SUBSCRIPTIONS * share * SAMPLES)} subscriptions`, server, () =>
        comeAndGo(url, SUBSCRIPTIONS * share),
      ),
    ];
  } finally {
    await client.close();
  }
}

async function sample(load: string, server: ServerProcess, run: () => Promise<void>): Promise<Row> {
  const heaps: number[] = [];
  for (let index = 0; index < SAMPLES; index += 1) {
    await run();
    heaps.push(await server.heap());
  }
  const third = SAMPLES / 3;
  const middle = quantile(heaps.slice(third, 2 * third), 0.5);
  const last = quantile(heaps.slice(2 * third), 0.5);
  return {
    load,
    'heap MiB': heaps.map((heap) => rounded(heap)).join(' '),
    'second third': middle,
    'last third': last,
    flat: last <= middle * FLAT ? 'yes' : 'NO',
    'RSS MiB': server.rss(),
  };
}

/** Opens subscriptions, each on a WebSocket of its own, and closes each after its first event. */
async function comeAndGo(url: string, count: number): Promise<void> {
  const limit = pLimit(CONNECTIONS);
  const cycle = async (index: number): Promise<void> => {
    const caller = index % CALLERS;
    const action = caller === 0 ? CALLERS : caller;
    const onEvent = (): void => undefined;
    const socket = await subscribe({
      url: url.replace('http', 'ws'),
      token: `caller-${caller}`,
      action,
      onEvent,
    });
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.close(1_000);
    await closed;
  };
  await Promise.all(Array.from({ length: Math.round(count) }, (_, index) => limit(() => cycle(index))));
}
