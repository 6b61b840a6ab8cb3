// Measures operations of our server beside hand-written ones, in turns, so that what else the machine does meets all of them.
import {
  BUSY,
  type Condition,
  type Figures,
  LOADS,
  type Load,
  type Round,
  sumUp,
} from './requests/figures.ts';
import { LoadClient } from './requests/load.ts';
import type { QueryName } from './requests/queries.ts';
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
  /** The operations. */
  readonly only: readonly QueryName[];
  /** Short rounds of ours and the reference alone, without latency, for people who change the hot path. */
  readonly isQuick: boolean;
}

/** All figures of a run. */
export interface RequestFigures {
  readonly starts: readonly Start[];
  readonly figures: readonly Figures[];
  /** Resident memory at the end of the run, in MiB. */
  readonly loaded: readonly { readonly server: string; readonly rss: number }[];
}

/** Starts of each server in a full run. */
const STARTS = 3;

/** Rounds, and milliseconds of a round. */
const ROUNDS = 5;
const DURATION = { full: 700, quick: 400 };

/** A server is warm after this number of answers, or this CPU time in milliseconds. */
const WARM = { answers: 4_000, cpu: 8_000 };

/** Milliseconds of a part of a warm-up. */
const WARM_UP_PART = 500;

/** All servers at all conditions. Each server has warmed up before it is measured. */
export async function benchRequests({ only, isQuick }: RequestOptions): Promise<RequestFigures> {
  const servers = SERVERS.filter(({ name }) => !isQuick || [OURS, REFERENCE].includes(name));
  leaveServerCore();
  await using stub = await Stub.start();
  const running: RunningServer[] = [];
  try {
    const starts = await startServers(servers, stub, isQuick ? 1 : STARTS, running);
    await expectSameAnswers(running, only);
    const figures = await measureAll(only, running, stub, isQuick);
    const loaded = running.map(({ name, process }) => ({ server: name, rss: process.rss() }));
    return { starts, figures, loaded };
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
  const duration = isQuick ? DURATION.quick : DURATION.full;
  const figures: Figures[] = [];
  for (const query of queries) {
    console.log(`measuring ${query}`);
    await withClients(running, BUSY, async (clients) => {
      for (const [server, client] of clients) await warmUp(client, server, query);
    });
    for (const load of isQuick ? [BUSY] : LOADS) {
      await stub.tell({ latency: load.latency });
      figures.push(...(await measure({ ...load, query }, running, stub, duration)));
      await stub.tell({ latency: 0 });
    }
  }
  return figures;
}

/** Runs an operation until the server executes compiled code. */
async function warmUp(client: LoadClient, { process }: RunningServer, query: QueryName): Promise<void> {
  const until = process.cpu() + WARM.cpu;
  for (let answers = 0; answers < WARM.answers && process.cpu() < until; ) {
    answers += (await client.load(query, WARM_UP_PART)).latencies.length;
  }
}

async function measure(
  condition: Condition,
  servers: readonly RunningServer[],
  stub: Stub,
  duration: number,
): Promise<readonly Figures[]> {
  const { query } = condition;
  const rounds = new Map<string, Round[]>(servers.map(({ name }) => [name, []]));
  await withClients(servers, condition, async (clients) => {
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [{ name, process }, client] of clients) {
        await client.ask(query);
        const before = { cpu: process.cpu(), ...(await stub.tell()) };
        const answers = await client.load(query, duration);
        const cpu = process.cpu() - before.cpu;
        const calls = (await stub.tell()).reads - before.reads;
        rounds.get(name)?.push({ ...answers, cpu, calls });
      }
    }
  });
  return [...rounds].map(([name, found]) => sumUp(name, condition, found));
}

/** Opens a client of each server, and closes all of them after their use. */
async function withClients(
  servers: readonly RunningServer[],
  { connections, callers }: Load,
  use: (clients: ReadonlyMap<RunningServer, LoadClient>) => Promise<void>,
): Promise<void> {
  const clients = new Map(
    servers.map((server) => [server, new LoadClient(server.url, connections, callers)]),
  );
  try {
    await use(clients);
  } finally {
    await Promise.all([...clients.values()].map((client) => client.close()));
  }
}
