// Runs commands of the command-line program in this process, for tests of what they print and return.
import { Readable } from 'node:stream';
import { run } from '../../src/cli/run.ts';
import type { ExitResult, RunningProcess } from './running-process.ts';
import { recordOutput } from './secrecy.ts';

/** A command that runs. */
export type StartedCommand = Pick<RunningProcess, 'ended' | 'waitForError'>;

let last: Promise<unknown> = Promise.resolve();

/**
 * Runs `optiongraph …` as `runCli` does, but from its sources and in a fraction of the time. Signals, terminals, commands that serve and
 * the built program itself need a process of their own.
 */
export function runInProcess(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  input: string | null = null,
  onError: (text: string) => void = () => undefined,
): Promise<ExitResult> {
  // One at a time, because the streams belong to the process.
  const result = last.then(() => runWithStreams(args, env, input, onError));
  last = result.catch(() => undefined);
  return result;
}

/** Starts a command as `runInProcess` does, for tests that act while it runs. */
export function startInProcess(...[args, env, input]: Parameters<typeof runInProcess>): StartedCommand {
  let shown = '';
  let wake = (): void => undefined;
  const ended = runInProcess(args, env, input, (text) => {
    shown += text;
    wake();
  });
  return {
    ended,
    async waitForError(pattern) {
      for (let isOver = false; ; ) {
        const match = pattern.exec(shown);
        if (match !== null) return match;
        if (isOver) throw new Error(`ended without ${pattern}: ${shown}`);
        const more = new Promise<void>((resolve) => {
          wake = resolve;
        });
        isOver = await Promise.race([more.then(() => false), ended.then(() => true)]);
      }
    },
  };
}

async function runWithStreams(
  args: readonly string[],
  given: Readonly<Record<string, string>>,
  input: string | null,
  onError: (text: string) => void,
): Promise<ExitResult> {
  const { env, exitCode } = process;
  const stdin = Object.getOwnPropertyDescriptor(process, 'stdin') ?? {};
  const from = Readable.from(input === null ? [] : [input]);
  Object.defineProperty(process, 'stdin', { configurable: true, value: from });
  const output = { stdout: capture('stdout'), stderr: capture('stderr', onError) };
  // Without them, the profiles and descriptions of whoever runs the tests would be used.
  process.env = { XDG_CONFIG_HOME: '/nowhere', XDG_CACHE_HOME: '/dev/null', ...given };
  process.exitCode = undefined;
  try {
    await run(args, process.env);
    return { code: Number(process.exitCode ?? 0), stdout: output.stdout.text, stderr: output.stderr.text };
  } finally {
    for (const { restore } of Object.values(output)) restore();
    Object.defineProperty(process, 'stdin', stdin);
    process.env = env;
    process.exitCode = exitCode;
  }
}

/** Keeps what is written to a stream of this process. */
function capture(name: 'stdout' | 'stderr', onText: (text: string) => void = () => undefined) {
  const stream = process[name];
  const { write } = stream;
  const captured = { text: '', restore: () => void Object.assign(stream, { write }) };
  stream.write = (chunk: string | Uint8Array): boolean => {
    captured.text += chunk;
    recordOutput('the log of the process', String(chunk));
    onText(String(chunk));
    return true;
  };
  return captured;
}
