/** `npm run soak -- [--minutes N]`: all kinds of load, attacks and faults at once, and a verdict. */
import { setMaxListeners } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { listenSandbox } from '../../packages/sandbox/src/listen-sandbox.ts';
import { admin, post, readIds, readList } from '../helpers/sandbox-requests.ts';
import { SERVE_READY } from './requests/servers.ts';
import { leaveServerCore, PROBED, ServerProcess } from './server-process.ts';
import { runAttackers } from './soak/attackers.ts';
import { runCaller } from './soak/callers.ts';
import { FAULT_KINDS, FaultProxy } from './soak/fault-proxy.ts';
import { Ledger } from './soak/ledger.ts';
import { type Client, Load, pick } from './soak/load.ts';
import { runWatcher } from './soak/watchers.ts';
import { runWriter } from './soak/writers.ts';
import { printTable, type Row, rounded } from './table.ts';

const { values: options } = parseArgs({ options: { minutes: { type: 'string', default: '15' } } });
const minutes = Number(options.minutes);
if (!(minutes > 0)) throw new Error(`expected --minutes with a number above 0, got ${options.minutes}`);

const CALLERS = 20;
const WRITERS = 5;
const WATCHERS = 10;

/** Times in milliseconds. */
const DURATION = minutes * 60_000;
const RELOAD_INTERVAL = 20_000;
const WARM_UP = Math.min(15_000, DURATION / 4);
const QUIET = 20_000;
/** For what a client still waits for when the load ends. */
const LONGEST_END = 60_000;
const WATCH_FOR_REQUESTS = 5_000;
/** Each kind of fault occurs at least once, also in a short run. */
const FAULT_INTERVAL = Math.min(30_000, Math.max(12_000, DURATION / FAULT_KINDS.length));
/** The event loop may be blocked for this time. */
const LONGEST_BLOCK = 1_000;

/** The heap may have grown by this share and this number of MiB: bounded caches of callers, documents and rows fill. */
const HEAP_SHARE = 1.2;
const HEAP_MIB = 16;
/** The allocator keeps memory that the heap no longer uses. MiB. */
const RSS_GROWTH = 256;
/** Idle connections to the API, which stay open for some seconds. */
const DESCRIPTORS = 8;
const TIMERS = 5;

const OUTPUT = '.cache';
mkdirSync(OUTPUT, { recursive: true });

leaveServerCore();
const sandbox = await listenSandbox({ step: 500, stateExpiry: 180_000 });
const proxy = new FaultProxy(sandbox.url);
const authorization = `Basic ${Buffer.from('admin:sandbox').toString('base64')}`;
const facade = await ServerProcess.start({
  args: [...PROBED, 'dist/cli/main.js', 'serve', '--port', '0', '--upstream', await proxy.listen()],
  env: { UPSTREAM_AUTHORIZATION: authorization },
  ready: SERVE_READY,
  isMeasured: true,
  log: `${OUTPUT}/soak.log`,
});
const [url = ''] = facade.ready;

const ledger = new Ledger();
const places = {
  datasets: (await readIds(sandbox, '/v7.0/datasets?dataset[limit]=1000')).slice(0, 60),
  zones: await readIds(sandbox, '/v7.0/dns_zones'),
};
const logins = (await readList(sandbox, '/v7.0/users'))
  .map(({ login }) => String(login))
  .filter((login) => login !== sandbox.twoStepUser.login);
const tokens = await times(CALLERS, (index) => signIn(logins[index % logins.length] ?? ''));

console.log(`warming up for ${WARM_UP / 1_000} s`);
// Afterwards the explorer's page, schemas and caches are there.
await runLoad(WARM_UP);
await pause(QUIET);
const before = await measure();
await facade.startWatching();
console.log(`loading for ${minutes} minutes`);
const reloading = setInterval(() => facade.hasEnded || facade.reload(), RELOAD_INTERVAL);
const load = await runLoad(DURATION, FAULT_INTERVAL);
clearInterval(reloading);
console.log(`load ended; waiting ${QUIET / 1_000} s`);
await pause(QUIET);
const lateRequests: string[] = [];
const stopListening = sandbox.onRequest(({ method, path }) => lateRequests.push(`${method} ${path}`));
await pause(WATCH_FOR_REQUESTS);
stopListening();

const { hasEnded } = facade;
const block = hasEnded ? Number.POSITIVE_INFINITY : await facade.longestBlock();
const after = hasEnded ? before : await measure();
const writes = await ledger.compare(sandbox);
const { openPolls } = sandbox;
const exitCode = await facade.stop();
proxy.close();
await sandbox.close();
const promises = judge();
report();
process.exit(promises.every(({ kept }) => kept === 'yes') ? 0 : 1);

/** Runs all clients for a time. @param faultInterval Default: without faults. */
async function runLoad(duration: number, faultInterval?: number): Promise<Load> {
  const end = new AbortController();
  // All clients listen to the end.
  setMaxListeners(0, end.signal);
  const running = new Load(url, sandbox.tokenHeader, proxy, end.signal, () => facade.hasEnded);
  setTimeout(() => end.abort(), duration);
  const faults = faultInterval === undefined ? null : proxy.run(faultInterval, end.signal);
  await Promise.race([Promise.all([runClients(running), faults]), pause(duration + LONGEST_END)]);
  running.noteStragglers();
  await running.agent.destroy();
  return running;
}

async function runClients(running: Load): Promise<void> {
  const administrator = async (role: string, index: number, address: string): Promise<Client> => ({
    role,
    address: `${address}.${index + 1}`,
    token: await signIn('admin'),
  });
  await Promise.all([
    ...tokens.map((token, index) =>
      runCaller(running, { role: 'caller', address: `198.51.100.${index + 1}`, token }),
    ),
    times(WRITERS, async (index) =>
      runWriter(running, await administrator('writer', index, '192.0.2'), ledger, places),
    ),
    times(WATCHERS, async (index) =>
      runWatcher(running, await administrator('watcher', index, '198.18.0'), ledger, places),
    ),
    runAttackers(running, tokens[1] ?? '', () => signIn(pick(logins))),
  ]);
}

function times<Result>(count: number, run: (index: number) => Promise<Result>): Promise<Result[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => run(index)));
}

async function signIn(login: string): Promise<string> {
  const { password } = admin(sandbox);
  const { envelope } = await post(sandbox, '/_auth/token/tokens', null, {
    token: { user: login, password, lifetime: 'permanent' },
  });
  return String(envelope['response']?.['token']?.['token']);
}

async function measure() {
  return {
    heap: rounded(await facade.heap()),
    timers: await facade.timers(),
    rss: facade.rss(),
    descriptors: facade.descriptors(),
  };
}

/** One row for each promise, with what was found. */
function judge(): readonly Row[] {
  const sum = (what: string): number =>
    [...load.counts].reduce((total, [name, count]) => (name.endsWith(what) ? total + count : total), 0);
  const unexplained = [...load.counts].filter(([name]) => name.includes(': unexplained '));
  const [watched, final] = [sum(': watched'), sum(': final states')];
  const row = (promise: string, found: string, isKept: boolean): Row => ({
    promise,
    found,
    kept: isKept ? 'yes' : 'NO',
  });
  const change = (key: keyof typeof before): string => `${before[key]} before, ${after[key]} after`;
  return [
    row(
      'the process stays up, and ends with code 0 at SIGTERM',
      hasEnded ? 'ended by itself' : `code ${exitCode}`,
      !hasEnded && exitCode === 0,
    ),
    row(
      `nobody waits for another one's work for more than ${LONGEST_BLOCK} ms`,
      `${Math.round(block)} ms at most`,
      block <= LONGEST_BLOCK,
    ),
    row(
      'a write that succeeded is found once, a refused one never, others at most once',
      `${writes.wrong.length} wrong`,
      writes.wrong.length === 0,
    ),
    row(
      'each subscription ends with the final state of its action',
      `${final} of ${watched}`,
      final === watched,
    ),
    row(
      'callers have no errors but those of upstream faults',
      unexplained.map(([name, count]) => `${name} ${count}`).join('; ') || 'none',
      unexplained.length === 0,
    ),
    row(
      'memory returns (used heap and buffers after a collection, MiB)',
      change('heap'),
      after.heap <= before.heap * HEAP_SHARE + HEAP_MIB,
    ),
    row('memory returns (resident, MiB)', change('rss'), after.rss <= before.rss + RSS_GROWTH),
    row(
      'sockets and files are closed',
      change('descriptors'),
      after.descriptors <= before.descriptors + DESCRIPTORS,
    ),
    row('timers end', change('timers'), after.timers <= before.timers + TIMERS),
    row(
      'pollers end',
      `${lateRequests.length} upstream requests in 5 s, ${openPolls} open polls`,
      lateRequests.length === 0 && openPolls === 0,
    ),
  ];
}

function report(): void {
  const counts = [...load.counts, ...Object.entries(writes.counts)]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([what, count]): Row => ({ what, count }));
  printTable(`${minutes} minutes, ${proxy.faults.length} faults`, promises);
  printTable('Clients and writes', counts);
  const wrong = [...writes.wrong, ...load.unexplained, ...lateRequests];
  for (const line of wrong.slice(0, 40)) console.log(line);
  const { faults } = proxy;
  writeFileSync(
    `${OUTPUT}/soak.json`,
    `${JSON.stringify({ promises, counts, wrong, faults, before, after }, null, 2)}\n`,
  );
}
