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

/** Matches the line with the address of GraphQL, and captures the address. */
export const ADDRESS = /GraphQL, and GraphiQL in a browser: ([^\s"]+)/;

/** Parses an output of one JSON value a line. */
export const readJsonLines = (output: string) =>
  output
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

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
  /** The same for the standard error. */
  waitForError(pattern: RegExp): Promise<RegExpExecArray>;
  signal(signal: NodeJS.Signals): void;
  readonly ended: Promise<ExitResult>;
}

/**
 * Runs `optiongraph …` from the build that `test/setup/e2e.ts` makes. Of the environment it gets only the PATH and what is given.
 * @param input Standard input; by default, there is none.
 */
export function runCli(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  input: string | null = null,
): RunningProcess {
  const child: ChildProcess = spawn(process.execPath, ['dist/cli/main.js', ...args], {
    cwd: root,
    // Without it, the profiles of whoever runs the tests would be used.
    env: { PATH: process.env['PATH'], XDG_CONFIG_HOME: '/nowhere', ...env },
    stdio: [input === null ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  child.stdin?.end(input);
  const text = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream]?.setEncoding('utf8').on('data', (chunk: string) => {
      text[stream] += chunk;
      // A terminal shows the credentials of the sandbox, which are meant for people.
      if (stream === 'stderr' || env !== ON_TERMINAL) recordOutput('the log of the process', chunk);
    });
  }
  const ended = once(child, 'close').then(([code]): ExitResult => ({ code, ...text }));
  async function waitFor(name: keyof typeof text, pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const match = pattern.exec(text[name]);
      if (match !== null) return match;
      const stream = child[name];
      const more = stream === null ? ended : once(stream, 'data').then(() => null);
      const end = await Promise.race([more, ended]);
      if (end !== null && !pattern.test(text[name])) {
        throw new Error(`ended with ${end.code} and without ${pattern}: ${end.stdout}${end.stderr}`);
      }
    }
  }
  return {
    get stdout() {
      return text.stdout;
    },
    get stderr() {
      return text.stderr;
    },
    waitForOutput: (pattern) => waitFor('stdout', pattern),
    waitForError: (pattern) => waitFor('stderr', pattern),
    signal: (signal) => void child.kill(signal),
    ended,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
