// Measures how running actions are watched for many subscribers, each over a WebSocket of its own.
import { setTimeout as pause } from 'node:timers/promises';
import pLimit from 'p-limit';
import type WebSocket from 'ws';
import { DEFAULT_WATCH } from '../../src/upstream/actions/watcher.ts';
import { askOnce } from './requests/running-servers.ts';
import { SERVE_READY, Stub, serveArgs } from './requests/servers.ts';
import { leaveServerCore, ServerProcess } from './server-process.ts';
import { subscribe } from './subscribers/subscriber.ts';
import { quantile, type Row, rounded } from './table.ts';

/** Subscribers, and the actions that they share equally. */
const CASES = [
  { subscribers: 100, actions: 100 },
  { subscribers: 1_000, actions: 1_000 },
  { subscribers: 5_000, actions: 5_000 },
  { subscribers: 5_000, actions: 250 },
];

/** The credentials of the subscribers. */
const CALLERS = 10;

/** Times in milliseconds. Each action changes once in a period. */
const PERIOD = 4_000;
const WINDOW = 3 * PERIOD;
/** For events that are late. */
const REST = 4_000;

/** Subscribers that connect at the same time. */
const CONNECTING = 100;

/** Each case in a fresh process. */
export async function benchSubscribers(isQuick: boolean): Promise<readonly Row[]> {
  leaveServerCore();
  const rows: Row[] = [];
  for (const one of isQuick ? CASES.slice(0, 2) : CASES) rows.push(await measure(one));
  return rows;
}

async function measure({ subscribers, actions }: (typeof CASES)[number]): Promise<Row> {
  await using stub = await Stub.start();
  const args = serveArgs(stub.urlOf(false));
  await using server = await ServerProcess.start({ args, ready: SERVE_READY, isMeasured: true });
  const [url = ''] = server.ready;
  await askOnce(url, 'Q1');
  const epoch = Date.now();
  await stub.tell({ states: { actions, callers: CALLERS, period: PERIOD, epoch } });
  const rssBefore = server.rss();

  /** When an event arrived and how late, in milliseconds since the epoch. */
  const events: { readonly changedAt: number; readonly delay: number }[] = [];
  const onEvent = (changedAt: number): void => {
    events.push({ changedAt, delay: Date.now() - epoch - changedAt });
  };
  const startedAt = performance.now();
  const sockets = await subscribeAll(url, subscribers, actions, onEvent);
  const startTime = performance.now() - startedAt;

  await pause(PERIOD);
  const from = { cpu: server.cpu(), ...(await stub.tell()) };
  await pause(WINDOW);
  const to = { cpu: server.cpu(), ...(await stub.tell()) };
  const rss = server.rss();
  await pause(REST);
  const found = events.filter(({ changedAt }) => changedAt > from.at - epoch && changedAt <= to.at - epoch);
  for (const socket of sockets) socket.terminate();

  const expected = (to.changes - from.changes) * (subscribers / actions);
  const duration = to.at - from.at;
  const delay = quantile(
    found.map((event) => event.delay),
    0.5,
    0,
  );
  return {
    subscribers,
    actions,
    'delivered %': rounded((100 * found.length) / expected),
    'delay p50 ms': delay,
    'delay / poll interval': rounded(delay / DEFAULT_WATCH.interval, 2),
    'CPU %': rounded((100 * (to.cpu - from.cpu)) / duration),
    'upstream per s': rounded((1_000 * (to.reads - from.reads)) / duration),
    'RSS MiB': rss,
    'KiB each': rounded(((rss - rssBefore) * 1_024) / subscribers),
    'all started s': rounded(startTime / 1_000),
  };
}

/** Resolves with all sockets when each has had its first event. */
function subscribeAll(
  url: string,
  subscribers: number,
  actions: number,
  onEvent: (changedAt: number) => void,
): Promise<readonly WebSocket[]> {
  const limit = pLimit(CONNECTING);
  const open = (index: number): Promise<WebSocket> => {
    const action = (index % actions) + 1;
    const token = `caller-${action % CALLERS}`;
    return limit(() => subscribe({ url: url.replace('http', 'ws'), token, action, onEvent }));
  };
  return Promise.all(Array.from({ length: subscribers }, (_, index) => open(index)));
}
