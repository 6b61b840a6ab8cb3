// Measures how long light clients wait while others send as much as they can, and what the others get.
import { setTimeout as pause } from 'node:timers/promises';
import { type SceneFigures, SHARED } from './attacks/figures.ts';
import type {
  FloodFigures,
  FloodOrder,
  Habit,
  LightClient,
  LightFigures,
  LightOrder,
  Target,
  TokensOrder,
  TokensReport,
} from './attacks/orders.ts';
import { attackerAddress, DURATION, SCENES, type Scene, type SignIn, warmUp } from './attacks/scenes.ts';
import { NODE_FLAGS, SERVE_READY } from './requests/servers.ts';
import { type Block, leaveServerCore, machineCpu, PROBED, ServerProcess } from './server-process.ts';

/** What is measured. */
export interface AttackOptions {
  /** Names of scenes. */
  readonly only: readonly string[];
  /** Whether floods are short. */
  readonly isQuick: boolean;
}

/** Milliseconds between two requests of a light client, unless a scene says otherwise. */
const INTERVAL = 50;

/** Times in milliseconds. Before the scene, the server has answered for a while, and has compiled what it runs often. */
const WARM_UP = 3_000;
const BEFORE = 1_000;
const AFTER = 1_000;
/** For answers after the floods: longer than any request may take. */
const REST = 90_000;

/** The light clients, which measure, wait for nobody else on their core. Below 0 needs rights that not everybody has. */
const NICENESS = { measured: -10, api: 5, attackers: 10 } as const;

const MICROSECONDS = 1_000;

/** Microseconds of a block without those for which the process had no core. */
const ownTime = ({ from, to, waited }: Block): number => to - from - waited;

const ADMINISTRATOR = `Basic ${Buffer.from('admin:sandbox').toString('base64')}`;

/** Runs the scenes, each with a fresh server that has the limits of a server without configuration. */
export async function benchAttacks(options: AttackOptions): Promise<readonly SceneFigures[]> {
  leaveServerCore();
  await using api = await startClient('upstream', NICENESS.api, /ready (\S+) (\S+)\n/);
  const found: SceneFigures[] = [];
  for (const scene of SCENES.filter(({ name }) => options.only.includes(name))) {
    console.log(`${scene.name}: ${scene.title}`);
    found.push(await play(scene, api, options));
  }
  return found;
}

async function play(scene: Scene, api: ServerProcess, { isQuick }: AttackOptions): Promise<SceneFigures> {
  const [upstream = '', tokenHeader = ''] = api.ready;
  await using server = await ServerProcess.start({
    args: [...PROBED, ...NODE_FLAGS, 'dist/cli/main.js', 'serve', ...['--port', '0', '--upstream', upstream]],
    env: { UPSTREAM_AUTHORIZATION: ADMINISTRATOR },
    ready: SERVE_READY,
    isMeasured: true,
    // As on a machine without the clients. On one core, the garbage collector's own threads would keep the main thread waiting.
    hasAllCores: true,
    niceness: NICENESS.measured,
  });
  await using lightProcess = await startClient('light-clients', NICENESS.measured, /ready/);
  await using floodProcess = await startClient('attackers', NICENESS.attackers, /ready/);
  const target: Target = { url: server.ready[0] ?? '', tokenHeader };
  const tell = async (order: LightOrder) => (await lightProcess.exchange(order)) as LightFigures;

  const signIn: SignIn = async (tokens, habit: Habit = {}) => {
    const order: TokensOrder = { tokens, habit };
    return ((await api.exchange(order)) as TokensReport).tokens;
  };
  const floods = await scene.floods(signIn, isQuick);
  const clients = [...(await lightClients(scene, signIn)), ...((await scene.crowd?.(signIn)) ?? [])];
  await tell({ order: 'start', clients, ...target });
  await floodProcess.exchange({
    floods: await warmUp(signIn),
    duration: WARM_UP,
    rest: REST,
    ...target,
  } satisfies FloodOrder);
  await pause(BEFORE);

  const rss = server.rss();
  await server.startRecording();
  await tell({ order: 'measure' });
  await pause(BEFORE);
  const loading = [api, lightProcess, floodProcess];
  const read = () => ({
    at: performance.now(),
    server: server.cpu(),
    load: loading.reduce((sum, one) => sum + one.cpu(), 0),
    waited: server.waited(),
    machine: machineCpu(),
  });
  const from = read();
  const duration = isQuick ? DURATION.quick : DURATION.full;
  const order: FloodOrder = { floods, duration, rest: REST, ...target };
  const outcomes = floods.length === 0 ? null : ((await floodProcess.exchange(order)) as FloodFigures);
  if (outcomes === null) await pause(duration);
  const to = read();
  await pause(AFTER);
  const light = await tell({ order: 'stop' });
  const blocks = await server.blocks();
  const peakRss = server.peakRss();
  return {
    name: scene.name,
    title: scene.title,
    light,
    floods: outcomes,
    server: {
      longestBlock: Math.max(0, ...blocks.map(ownTime)) / MICROSECONDS,
      rss,
      peakRss,
      cpuShare: (to.server - from.server) / (to.at - from.at),
      waited: to.waited - from.waited,
      foreign: Math.max(0, to.machine - from.machine - (to.server - from.server) - (to.load - from.load)),
      loadShare: (to.load - from.load) / (to.at - from.at),
    },
  };
}

/** Two clients with an address of their own, and two that have the address of the first attacker. */
async function lightClients(
  { query = '{ __typename }', interval = INTERVAL }: Scene,
  signIn: SignIn,
): Promise<readonly LightClient[]> {
  const tokens = await signIn(4);
  const client = (index: number, group: string, address: string): LightClient => ({
    group,
    address,
    token: tokens[index] ?? null,
    over: index % 2 === 0 ? 'HTTP' : 'WebSocket',
    query,
    interval,
  });
  return [
    client(0, 'own address', '198.51.100.1'),
    client(1, 'own address', '198.51.100.2'),
    client(2, SHARED, attackerAddress(1)),
    client(3, SHARED, attackerAddress(1)),
  ];
}

/** Starts one of the programs in `attacks`. Its output is in `.cache`. */
function startClient(name: string, niceness: number, ready: RegExp): Promise<ServerProcess> {
  const args = ['--import', 'tsx', `test/bench/attacks/${name}.ts`];
  return ServerProcess.start({ args, ready, isMeasured: false, niceness, log: `.cache/attacks-${name}.log` });
}
