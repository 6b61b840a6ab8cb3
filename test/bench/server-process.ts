// A program in a process of its own, on one core where that can be had, and what it uses. Needs Linux, for /proc.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, readdirSync, readFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { killAtExit } from '../helpers/running-process.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const NANOSECONDS = 1_000_000;

/** Milliseconds of work in one turn of the event loop above which it is recorded as a block. */
const RECORDED_BLOCK = 10;

/** Runs in the measured process, and answers each message with what the name in it asks for. */
const PROBE = `import { openSync, readSync } from 'node:fs';
const blocks = [];
const probes = { startRecording() {
    const schedule = openSync('/proc/self/schedstat');
    const text = Buffer.alloc(100);
    const read = () => [
      Number(process.hrtime.bigint()) / 1_000,
      Number(text.toString('latin1', 0, readSync(schedule, text, 0, 100, 0)).split(' ')[1]) / 1_000,
    ];
    let last = read();
    setInterval(() => {
      const next = read();
      const waited = next[1] - last[1];
      if (next[0] - last[0] - waited > ${RECORDED_BLOCK} * 1_000) blocks.push({ from: last[0], to: next[0], waited });
      last = next;
    }, 2).unref();
    return true;
  },
  blocks: () => blocks,
};
process.on('message', (name) => process.send(probes[name]()));
process.channel.unref();`;

/** Arguments of node for a program whose event loop is measured. */
export const PROBED = ['--import', `data:text/javascript,${encodeURIComponent(PROBE)}`];

interface Cores {
  readonly server: string;
  readonly others: string;
  readonly all: string;
}

/** The last core is for the measured server, the others for all that loads it. Null: there is one core, or no taskset. */
const cores = splitCores();

function splitCores(): Cores | null {
  const last = availableParallelism() - 1;
  if (last === 0) return null;
  try {
    execFileSync('taskset', ['--version']);
    return { server: String(last), others: `0-${last - 1}`, all: `0-${last}` };
  } catch {
    return null;
  }
}

/** Keeps this process off the core of the measured servers. */
export function leaveServerCore(): void {
  if (cores !== null) {
    execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', cores.others, String(process.pid)], {
      stdio: 'ignore',
    });
  }
}

/** Processor time that all processes have used since the start of the machine, in milliseconds. */
export function machineCpu(): number {
  return cpus().reduce((sum, { times: { user, nice, sys, irq } }) => sum + user + nice + sys + irq, 0);
}

/** How a program is started. */
export interface Program {
  /** Arguments of node. */
  readonly args: readonly string[];
  /** Matches the line of the standard output that says that the program is ready. */
  readonly ready: RegExp;
  /** Whether the program is measured, and has the core of the servers. */
  readonly isMeasured: boolean;
  /** Whether it may use the others, too. Default: no. */
  readonly hasAllCores?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  /** Its niceness, where this process may set it. Default: 0. */
  readonly niceness?: number;
  /** A file for the whole output. Default: none. */
  readonly log?: string;
}

/** A long turn of the event loop, in microseconds of the clock of `process.hrtime`. */
export interface Block {
  readonly from: number;
  readonly to: number;
  /** What of it the process could have run, and had no core. */
  readonly waited: number;
}

/** A running program. */
export class ServerProcess implements AsyncDisposable {
  /** The groups of the pattern for the ready line. */
  readonly ready: readonly string[];
  readonly #child: ChildProcess;
  /** Rejects when the process ends. */
  readonly #ended: Promise<never>;

  private constructor(child: ChildProcess, ready: readonly string[]) {
    this.#child = child;
    this.ready = ready;
    this.#ended = once(child, 'exit').then(([code, signal]) => {
      throw new Error(`A measured process ended with ${code ?? signal}.`);
    });
    this.#ended.catch(() => undefined);
  }

  /** Starts a program. Resolves when it is ready. @throws Error with its output when it ends before. */
  static async start({
    args,
    ready,
    isMeasured,
    hasAllCores = false,
    env = {},
    niceness = 0,
    log,
  }: Program): Promise<ServerProcess> {
    const place = hasAllCores ? 'all' : isMeasured ? 'server' : 'others';
    const pin = cores === null ? [] : ['taskset', '--cpu-list', cores[place]];
    const nice = niceness === 0 ? [] : ['nice', '-n', String(niceness)];
    const [command = '', ...rest] = [...nice, ...pin, process.execPath, ...args];
    const child = spawn(command, rest, {
      cwd: root,
      env: { PATH: process.env['PATH'], NODE_ENV: 'production', ...env },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    killAtExit(child);
    if (log !== undefined) {
      const file = createWriteStream(log);
      for (const stream of [child.stdout, child.stderr]) stream?.pipe(file, { end: false });
    }
    let output = '';
    const found = new Promise<readonly string[]>((resolve, reject) => {
      let isReady = false;
      const read = (chunk: Buffer): void => {
        if (isReady) return;
        output += String(chunk);
        const match = ready.exec(output);
        isReady = match !== null;
        if (match !== null) resolve(match.slice(1));
      };
      child.stdout?.on('data', read);
      child.stderr?.on('data', read);
      child.once('error', reject);
      child.once('exit', (code) => reject(new Error(`${args.join(' ')} ended with ${code}: ${output}`)));
    });
    return new ServerProcess(child, await found);
  }

  /** CPU time of all threads since the start, in milliseconds. */
  cpu(): number {
    const tasks = readdirSync(`/proc/${this.#child.pid}/task`);
    return tasks.reduce((sum, task) => sum + this.#readSchedule(task, 0), 0);
  }

  /** Time for which the main thread could have run and had no core since the start, in milliseconds. */
  waited(): number {
    return this.#readSchedule(this.#child.pid ?? 0, 1);
  }

  /** Whether the process has ended. */
  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Resident memory, in MiB. */
  rss(): number {
    return this.#readStatus('VmRSS');
  }

  /** The most resident memory since the start, in MiB. */
  peakRss(): number {
    return this.#readStatus('VmHWM');
  }

  /** Records the blocks of the event loop from now on. Needs `PROBED`. */
  async startRecording(): Promise<void> {
    await this.exchange('startRecording');
  }

  async blocks(): Promise<readonly Block[]> {
    return (await this.exchange('blocks')) as readonly Block[];
  }

  /** Sends a message, and resolves with the next one that the program sends. */
  async exchange(message: object | string): Promise<unknown> {
    const answered = new Promise((resolve) => this.#child.once('message', resolve));
    this.#child.send(message);
    return Promise.race([answered, this.#ended]);
  }

  /** A column of the `schedstat` of a thread, in milliseconds. */
  #readSchedule(task: number | string, column: 0 | 1): number {
    const text = readFileSync(`/proc/${this.#child.pid}/task/${task}/schedstat`, 'utf8');
    return Number(text.split(' ')[column]) / NANOSECONDS;
  }

  /** A size in the status of the process, in MiB. */
  #readStatus(name: string): number {
    const status = readFileSync(`/proc/${this.#child.pid}/status`, 'utf8');
    const [, kibibytes = '0'] = new RegExp(`${name}:\\s+(\\d+)`).exec(status) ?? [];
    return Math.round(Number(kibibytes) / 1_024);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.hasEnded) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }
}
