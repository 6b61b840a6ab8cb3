/** `npm run soak -- [--minutes N] [--write docs/reliability.md]`: all kinds of load, attacks and faults at once, and a verdict. */
import { setMaxListeners } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { listenSandbox, type Sandbox } from '../../packages/sandbox/src/listen-sandbox.ts';
import { admin, readIds, readList } from '../helpers/sandbox-requests.ts';
import { runAttackers } from './soak/attackers.ts';
import { runCaller } from './soak/callers.ts';
import { FacadeProcess, type Holding } from './soak/facade-process.ts';
import { FAULT_KINDS, FaultProxy } from './soak/fault-proxy.ts';
import { Ledger } from './soak/ledger.ts';
import { type Client, Load } from './soak/load.ts';
import { judge, toRows } from './soak/verdict.ts';
import { startWitness } from './soak/watch-witness.ts';
import { runWatcher } from './soak/watchers.ts';
import { runWriter } from './soak/writers.ts';
import { printTable, type Row } from './table.ts';
import { writePage } from './write-page.ts';

const { values: options } = parseArgs({
  options: { minutes: { type: 'string', default: '15' }, write: { type: 'string' } },
});
const minutes = Number(options.minutes);
if (!(minutes > 0)) throw new Error(`expected --minutes with a number above 0, got ${options.minutes}`);

const CALLERS = 20;
const WRITERS = 5;
const WATCHERS = 10;

/** Times in milliseconds. */
const DURATION = minutes * 60_000;
const RELOAD_INTERVAL = 20_000;
const SAMPLE_INTERVAL = 5_000;
const WARM_UP = Math.min(15_000, DURATION / 4);
const QUIET = 20_000;
/** For what a client still waits for when the load ends. */
const LONGEST_END = 60_000;
const WATCH_FOR_REQUESTS = 5_000;
/** Each kind of fault occurs at least once, also in a short run. */
const FAULT_INTERVAL = Math.min(30_000, Math.max(12_000, DURATION / FAULT_KINDS.length));

const OUTPUT = '.cache';
mkdirSync(OUTPUT, { recursive: true });

const sandbox = await listenSandbox({ step: 500, stateExpiry: 180_000 });
const proxy = new FaultProxy(sandbox.url);
const authorization = `Basic ${Buffer.from('admin:sandbox').toString('base64')}`;
const facade = new FacadeProcess(await proxy.listen(), authorization, `${OUTPUT}/soak.log`);
await facade.untilReady();

const end = new AbortController();
// All clients listen to the end.
setMaxListeners(0, end.signal);
const load = new Load(facade.url, sandbox.tokenHeader, proxy, end.signal);
const ledger = new Ledger();
const places = {
  datasets: (await readIds(sandbox, '/v7.0/datasets?dataset[limit]=1000')).slice(0, 60),
  zones: await readIds(sandbox, '/v7.0/dns_zones'),
};
const logins = (await readList(sandbox, '/v7.0/users'))
  .map(({ login }) => String(login))
  .filter((login) => login !== sandbox.twoStepUser.login);
const tokenOf = (index: number): Promise<string> => signIn(sandbox, logins[index % logins.length] ?? '');

const callers = await times(CALLERS, async (index): Promise<Client> => {
  return { role: 'caller', address: `198.51.100.${index + 1}`, token: await tokenOf(index) };
});

// The witness also sees the warm-up, when little code is compiled, and when the schemas of the others are assembled.
const witness = await startWitness(
  {
    url: facade.url,
    tokenHeader: sandbox.tokenHeader,
    headers: load.headersOf({
      role: 'witness',
      address: '192.0.2.250',
      token: await signIn(sandbox, 'admin'),
    }),
  },
  proxy,
);
console.log(`warming up for ${WARM_UP / 1_000} s`);
const before = await warmUp();
const sampling = setInterval(() => facade.hasEnded || facade.sample(), SAMPLE_INTERVAL);
const reloading = setInterval(() => facade.hasEnded || facade.reload(), RELOAD_INTERVAL);
console.log(`loading for ${minutes} minutes`);
setTimeout(() => end.abort(), DURATION);
void facade.ended.then(() => {
  load.isFacadeGone = true;
  end.abort();
});
const clients = Promise.all([proxy.run(FAULT_INTERVAL, end.signal), runClients(load)]);
await Promise.race([clients, pause(DURATION + LONGEST_END)]);
load.noteStragglers();
const testified = await witness();
clearInterval(reloading);
await load.agent.destroy();
console.log(`load ended; waiting ${QUIET / 1_000} s`);
if (!facade.hasEnded) await pause(QUIET);

const lateRequests: string[] = [];
const stopListening = sandbox.onRequest(({ method, path }) => lateRequests.push(`${method} ${path}`));
await pause(WATCH_FOR_REQUESTS);
stopListening();
const { openPolls } = sandbox;
clearInterval(sampling);
const { hasEnded } = facade;
const after = hasEnded ? before : await facade.hold();
const findings = {
  before,
  after,
  samples: facade.samples,
  writes: await ledger.compare(sandbox),
  witness: testified,
  load,
  lateRequests,
  openPolls,
  hasEnded,
  exitCode: await facade.stop(),
};
proxy.close();
await sandbox.close();

const promises = judge(findings);
const isKept = promises.every((promise) => promise.isKept);
report();
process.exit(isKept ? 0 : 1);

/** Runs all clients until the load ends. */
async function runClients(load: Load): Promise<void> {
  const administrator = (role: string, index: number, address: string): Promise<Client> =>
    signIn(sandbox, 'admin').then((token) => ({ role, address: `${address}.${index + 1}`, token }));
  await Promise.all([
    ...callers.map((caller) => runCaller(load, caller)),
    times(WRITERS, async (index) =>
      runWriter(load, await administrator('writer', index, '192.0.2'), ledger, places),
    ),
    times(WATCHERS, async (index) =>
      runWatcher(load, await administrator('watcher', index, '198.18.0'), ledger, places),
    ),
    runAttackers(load, await tokenOf(1)),
  ]);
}

/** Runs all clients for a while, so that the explorer's page, schemas and caches are there when the first measurement is taken. */
async function warmUp(): Promise<Holding> {
  const warm = new AbortController();
  setMaxListeners(0, warm.signal);
  const warming = new Load(facade.url, sandbox.tokenHeader, proxy, warm.signal);
  setTimeout(() => warm.abort(), WARM_UP);
  await Promise.race([runClients(warming), pause(WARM_UP + LONGEST_END)]);
  for (const text of warming.unexplained) console.log(text);
  await warming.agent.destroy();
  await pause(QUIET);
  return facade.hold();
}

function times<Result>(count: number, run: (index: number) => Promise<Result>): Promise<Result[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => run(index)));
}

async function signIn({ url }: Sandbox, login: string): Promise<string> {
  const answer = await fetch(`${url}/_auth/token/tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      token: { user: login, password: admin(sandbox).password, lifetime: 'permanent' },
    }),
  });
  const { response } = (await answer.json()) as { response: { token: { token: string } } };
  return response.token.token;
}

function report(): void {
  const [cpu] = cpus();
  const on = `${new Date().toISOString().slice(0, 10)}, node ${process.version}, ${cpus().length} cores of ${cpu?.model.trim() ?? '?'}`;
  const summary = `${minutes} minutes, ${proxy.faults.length} faults: ${isKept ? 'all promises kept' : 'NOT all promises kept'} (${on}).`;
  const rows = toRows(promises);
  const writes = Object.entries(findings.writes.counts).map(([write, count]) => ({ writes: write, count }));
  const counts: readonly Row[] = [...load.counts]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([what, count]) => ({ what, count }));
  printTable(summary, rows);
  printTable('Witness', testified.rows);
  printTable('Writes', writes);
  printTable('Clients', counts);
  const wrong = [...testified.wrong, ...findings.writes.wrong, ...load.unexplained, ...lateRequests];
  for (const line of wrong.slice(0, 40)) console.log(line);
  const { faults } = proxy;
  const json = {
    summary,
    promises,
    witness: testified,
    writes: findings.writes,
    counts,
    wrong,
    faults,
    before,
    after,
    samples: facade.samples,
  };
  writeFileSync(`${OUTPUT}/soak.json`, `${JSON.stringify(json, null, 2)}\n`);
  if (options.write !== undefined) writePage(options.write, [summary, rows, testified.rows, writes, counts]);
}
