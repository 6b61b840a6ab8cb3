// Measures live queries: the calls that they cost, how soon a change shows, and many of them on replicas of which one is killed.
import { setTimeout as pause } from 'node:timers/promises';
import pLimit from 'p-limit';
import { hasRedis, startRedis } from '../helpers/redis.ts';
import { ChangingApi } from './live/changing-api.ts';
import { LiveSocket } from './live/live-socket.ts';
import { ReplicaSet } from './replicas/replica-set.ts';
import { SERVE_READY, serveArgs } from './requests/servers.ts';
import { leaveServerCore, ServerProcess } from './server-process.ts';
import { quantile, type Row, rounded } from './table.ts';

/** Seconds from the end of one execution to the next. */
const INTERVAL = 5;
const SELECTION = 'nodes { id name note version }';
const live = (group: number, interval = INTERVAL): string =>
  `query @live(interval: ${interval}) { items(filter: { group: ${group} }) { ${SELECTION} } }`;

const QUICK = { window: 20_000, changes: 10, callers: 15, lists: 20 } as const;
const FULL = { window: 60_000, changes: 30, callers: 50, lists: 20 } as const;
type Shape = typeof QUICK | typeof FULL;

/** Clients that send their queries at the same time. */
const CONNECTING = 10;

/** Each case with an API and servers of its own. */
export async function benchLive(isQuick: boolean): Promise<readonly Row[]> {
  leaveServerCore();
  const shape = isQuick ? QUICK : FULL;
  const rows = [
    await countCalls('five lists in one tab', shape, 1),
    await countCalls('five equal lists in each of ten tabs', shape, 10),
    await countPolls(shape),
    await measureDelay(shape),
  ];
  if (hasRedis) rows.push(...(await runReplicas(shape)));
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
async function countCalls(name: string, { window }: Shape, tabs: number): Promise<Row> {
  await using api = await ChangingApi.start();
  await using server = await serve(api);
  const sockets: LiveSocket[] = [];
  for (let tab = 0; tab < tabs; tab += 1) {
    const socket = await LiveSocket.open(server.url, 'caller-1');
    sockets.push(socket);
    for (let group = 0; group < 5; group += 1) await socket.send(String(group), live(group));
  }
  const row = await observe(name, api, server, window);
  const events = sockets.reduce((sum, socket) => sum + socket.events, 0);
  for (const socket of sockets) socket.close();
  return { ...row, events: `${events}` };
}

/** Counts the calls of a client that polls one list at the interval. */
async function countPolls({ window }: Shape): Promise<Row> {
  await using api = await ChangingApi.start();
  await using server = await serve(api);
  const socket = await LiveSocket.open(server.url, 'caller-1');
  const poll = (async () => {
    const end = performance.now() + window;
    for (let count = 0; performance.now() < end; count += 1) {
      await socket.send(`${count}`, live(0).replace(/@live\S+ \S+/, ''));
      await pause(INTERVAL * 1_000);
    }
  })();
  const row = await observe('one list, polled', api, server, window);
  await poll;
  socket.close();
  return row;
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
async function measureDelay({ changes }: Shape): Promise<Row> {
  await using api = await ChangingApi.start();
  await using server = await serve(api);
  const socket = await LiveSocket.open(server.url, 'caller-1');
  await socket.send('live', live(0, 3_600));
  const delays: number[] = [];
  for (let count = 0; count < changes; count += 1) {
    await socket.send(`change ${count}`, 'mutation { itemChange { actionState { id } } }');
    // The result after the write is read meanwhile, and the action is watched.
    await pause(1_000);
    const shown = new Promise<void>((resolve) => {
      socket.onEvent = () => resolve();
    });
    const endedAt = performance.now();
    api.endAction();
    await shown;
    delays.push(performance.now() - endedAt);
  }
  socket.close();
  return {
    case: "a change of the caller's action",
    'delay p50 ms': quantile(delays, 0.5, 0),
    'delay max ms': quantile(delays, 1, 0),
  };
}

/** Many live queries on three replicas, one of which is killed. */
async function runReplicas({ callers, lists, window }: Shape): Promise<readonly Row[]> {
  await using redis = await startRedis();
  await using api = await ChangingApi.start();
  await using replicas = await ReplicaSet.start(3, api.url, redis.url);
  const urls = replicas.ports.map((port) => `http://127.0.0.1:${port}/graphql`);
  const open = async (caller: number, url: string): Promise<LiveSocket> => {
    const socket = await LiveSocket.open(url, `caller-${caller}`);
    for (let group = 0; group < lists; group += 1) await socket.send(String(group), live(group));
    return socket;
  };
  // What is made once, such as the schema, is there before.
  for (const url of urls) (await open(callers, url)).close();
  await pause(2_000 * INTERVAL);
  const before = await replicas.heap();
  // Each query is sent to two replicas.
  const limit = pLimit(CONNECTING);
  const all = Array.from({ length: callers }, (_, caller) =>
    [urls[0], urls[1 + (caller % 2)]].map((url) => [caller, url] as const),
  );
  const sockets = await Promise.all(all.flat().map(([caller, url]) => limit(() => open(caller, url ?? ''))));
  await pause(2_000 * INTERVAL);
  const heap = await replicas.heap();
  const name = `${callers * lists} live queries on 3 replicas, each at two`;
  const calm = await watch(api, window);
  const kill = replicas.kill(0);
  const killed = await watch(api, window);
  await kill;
  for (const socket of sockets) socket.close();
  return [
    { case: name, ...calm, 'KiB each': rounded((1_024 * (heap - before)) / (2 * callers * lists)) },
    { case: 'the same, while one is killed', ...killed },
  ];
}

/** Observes when lists are read. A list that is not read until the end counts until then. */
async function watch(api: ChangingApi, window: number): Promise<Row> {
  const from = performance.now();
  const calls = api.calls;
  await pause(window);
  const to = performance.now();
  const gaps = [...api.lists].flatMap(({ readAt }) => {
    const last = readAt.findLast((at) => at <= from) ?? from;
    const times = [last, ...readAt.filter((at) => at > from && at <= to), to];
    return times.slice(1).map((at, index) => (at - (times[index] ?? at)) / 1_000 / INTERVAL);
  });
  return {
    'calls per s': rounded((1_000 * (api.calls - calls)) / window, 2),
    'gap p99 / interval': quantile(gaps, 0.99, 2),
    'gap max / interval': quantile(gaps, 1, 2),
  };
}
