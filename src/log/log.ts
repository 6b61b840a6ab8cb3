/** Where the facade writes what operators should know. Lines hold names and counts, never values or credentials. */
export interface Log {
  info(message: string): void;
  warn(message: string): void;
  /** @param cause Written with its stack; it must be the facade's own fault, whose text holds no caller's values. */
  error(message: string, cause?: unknown): void;
}

/** What could begin a line of its own or steer a terminal: names in a description are the upstream's. Stacks keep their lines. */
const CONTROL = /(?!\n {4}at )\p{Cc}/gu;

/** Writes lines to a stream, e.g. the process's standard error. */
export function createLog(write: (line: string) => void): Log {
  const line = (level: string, message: string): void =>
    write(`${new Date().toISOString()} ${level} ${message.replaceAll(CONTROL, '�')}\n`);
  return {
    info: (message) => line('info', message),
    warn: (message) => line('warn', message),
    error: (message, cause) =>
      line(
        'error',
        cause === undefined
          ? message
          : `${message}: ${cause instanceof Error ? (cause.stack ?? cause.message) : typeof cause}`,
      ),
  };
}
