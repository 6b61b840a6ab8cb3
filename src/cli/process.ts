// What commands share of the process: its end, signals, memory and the socket that systemd passes.
import { setFlagsFromString } from 'node:v8';
import { EXIT_CODES } from '@optiongraph/tools/command-line/exit-codes';
import { complain } from '@optiongraph/tools/command-line/output';
import { ConfigError } from '../config/config-error.ts';
import type { Environment } from '../config/variables.ts';

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

/** The first file descriptor that systemd passes (sd_listen_fds). */
const FIRST_PASSED = 3;

/**
 * The number of the socket that systemd has opened for this process; null without socket activation.
 * @throws ConfigError when there is more than one.
 */
export function passedSocket({ LISTEN_PID, LISTEN_FDS }: Environment = process.env): number | null {
  if (LISTEN_PID !== String(process.pid) || LISTEN_FDS === undefined || LISTEN_FDS === '0') return null;
  if (LISTEN_FDS !== '1')
    throw new ConfigError(
      `Systemd passes ${LISTEN_FDS} sockets; leave one ListenStream= in the socket unit.`,
    );
  return FIRST_PASSED;
}
