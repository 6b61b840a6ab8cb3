// Shares a facade over a sandbox, and a browser of it, among the tests of a file.
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { listenSandbox, type SandboxOptions } from '../../packages/sandbox/src/listen-sandbox.ts';
import { type RunningServer, startServer } from '../../src/server/server.ts';
import { openBrowser } from './browser.ts';
import { type Pair, type PairOptions, pairOf, startPair } from './facade.ts';

/** A pair that listens at an address. */
export interface SharedPair extends Pair {
  readonly url: string;
  /** Replaces the sandbox by a new one at its address. Default: with the options of the pair. */
  renew(options?: SandboxOptions): Promise<void>;
}

/** Starts both before the tests of a file or group, and forgets the calls of the sandbox before each. */
export function sharePair(options: PairOptions = {}): SharedPair {
  const shared = {} as SharedPair;
  shared.renew = async (sandbox = options.sandbox) => {
    const { port } = new URL(shared.sandbox.url);
    await shared.sandbox.close();
    // The facade sees that its connections have ended.
    for (let turn = 0; turn < 2; turn += 1) await setImmediate();
    const renewed = await listenSandbox({ ...sandbox, port: Number(port) });
    Object.assign(shared, pairOf(shared.facade, renewed));
  };
  let server: RunningServer;
  beforeAll(async () => {
    const pair = await startPair(options);
    server = await startServer(pair.facade, { host: '127.0.0.1', port: 0 });
    Object.assign(shared, pair, { url: server.url });
  });
  beforeEach(() => {
    shared.calls.length = 0;
  });
  afterAll(async () => {
    await server.close();
    await shared[Symbol.asyncDispose]();
  });
  return shared;
}

/** Like `sharePair`, but gives each test a new sandbox: starting one takes a twentieth of the time of a facade. */
export function renewPair(options: PairOptions = {}): SharedPair {
  const shared = sharePair(options);
  beforeEach(() => shared.renew());
  return shared;
}

type Browser = Awaited<ReturnType<typeof openBrowser>>;

/** Opens a browser before the tests of a file or group. Before each, it has no cookies. */
export function shareBrowser(...given: Parameters<typeof openBrowser>): Browser {
  const shared = {} as Browser;
  beforeAll(async () => void Object.assign(shared, await openBrowser(...given)));
  beforeEach(() => {
    shared.jar.clear();
    shared.pair.calls.length = 0;
  });
  afterAll(() => shared[Symbol.asyncDispose]());
  return shared;
}
