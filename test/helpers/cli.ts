import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { recordOutput } from './secrecy.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Environment in which the process takes its standard output for a terminal, and prints the sandbox's credentials there. */
export const ON_TERMINAL = { NODE_OPTIONS: '--import=data:text/javascript,process.stdout.isTTY=true' };

/** How a process ended. */
export interface Ended {
  /** Null when a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The command line's process. */
export interface Running extends AsyncDisposable {
  /** What it has written so far. */
  readonly stdout: string;
  readonly stderr: string;
  /** Settles with the match when its standard output has one; rejects when the process ends without. */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
  signal(signal: NodeJS.Signals): void;
  readonly ended: Promise<Ended>;
}

/** Runs `optiongraph …` from source. Of the environment it gets only the PATH and what is given. */
export function runCli(args: readonly string[], env: Readonly<Record<string, string>> = {}): Running {
  const child: ChildProcess = spawn(process.execPath, ['--import', 'tsx', 'src/cli/main.ts', ...args], {
    cwd: root,
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const text = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream]?.setEncoding('utf8').on('data', (chunk: string) => {
      text[stream] += chunk;
      // What it says at its start on standard output are the sandbox's credentials, for people to use.
      if (stream === 'stderr') recordOutput('the log of the process', chunk);
    });
  }
  const ended = once(child, 'close').then(([code]): Ended => ({ code, ...text }));
  return {
    get stdout() {
      return text.stdout;
    },
    get stderr() {
      return text.stderr;
    },
    async printed(pattern) {
      for (;;) {
        const match = pattern.exec(text.stdout);
        if (match !== null) return match;
        const more = child.stdout === null ? ended : once(child.stdout, 'data').then(() => null);
        const end = await Promise.race([more, ended]);
        if (end !== null && !pattern.test(text.stdout)) {
          throw new Error(`ended with ${end.code} and without ${pattern}: ${end.stdout}${end.stderr}`);
        }
      }
    },
    signal: (signal) => void child.kill(signal),
    ended,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
