// Runs the command-line program in a process of its own.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { recordOutput } from './secrecy.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Environment in which the process takes its standard output for a terminal, and prints the sandbox's credentials there. */
export const ON_TERMINAL = { NODE_OPTIONS: '--import=data:text/javascript,process.stdout.isTTY=true' };

/** Node writes the address of each module that it loads to the standard error. */
const REPORT_LOADS = [
  'export async function load(url, context, next) {',
  '  if (!url.startsWith("node:")) process._rawDebug("loads " + url);',
  '  return next(url, context);',
  '}',
].join('');
const REGISTER = `import { register } from "node:module"; register(${JSON.stringify(`data:text/javascript,${encodeURIComponent(REPORT_LOADS)}`)});`;

/** Environment in which the process reports the modules that it loads, for `loadedFiles`. */
export const REPORTS_LOADS = {
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(REGISTER)}`,
};

/** The modules that a process with `REPORTS_LOADS` has loaded: names of files from `dist` or `node_modules` on, and other addresses. */
export function loadedFiles(stderr: string): readonly string[] {
  const loaded = stderr.match(/(?<=^loads ).*/gm) ?? [];
  return loaded.map((url) => url.replace(/.*\/(?=dist\/|node_modules\/)/, ''));
}

/** The exit code and the output of a process. */
export interface ExitResult {
  /** Null: a signal ended the process. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A running process of the command-line program. */
export interface RunningProcess extends AsyncDisposable {
  /** The output so far. */
  readonly stdout: string;
  readonly stderr: string;
  /** Resolves with the first match of the standard output. Rejects when the process ends without a match. */
  waitForOutput(pattern: RegExp): Promise<RegExpExecArray>;
  signal(signal: NodeJS.Signals): void;
  readonly ended: Promise<ExitResult>;
}

/** Runs `optiongraph …` from the build that `test/setup/e2e.ts` makes. Of the environment it gets only the PATH and what is given. */
export function runCli(args: readonly string[], env: Readonly<Record<string, string>> = {}): RunningProcess {
  const child: ChildProcess = spawn(process.execPath, ['dist/cli/main.js', ...args], {
    cwd: root,
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const text = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream]?.setEncoding('utf8').on('data', (chunk: string) => {
      text[stream] += chunk;
      // A terminal shows the credentials of the sandbox, which are meant for people.
      if (stream === 'stderr' || env !== ON_TERMINAL) recordOutput('the log of the process', chunk);
    });
  }
  const ended = once(child, 'close').then(([code]): ExitResult => ({ code, ...text }));
  return {
    get stdout() {
      return text.stdout;
    },
    get stderr() {
      return text.stderr;
    },
    async waitForOutput(pattern) {
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
