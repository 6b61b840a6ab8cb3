// Starts the measured servers, and the management API behind them.
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServerProcess } from '../server-process.ts';
import type { StubOrder, StubReport } from '../stub/orders.ts';

/** Below the peers, so that they find their packages. */
const COMPILED = 'test/bench/peers/dist/bench';
const READY = /ready (\S+)\n/;

/** The management API of the benches. */
export class Stub implements AsyncDisposable {
  readonly #process: ServerProcess;

  private constructor(process: ServerProcess) {
    this.#process = process;
  }

  static async start(): Promise<Stub> {
    const program = { args: [`${COMPILED}/stub/main.js`], ready: READY, isMeasured: false };
    return new Stub(await ServerProcess.start(program));
  }

  /** The address of the API. */
  get url(): string {
    return this.#process.ready[0] ?? '';
  }

  /** Sends an order, and resolves with the counts so far. */
  async tell(order: StubOrder = {}): Promise<StubReport> {
    return (await this.#process.exchange(order)) as StubReport;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#process[Symbol.asyncDispose]();
  }
}

/** A file with limits that no bench reaches: they protect from clients that send as much as these. */
const UNLIMITED = join(tmpdir(), 'optiongraph-bench.json');
const limits = Object.fromEntries(
  ['credentialCost', 'addressCost', 'operationsUnderWay'].map((name) => [name, 1_000_000_000_000]),
);
writeFileSync(UNLIMITED, JSON.stringify({ limits }));

/** Flags of node with which deploy/ starts the program. All measured servers have them. */
export const NODE_FLAGS = ['--max-semi-space-size=32', '--v8-pool-size=1'];

/** Arguments of node for the built program in front of a management API. */
const serveArgs = (upstream: string): readonly string[] => [
  ...NODE_FLAGS,
  'dist/cli/main.js',
  'serve',
  ...['--port', '0', '--upstream', upstream],
  ...['--config', UNLIMITED],
];

/** The line in which the built program names its GraphQL endpoint. */
export const SERVE_READY = /GraphiQL in a browser: ([^\s"]+)/;

/** A measured server. */
export interface MeasuredServer {
  readonly name: string;
  /** Starts it in front of a management API. The ready line has the address of its endpoint. */
  readonly start: (upstream: string) => Promise<ServerProcess>;
}

const byHand = (name: string, file: string): MeasuredServer => ({
  name,
  start: (upstream) =>
    ServerProcess.start({
      args: [...NODE_FLAGS, `${COMPILED}/peers/${file}`, upstream],
      ready: READY,
      isMeasured: true,
    }),
});

const optiongraph = (name: string): MeasuredServer => ({
  name,
  start: (upstream) =>
    ServerProcess.start({ args: serveArgs(upstream), ready: SERVE_READY, isMeasured: true }),
});

/** The server that ours is compared with. */
export const REFERENCE = 'mercurius + jit';
export const OURS = 'Optiongraph';
export const RAW = 'raw';

export const SERVERS: readonly MeasuredServer[] = [
  byHand(RAW, 'raw.js'),
  byHand(REFERENCE, 'mercurius.js'),
  byHand('yoga', 'yoga.js'),
  optiongraph(OURS),
];
