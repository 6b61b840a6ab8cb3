// What commands share of the process: its end, signals and memory.
import { setFlagsFromString } from 'node:v8';
import { EXIT_CODES } from '@optiongraph/tools/command-line/exit-codes';
import { complain } from '@optiongraph/tools/command-line/output';

/** Signals that ask the process to stop, with the exit codes that shells use for them. */
const STOP_SIGNALS = [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const;

/** Calls a function at the first signal that asks the process to stop. A second signal ends the process at once. */
export function onStopSignal(end: () => Promise<void>): void {
  let isEnding = false;
  for (const [signal, code] of STOP_SIGNALS)
    process.on(signal, () => {
      if (isEnding) process.exit(code);
      void end();
      isEnding = true;
    });
}

/** Ends the process in a moment, even when something that cannot be cancelled keeps it alive. */
export function endSoon(): void {
  setTimeout(() => process.exit(), 100).unref();
}

/**
 * Ends the process when its output cannot be written: quietly when the reader has gone, as `head` does. What cannot be written to the
 * standard error changes nothing.
 */
export function endWithReader(): void {
  process.stderr.on('error', () => undefined);
  process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') process.exit();
    complain(`The output cannot be written: ${message}.`);
    process.exit(EXIT_CODES.failed);
  });
}

/** Lets the process go on when its output cannot be written, in place of `endWithReader`: it is there for others than its reader. */
export function outliveReader(): void {
  process.stdout.removeAllListeners('error').on('error', () => undefined);
}

/**
 * Lets the heap grow by half before it is collected, instead of to four times its size. Thousands of subscriptions leave little garbage
 * each, but for as long as it stays it is memory that the process holds.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--heap-growing-percent=50');
}
