// What commands share: output and signals.

/** Prints a line to standard output. */
export const print = (text: string): void => void process.stdout.write(`${text}\n`);

/** Calls a function at the first signal that asks the process to stop. */
export function onStopSignal(end: () => Promise<void>): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void end());
}
