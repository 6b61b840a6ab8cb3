// The built facade in a process of its own, and what it holds.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Runs in the process of the facade. Answers each message with what is left after a garbage collection. */
const PROBE = `process.on('message', () => {
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  process.send({ heap: heapUsed + external, resources: process.getActiveResourcesInfo() });
});
process.channel.unref();`;

const MIB = 1_048_576;

/** What the process held at one moment. */
export interface Sample {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Resident memory, in MiB. */
  readonly rss: number;
  /** Open descriptors of files and sockets. */
  readonly descriptors: number;
}

/** What the process holds after a garbage collection. */
export interface Holding extends Sample {
  /** Used memory of the heap and of buffers, in MiB. */
  readonly heap: number;
  /** Timers that keep the process running. */
  readonly timers: number;
  /** Sockets, without those that listen. */
  readonly sockets: number;
}

/** A running facade. */
export class FacadeProcess {
  /** Samples in the order of time. */
  readonly samples: Sample[] = [];
  /** Whether the process has ended. */
  hasEnded = false;
  /** Resolves when the process has ended. */
  readonly ended: Promise<void>;
  /** The GraphQL endpoint. */
  url = '';
  readonly #child: ChildProcess;

  /** @param log The file for the log of the facade. */
  constructor(upstream: string, authorization: string, log: string) {
    const probe = `data:text/javascript,${encodeURIComponent(PROBE)}`;
    const flags = ['--expose-gc', '--import', probe];
    const args = ['dist/cli/main.js', 'serve', '--port', '0', '--upstream', upstream];
    this.#child = spawn(process.execPath, [...flags, ...args], {
      cwd: root,
      env: { PATH: process.env['PATH'], UPSTREAM_AUTHORIZATION: authorization },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    const file = createWriteStream(log);
    this.#child.stdout?.pipe(file, { end: false });
    this.#child.stderr?.pipe(file, { end: false });
    process.once('exit', () => this.#child.kill('SIGKILL'));
    this.ended = once(this.#child, 'exit').then(() => {
      this.hasEnded = true;
    });
  }

  /** Resolves when the facade serves. @throws Error when the process ends before. */
  async untilReady(): Promise<void> {
    let text = '';
    await new Promise<void>((resolve, reject) => {
      const read = (part: Buffer): void => {
        text += String(part);
        const [, url] = /GraphiQL in a browser: ([^\s"]+)/.exec(text) ?? [];
        if (url === undefined) return;
        this.#child.stdout?.off('data', read);
        this.url = url;
        resolve();
      };
      this.#child.stdout?.on('data', read);
      void this.ended.then(() => reject(new Error('The facade ended before it served; see its log.')));
    });
  }

  reload(): void {
    this.#child.kill('SIGHUP');
  }

  sample(): Sample {
    const folder = `/proc/${this.#child.pid}`;
    const [, kibibytes = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`${folder}/status`, 'utf8')) ?? [];
    const rss = Math.round(Number(kibibytes) / 1_024);
    const sample = { at: Date.now(), rss, descriptors: readdirSync(`${folder}/fd`).length };
    this.samples.push(sample);
    return sample;
  }

  async hold(): Promise<Holding> {
    this.#child.send({});
    const [{ heap, resources }] = (await once(this.#child, 'message')) as [
      { readonly heap: number; readonly resources: readonly string[] },
    ];
    const count = (...kinds: string[]): number => resources.filter((kind) => kinds.includes(kind)).length;
    return {
      ...this.sample(),
      heap: Math.round(heap / MIB),
      timers: count('Timeout', 'Immediate'),
      sockets: count('TCPSocketWrap', 'TLSWrap'),
    };
  }

  /** Stops the process. Returns its exit code; null when it had to be killed after 10 seconds. */
  async stop(): Promise<number | null> {
    if (this.hasEnded) return this.#child.exitCode;
    const kill = setTimeout(() => this.#child.kill('SIGKILL'), 10_000);
    this.#child.kill('SIGTERM');
    const [code] = (await once(this.#child, 'exit')) as [number | null];
    clearTimeout(kill);
    return code;
  }
}
