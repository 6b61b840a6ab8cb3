// Writes log lines.

/** The log for operators. Its lines contain names and counts, never values or credentials. */
export interface Log {
  info(message: string): void;
  warn(message: string): void;
  /** @param cause Logged with its stack. Its text must not contain values of callers. */
  error(message: string, cause?: unknown): void;
}

/** Control characters, which names in a description could use to forge lines. The line breaks of stacks are no match. */
const CONTROL_CHARACTERS = /(?!\n {4}at )\p{Cc}/gu;

/** Makes a log that writes lines, e.g. to standard error. */
export function createLog(write: (line: string) => void): Log {
  const writeLine = (level: string, message: string): void =>
    write(`${new Date().toISOString()} ${level} ${message.replaceAll(CONTROL_CHARACTERS, '�')}\n`);
  return {
    info: (message) => writeLine('info', message),
    warn: (message) => writeLine('warn', message),
    error: (message, cause) =>
      writeLine(
        'error',
        cause === undefined
          ? message
          : `${message}: ${cause instanceof Error ? (cause.stack ?? cause.message) : typeof cause}`,
      ),
  };
}
