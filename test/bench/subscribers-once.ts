// Measures one case of subscribers.bench.ts in a process of its own.
/**
 * One case of subscribers.bench.ts: `facade|plain`, number of subscribers, number of actions. Everything but the way of
 * watching is the same for both: sandbox, process, and a callback an event; the facade's subscribers come over WebSockets,
 * a hundred a socket, and so pay for GraphQL besides.
 */
import { createClient } from 'graphql-ws';
import { Pool } from 'undici';
import WebSocket from 'ws';
import { createLog } from '../../src/log/log.ts';
import { defaultOverrides } from '../../src/overrides/defaults.ts';
import { listenSandbox } from '../../src/sandbox/listen-sandbox.ts';
import { createFacade } from '../../src/server/facade.ts';
import { startServer } from '../../src/server/server.ts';
import { readAuthorization } from '../../src/upstream/http/authentication.ts';
import { quantile, rounded } from './table.ts';

const [way = 'facade', subscribersText = '100', actionsText = '1'] = process.argv.slice(2);
const subscribers = Number(subscribersText);
const actions = Number(actionsText);
const STEPS = 3;
const PER_SOCKET = 100;

const sandbox = await listenSandbox({ step: 'manual' });
const token = sandbox.users[1]?.token ?? '';
const headers = { [sandbox.tokenHeader]: token, 'content-type': 'application/json' };
let maxOpenPolls = 0;
const ids = await begin();

let changedAt = 0;
let events = 0;
let wake: () => void = () => undefined;
const delays: number[] = [];
const onEvent = (): void => {
  events += 1;
  if (changedAt > 0) delays.push(performance.now() - changedAt);
  if (events % subscribers === 0) wake();
};

const before = memory();
const stop = await (way === 'facade' ? watchByFacade() : watchPlainly());
const open = setInterval(() => {
  maxOpenPolls = Math.max(maxOpenPolls, sandbox.openRequests);
}, 10);
const held = memory() - before;
const cpu = process.cpuUsage();
for (let step = 0; step < STEPS; step++) {
  await settled();
  const all = new Promise<void>((resolve) => {
    wake = resolve;
  });
  changedAt = performance.now();
  sandbox.advance();
  await all;
}
const { user, system } = process.cpuUsage(cpu);
clearInterval(open);
console.log(
  JSON.stringify({
    'MB held': rounded(held),
    'CPU ms a change': rounded((user + system) / 1000 / STEPS),
    'delay p50 ms': quantile(delays, 0.5),
    'delay p99 ms': quantile(delays, 0.99),
    'upstream requests at most': maxOpenPolls,
  }),
);
await stop();
await sandbox.close();
process.exit(0);

/** Starts actions of one caller, each on a dataset of its own, and returns their ids. */
async function begin(): Promise<readonly number[]> {
  const { response } = (await (await fetch(`${sandbox.url}/v7.0/datasets`, { headers })).json()) as {
    response: { datasets: readonly { id: number }[] };
  };
  const started: number[] = [];
  for (const { id } of response.datasets.slice(0, actions)) {
    const answer = await fetch(`${sandbox.url}/v7.0/datasets/${id}/snapshots`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ snapshot: {} }),
    });
    const told = (await answer.json()) as { response: { _meta: { action_state_id: number } } };
    started.push(told.response._meta.action_state_id);
  }
  return started;
}

/** Waits until nothing has happened for a while, so that all who wait are waiting. */
async function settled(): Promise<void> {
  let seen = -1;
  while (seen !== events || events < subscribers) {
    seen = events;
    await new Promise((resolve) => setTimeout(resolve, 150));
  }
}

function memory(): number {
  globalThis.gc?.();
  return process.memoryUsage().rss / 1_048_576;
}

async function watchByFacade(): Promise<() => Promise<void>> {
  const facade = await createFacade({
    upstream: new URL(sandbox.url),
    overrides: defaultOverrides,
    descriptionCredential: readAuthorization(`Basic ${Buffer.from('admin:sandbox').toString('base64')}`),
    watch: { streams: 10_000 },
    log: createLog((line) => process.stderr.write(line)),
  });
  const server = await startServer(facade, { host: '127.0.0.1', port: 0 });
  for (let index = 0; index < subscribers; index += PER_SOCKET) {
    const client = createClient({
      url: server.url.replace('http', 'ws'),
      webSocketImpl: WebSocket,
      connectionParams: headers,
    });
    for (let one = index; one < Math.min(index + PER_SOCKET, subscribers); one++) {
      const query = `subscription { actionProgress(id: ${ids[one % ids.length]}, minInterval: 0.1) { id outcome progress } }`;
      client.subscribe({ query }, { next: onEvent, error: console.error, complete: () => undefined });
    }
  }
  await settled();
  return () => server.close();
}

/** The obvious way: each subscriber polls for itself. */
async function watchPlainly(): Promise<() => Promise<void>> {
  const pool = new Pool(sandbox.url, { connections: subscribers });
  for (let one = 0; one < subscribers; one++) loop(pool, ids[one % ids.length] ?? 0).catch(() => undefined);
  await settled();
  return async () => pool.destroy().catch(() => undefined);
}

async function loop(pool: Pool, id: number): Promise<void> {
  let echo = '';
  for (;;) {
    const path = `/v7.0/action_states/${id}/poll?action_state[update_in]=1${echo}`;
    const answer = await pool.request({ method: 'GET', path, headers: { [sandbox.tokenHeader]: token } });
    const { response } = (await answer.body.json()) as {
      response: { action_state: { status: boolean; current: number; total: number; finished: boolean } };
    };
    const { status, current, total, finished } = response.action_state;
    const next = `&action_state[status]=${status}&action_state[current]=${current}&action_state[total]=${total}`;
    if (next !== echo) onEvent();
    echo = next;
    if (finished) return;
  }
}
