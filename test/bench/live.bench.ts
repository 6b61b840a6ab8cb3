// Measures live queries: the calls that they cost, how soon a change shows, and many of them on replicas of which one is killed.
import { setTimeout as pause } from 'node:timers/promises';
import { hasRedis } from '../helpers/redis.ts';
import { ChangingApi } from './live/changing-api.ts';
import { itemsQuery } from './live/live-items.ts';
import { LiveSocket } from './live/live-socket.ts';
import { runManyQueries } from './live/many-queries.ts';
import { SERVE_READY, serveArgs } from './requests/servers.ts';
import { leaveServerCore, ServerProcess } from './server-process.ts';
import { quantile, type Row, rounded } from './table.ts';

/** Seconds from the end of one execution to the next, where nothing changes. */
const INTERVAL = 1;

const QUICK = { window: 10_000, changes: 10, many: { callers: 15, lists: 20, intervals: 3 } } as const;
const FULL = { window: 20_000, changes: 30, many: { callers: 50, lists: 20, intervals: 5 } } as const;
type Shape = typeof QUICK | typeof FULL;

/** Each with an API and servers of its own. */
const CASES = {
  'one-tab': (shape: Shape) => countCalls('five lists in one tab', shape, 1),
  'ten-tabs': (shape: Shape) => countCalls('five equal lists in each of ten tabs', shape, 10),
  'one-list': (shape: Shape) => countCalls('one list', shape, 1, 1),
  polled: countPolls,
  change: measureDelay,
  replicas: async ({ many }: Shape) => (hasRedis ? runManyQueries(many) : []),
} as const;

/** A case of the bench. */
export type LiveCase = keyof typeof CASES;

export const LIVE_CASES = Object.keys(CASES) as readonly LiveCase[];

/** Runs the cases one after the other. */
export async function benchLive(only: readonly LiveCase[], isQuick: boolean): Promise<readonly Row[]> {
  leaveServerCore();
  const rows: Row[] = [];
  for (const name of only) {
    const startedAt = performance.now();
    rows.push(...(await CASES[name](isQuick ? QUICK : FULL)));
    console.log(`${name} has taken ${rounded((performance.now() - startedAt) / 1_000, 0)} s`);
  }
  // All rows have all columns, in one order.
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return rows.map((row) => Object.fromEntries(columns.map((column) => [column, row[column] ?? ''])));
}

/** Serves an API by one process. */
async function serve(api: ChangingApi) {
  const args = serveArgs(api.url);
  const server = await ServerProcess.start({ args, ready: SERVE_READY, isMeasured: true });
  return Object.assign(server, { url: server.ready[0] ?? '' });
}

/** Counts the calls of one user's tabs while nothing changes. */
async function countCalls(name: string, { window }: Shape, tabs: number, lists = 5): Promise<readonly Row[]> {
  await using api = await ChangingApi.start();
  await using server = await serve(api);
  const sockets: LiveSocket[] = [];
  for (let tab = 0; tab < tabs; tab += 1) {
    const socket = await LiveSocket.open(server.url, 'caller-1');
    sockets.push(socket);
    for (let group = 0; group < lists; group += 1) await socket.send(`${group}`, itemsQuery(group, INTERVAL));
  }
  const row = await observe(name, api, server, window);
  const events = sockets.reduce((sum, socket) => sum + socket.events, 0);
  for (const socket of sockets) socket.close();
  return [{ ...row, events: `${events}` }];
}

/** Counts the calls of a client that polls one list at the interval. */
async function countPolls({ window }: Shape): Promise<readonly Row[]> {
  await using api = await ChangingApi.start();
  await using server = await serve(api);
  const socket = await LiveSocket.open(server.url, 'caller-1');
  const poll = (async () => {
    const end = performance.now() + window;
    for (let count = 0; performance.now() < end; count += 1) {
      await socket.send(`${count}`, itemsQuery(0, null));
      await pause(INTERVAL * 1_000);
    }
  })();
  const row = await observe('one list, polled', api, server, window);
  await poll;
  socket.close();
  return [row];
}

async function observe(name: string, api: ChangingApi, server: ServerProcess, window: number): Promise<Row> {
  const from = { calls: api.calls, cpu: server.cpu() };
  await pause(window);
  return {
    case: name,
    'calls per s': rounded((1_000 * (api.calls - from.calls)) / window, 2),
    'CPU %': rounded((100 * (server.cpu() - from.cpu)) / window, 2),
  };
}

/** Measures the time from the end of the caller's action to the result that shows it. The interval is too long to matter. */
async function measureDelay({ changes }: Shape): Promise<readonly Row[]> {
  await using api = await ChangingApi.start();
  await using server = await serve(api);
  const socket = await LiveSocket.open(server.url, 'caller-1');
  await socket.send('live', itemsQuery(0, 3_600));
  const delays: number[] = [];
  for (let count = 0; count < changes; count += 1) {
    await socket.send(`change ${count}`, 'mutation { itemChange { actionState { id } } }');
    // The action ends at any time in the first second, with or without an execution just before, which the next one keeps a distance from.
    await pause((1_000 * (count + 1)) / changes);
    const shown = new Promise<void>((resolve) => {
      socket.onResult = () => resolve();
    });
    const endedAt = performance.now();
    api.endAction();
    await shown;
    delays.push(performance.now() - endedAt);
  }
  socket.close();
  return [
    {
      case: "a change of the caller's action",
      'delay p50 ms': quantile(delays, 0.5, 0),
      'delay max ms': quantile(delays, 1, 0),
    },
  ];
}
