// Runs commands of the command-line program in this process, for tests of what they print and return.
import { Readable } from 'node:stream';
import { run } from '../../src/cli/run.ts';
import type { ExitResult } from './running-process.ts';
import { recordOutput } from './secrecy.ts';

let last: Promise<unknown> = Promise.resolve();

/**
 * Runs `optiongraph …` as `runCli` does, but from its sources and in a fraction of the time. Signals, terminals, commands that serve and
 * the built program itself need a process of their own.
 */
export function runInProcess(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  input: string | null = null,
): Promise<ExitResult> {
  // One at a time, because the streams belong to the process.
  const result = last.then(() => runWithStreams(args, env, input));
  last = result.catch(() => undefined);
  return result;
}

async function runWithStreams(
  args: readonly string[],
  given: Readonly<Record<string, string>>,
  input: string | null,
): Promise<ExitResult> {
  const { env, exitCode } = process;
  const stdin = Object.getOwnPropertyDescriptor(process, 'stdin') ?? {};
  const from = Readable.from(input === null ? [] : [input]);
  Object.defineProperty(process, 'stdin', { configurable: true, value: from });
  const output = { stdout: capture('stdout'), stderr: capture('stderr') };
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
function capture(name: 'stdout' | 'stderr') {
  const stream = process[name];
  const { write } = stream;
  const captured = { text: '', restore: () => void Object.assign(stream, { write }) };
  stream.write = (chunk: string | Uint8Array): boolean => {
    captured.text += chunk;
    recordOutput('the log of the process', String(chunk));
    return true;
  };
  return captured;
}
