// Many live queries on replicas, one of which is killed: when they are executed, when changes come, and the memory that they take.
import { setTimeout as pause } from 'node:timers/promises';
import pLimit from 'p-limit';
import { startRedis } from '../../helpers/redis.ts';
import { ReplicaSet } from '../replicas/replica-set.ts';
import { quantile, type Row, rounded } from '../table.ts';
import { ChangingApi } from './changing-api.ts';
import { itemsQuery, versionIn } from './live-items.ts';
import { LiveSocket } from './live-socket.ts';

/** How many live queries there are. */
export interface ManyShape {
  readonly callers: number;
  /** Live queries of each caller. */
  readonly lists: number;
  /** Duration of each of the two observations, in intervals. */
  readonly intervals: number;
}

/** Seconds from the end of one execution to the next. */
const INTERVAL = 5;
/** Time in which a few live queries are executed before the memory is measured, in milliseconds. */
const WARM_UP = 5_000;
/** Clients that connect at the same time. */
const CONNECTING = 10;
/** Pause of a client who has lost its replica and finds no other, in milliseconds. */
const RECONNECT_PAUSE = 500;

/** Live queries on three replicas, each at two of them: while all run, and while one is killed. */
export async function runManyQueries({ callers, lists, intervals }: ManyShape): Promise<readonly Row[]> {
  await using redis = await startRedis();
  await using api = await ChangingApi.start();
  await using replicas = await ReplicaSet.start(3, api.url, redis.url);
  const urls = replicas.ports.map((port) => `http://127.0.0.1:${port}/graphql`);
  // What is made once is there before, such as the schema and the machine code of what is executed often.
  const first = await Promise.all(urls.map((url) => LiveSocket.open(url, 'first-caller')));
  for (const socket of first)
    for (let group = 0; group < lists; group += 1) await socket.send(`${group}`, itemsQuery(group, 1));
  await pause(WARM_UP);
  for (const socket of first) socket.close();
  await pause(1_000);
  const before = await replicas.heap();

  const watchers = Array.from({ length: callers }, (_, caller) =>
    [0, 1 + (caller % 2)].map((replica) => new Watcher(api, urls, replica, `caller-${caller}`, lists)),
  ).flat();
  const limit = pLimit(CONNECTING);
  await Promise.all(watchers.map((watcher) => limit(() => watcher.open())));
  await pause(2_000 * INTERVAL);
  const memory = (1_024 * ((await replicas.heap()) - before)) / (callers * lists);

  const window = 1_000 * INTERVAL * intervals;
  const observe = async (name: string): Promise<Row> => {
    const cpu = replicas.cpu();
    const row = await observeExecutions(api, watchers, window);
    return { case: name, ...row, 'CPU %': rounded((100 * (replicas.cpu() - cpu)) / window, 0) };
  };
  const calm = await observe(`${callers * lists} live queries on 3 replicas, each at two`);
  const kill = replicas.kill(0);
  const killed = await observe('the same, while one replica is killed');
  await kill;
  for (const watcher of watchers) watcher.close();
  return [{ ...calm, 'KiB each': rounded(memory) }, killed];
}

/** A client of all lists of a caller, who connects to another replica when its own is gone. */
class Watcher {
  /** By list: the versions that the client waits for, and since when. */
  readonly #changes = new Map<number, { readonly version: number; readonly at: number }[]>();
  /** Times from a change to its result, in milliseconds. */
  #delays: number[] = [];
  #socket: LiveSocket | null = null;
  readonly #urls: readonly string[];
  #replica: number;
  readonly #token: string;
  readonly #lists: number;

  constructor(api: ChangingApi, urls: readonly string[], replica: number, token: string, lists: number) {
    this.#urls = urls;
    this.#replica = replica;
    this.#token = token;
    this.#lists = lists;
    for (let group = 0; group < lists; group += 1)
      api.listOf(token, group).onChange.push((version) => {
        const waiting = this.#changes.get(group) ?? [];
        this.#changes.set(group, waiting);
        waiting.push({ version, at: performance.now() });
      });
  }

  async open(): Promise<void> {
    const socket = await LiveSocket.open(this.#urls[this.#replica] ?? '', this.#token);
    this.#socket = socket;
    socket.onResult = (id, data) => this.#take(Number(id), versionIn(data));
    for (let group = 0; group < this.#lists; group += 1)
      await socket.send(`${group}`, itemsQuery(group, INTERVAL));
    socket.onLost = () => void this.#openAgain();
  }

  /** The delays since the last call, with those of changes that have not come yet. */
  takeDelays(): readonly number[] {
    const delays = this.#delays;
    this.#delays = [];
    const open = [...this.#changes.values()].flat().map(({ at }) => performance.now() - at);
    return [...delays, ...open];
  }

  close(): void {
    this.#socket?.close();
  }

  async #openAgain(): Promise<void> {
    this.#replica = (this.#replica + 1) % this.#urls.length;
    await this.open().catch(async () => {
      await pause(RECONNECT_PAUSE);
      await this.#openAgain();
    });
  }

  #take(group: number, version: number): void {
    const waiting = this.#changes.get(group) ?? [];
    const now = performance.now();
    for (const change of waiting) if (change.version <= version) this.#delays.push(now - change.at);
    this.#changes.set(
      group,
      waiting.filter((change) => change.version > version),
    );
  }
}

/** Changes each list once meanwhile, and observes when lists are read and changes come. What has not happened at the end counts until then. */
async function observeExecutions(
  api: ChangingApi,
  watchers: readonly Watcher[],
  window: number,
): Promise<Row> {
  for (const watcher of watchers) watcher.takeDelays();
  const { calls } = api;
  // Others have been read before.
  const lists = api.lists.filter(({ onChange }) => onChange.length > 0);
  const from = performance.now();
  for (const [index, list] of lists.entries()) {
    await pause(from + (window * index) / lists.length - performance.now());
    api.change(list);
  }
  await pause(from + window - performance.now());
  const to = performance.now();
  const gaps = lists.flatMap(({ readAt }) => {
    const last = readAt.findLast((at) => at <= from) ?? from;
    const times = [last, ...readAt.filter((at) => at > from && at <= to), to];
    return times.slice(1).map((at, index) => (at - (times[index] ?? at)) / 1_000 / INTERVAL);
  });
  const delays = watchers.flatMap((watcher) => watcher.takeDelays()).map((delay) => delay / 1_000 / INTERVAL);
  return {
    'calls per s': rounded((1_000 * (api.calls - calls)) / (to - from), 2),
    'gap p99 / interval': quantile(gaps, 0.99, 2),
    'gap max / interval': quantile(gaps, 1, 2),
    'change p99 / interval': quantile(delays, 0.99, 2),
    'change max / interval': quantile(delays, 1, 2),
  };
}
