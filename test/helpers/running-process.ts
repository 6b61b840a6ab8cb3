// Runs Node programs in processes of their own, which end with this one.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The exit code and the output of a process. */
export interface ExitResult {
  /** Null: a signal ended the process. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A running process of a program. */
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

/** How a program runs. */
export interface RunOptions {
  /** Folder below the root of the repository; default: the root. */
  readonly folder?: string;
  /** Variables besides the PATH. Default: none. */
  readonly env?: Readonly<Record<string, string>>;
  /** Standard input. Default: null, none. */
  readonly input?: string | null;
  /** Files that take the standard output and the standard error. Default: these are kept. */
  readonly output?: number;
  readonly error?: number;
  /** Called with each part of the output. */
  readonly onOutput?: (stream: 'stdout' | 'stderr', chunk: string) => void;
}

/** Runs `node` with arguments. */
export function runNode(
  args: readonly string[],
  { folder = '', env = {}, input = null, output, error, onOutput = () => undefined }: RunOptions = {},
): RunningProcess {
  const child: ChildProcess = spawn(process.execPath, args, {
    cwd: ROOT + folder,
    env: { PATH: process.env['PATH'], ...env },
    stdio: [input === null ? 'ignore' : 'pipe', output ?? 'pipe', error ?? 'pipe'],
  });
  child.stdin?.end(input);
  const text = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream]?.setEncoding('utf8').on('data', (chunk: string) => {
      text[stream] += chunk;
      onOutput(stream, chunk);
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

/** Kills a process when this one exits, however that happens. */
export function killAtExit(child: ChildProcess): void {
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.removeListener('exit', kill));
}
