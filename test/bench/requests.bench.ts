// Measures operations of our server beside hand-written ones, in turns, so that what else the machine does meets all of them.
import { type Condition, type Figures, type Round, sumUp } from './requests/figures.ts';
import { LoadClient } from './requests/load.ts';
import { QUERY_NAMES, type QueryName } from './requests/queries.ts';
import {
  expectSameAnswers,
  type RunningServer,
  type Start,
  startServers,
} from './requests/running-servers.ts';
import { OURS, REFERENCE, SERVERS, Stub } from './requests/servers.ts';
import { leaveServerCore } from './server-process.ts';

/** What is measured. */
export interface RequestOptions {
  /** The operations; empty for all. */
  readonly only: readonly QueryName[];
  /** Short rounds of ours and the reference alone, without latency, for people who change the hot path. */
  readonly isQuick: boolean;
}

/** All figures of a run. */
export interface RequestFigures {
  readonly starts: readonly Start[];
  readonly figures: readonly Figures[];
}

/** Numbers of rounds and starts, and the milliseconds of a round and of the longest warm-up. */
const FULL = { rounds: 5, duration: 1_000, warmUp: 8_000, starts: 3 };
const QUICK = { rounds: 5, duration: 400, warmUp: 5_000, starts: 1 };

/** Answers after which a server runs compiled code. */
const WARM = 4_000;

const CONNECTIONS = 16;

/** A latency of the management API in milliseconds, and a number of connections. */
type LoadKind = readonly [latency: number, connections: number];

/** All loads of a run. */
export const loadsOf = (isQuick: boolean): readonly LoadKind[] => {
  const kinds: readonly LoadKind[] = [
    [0, CONNECTIONS],
    [0, 1],
    [20, CONNECTIONS],
    [20, 1],
  ];
  return isQuick ? kinds.slice(0, 1) : kinds;
};

/** All servers at all conditions. Each server has warmed up before it is measured. */
export async function benchRequests({ only, isQuick }: RequestOptions): Promise<RequestFigures> {
  const queries = only.length === 0 ? QUERY_NAMES : only;
  const pace = isQuick ? QUICK : FULL;
  const servers = SERVERS.filter(({ name }) => !isQuick || [OURS, REFERENCE].includes(name));
  leaveServerCore();
  await using stub = await Stub.start();
  const running: RunningServer[] = [];
  try {
    const starts = await startServers(servers, stub, pace.starts, running);
    await expectSameAnswers(running, queries);
    return { starts, figures: await measureAll(queries, running, stub, isQuick) };
  } finally {
    await Promise.all(running.map(({ process }) => process[Symbol.asyncDispose]()));
  }
}

async function measureAll(
  queries: readonly QueryName[],
  running: readonly RunningServer[],
  stub: Stub,
  isQuick: boolean,
): Promise<readonly Figures[]> {
  const pace = isQuick ? QUICK : FULL;
  const figures: Figures[] = [];
  for (const query of queries) {
    await forEachServer(running, CONNECTIONS, async (client) => {
      await client.load(query, pace.warmUp, WARM);
    });
    for (const [latency, connections] of loadsOf(isQuick)) {
      await stub.tell({ latency });
      figures.push(...(await measure({ latency, connections, query }, running, stub, pace)));
      await stub.tell({ latency: 0 });
    }
  }
  return figures;
}

async function measure(
  condition: Condition,
  servers: readonly RunningServer[],
  stub: Stub,
  { rounds, duration }: typeof FULL,
): Promise<readonly Figures[]> {
  const { connections, query } = condition;
  const measured = new Map<string, Round[]>(servers.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    await forEachServer(servers, connections, async (client, { name, process }) => {
      await client.ask(query);
      const before = { cpu: process.cpu(), ...(await stub.tell()) };
      const answers = await client.load(query, duration);
      const cpu = process.cpu() - before.cpu;
      const calls = (await stub.tell()).reads - before.reads;
      measured.get(name)?.push({ ...answers, cpu, calls });
    });
  }
  return [...measured].map(([name, found]) => sumUp(name, condition, found));
}

/** Gives each server in turn a client of its own. */
async function forEachServer(
  servers: readonly RunningServer[],
  connections: number,
  use: (client: LoadClient, server: RunningServer) => Promise<void>,
): Promise<void> {
  for (const server of servers) {
    const client = new LoadClient(server.url, connections);
    try {
      await use(client, server);
    } finally {
      await client.close();
    }
  }
}
