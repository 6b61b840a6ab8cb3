// A program in a process of its own, on one core where that can be had, and what it uses. Needs Linux, for /proc.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const NANOSECONDS = 1_000_000;

/** The last core is for the measured server, the others for all that loads it. Null: there is one core, or no taskset. */
const cores = splitCores();

function splitCores(): { readonly server: string; readonly others: string } | null {
  const last = availableParallelism() - 1;
  if (last === 0) return null;
  try {
    execFileSync('taskset', ['--version']);
    return { server: String(last), others: `0-${last - 1}` };
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

/** How a program is started. */
export interface Program {
  /** Arguments of node. */
  readonly args: readonly string[];
  /** Matches the line of the standard output that says that the program is ready. */
  readonly ready: RegExp;
  /** Whether the program is measured, and has the core of the servers. */
  readonly isMeasured: boolean;
  readonly env?: Readonly<Record<string, string>>;
}

/** A running program. */
export class ServerProcess implements AsyncDisposable {
  /** The groups of the pattern for the ready line. */
  readonly ready: readonly string[];
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, ready: readonly string[]) {
    this.#child = child;
    this.ready = ready;
  }

  /** Starts a program. Resolves when it is ready. @throws Error with its output when it ends before. */
  static async start({ args, ready, isMeasured, env = {} }: Program): Promise<ServerProcess> {
    const pin = cores === null ? [] : ['taskset', '--cpu-list', isMeasured ? cores.server : cores.others];
    const [command = '', ...rest] = [...pin, process.execPath, ...args];
    const child = spawn(command, rest, {
      cwd: root,
      env: { PATH: process.env['PATH'], NODE_ENV: 'production', ...env },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    const kill = (): void => void child.kill('SIGKILL');
    process.once('exit', kill);
    child.once('exit', () => process.removeListener('exit', kill));
    let output = '';
    const found = new Promise<readonly string[]>((resolve, reject) => {
      const read = (chunk: Buffer): void => {
        output += String(chunk);
        const match = ready.exec(output);
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
    const tasks = `/proc/${this.#child.pid}/task`;
    const times = readdirSync(tasks).map((task) => {
      const [ran = '0'] = readFileSync(`${tasks}/${task}/schedstat`, 'utf8').split(' ');
      return Number(ran) / NANOSECONDS;
    });
    return times.reduce((sum, time) => sum + time, 0);
  }

  /** Resident memory, in MiB. */
  rss(): number {
    const status = readFileSync(`/proc/${this.#child.pid}/status`, 'utf8');
    const [, kibibytes = '0'] = /VmRSS:\s+(\d+)/.exec(status) ?? [];
    return Math.round(Number(kibibytes) / 1_024);
  }

  /** Sends a message, and resolves with the next one that the program sends. */
  async exchange(message: object): Promise<unknown> {
    const answered = once(this.#child, 'message');
    this.#child.send(message);
    const [answer] = await answered;
    return answer;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }
}
