// What commands share: output and signals.

/** Prints a line to standard output. */
export const print = (text: string): void => void process.stdout.write(`${text}\n`);

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
      isEnding = true;
      void end();
    });
}

/** Ends the process in a moment, even when something that cannot be cancelled keeps it alive. */
export function endSoon(): void {
  setTimeout(() => process.exit(), 100).unref();
}

/** Ends the process quietly when the reader of its output has gone, as `head` does. */
export function endWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });
}
