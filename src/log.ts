// Writes log lines.
import { hostname } from 'node:os';
import { pid } from 'node:process';
import { pino } from 'pino';
import { maskControls } from './control-characters.ts';

/**
 * Values of a log line by their names: names, numbers and lists of these, never values or credentials of callers. `level`, `time`, `pid`,
 * `hostname` and `msg` are in every line already.
 */
export type LogFields = Readonly<Record<string, unknown>>;

/** The log for operators. Its lines contain names and counts, never values or credentials. */
export interface Log {
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  /** @param cause Logged with its stack. Its text must not contain values of callers. */
  error(message: string, cause?: unknown): void;
}

/** The least important lines that a log writes; `off` writes none. */
export const LOG_LEVELS = ['info', 'warn', 'error', 'off'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Control characters, which names in a description could use to forge lines on a terminal. */
const CONTROL_CHARACTERS = /\p{Cc}/gu;

/**
 * Makes a log that writes each line as one JSON object with a line break, e.g. to standard output.
 * @param common Fields of all lines, besides those of the process.
 */
export function createLog(
  write: (line: string) => void,
  level: LogLevel = 'info',
  common: LogFields = {},
): Log {
  const logger = pino(
    {
      level: level === 'off' ? 'silent' : level,
      base: { pid, hostname: hostname(), ...common },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    // JSON leaves some control characters as they are.
    { write: (line) => write(maskControls(line)) },
  );
  const clean = (message: string): string => message.replaceAll(CONTROL_CHARACTERS, '�');
  return {
    info: (message, fields = {}) => logger.info(fields, clean(message)),
    warn: (message, fields = {}) => logger.warn(fields, clean(message)),
    error: (message, cause) => logger.error(cause === undefined ? {} : describeCause(cause), clean(message)),
  };
}

/** An error without its other properties, which could hold values of callers. */
function describeCause(cause: unknown): LogFields {
  if (!(cause instanceof Error)) return { cause: typeof cause };
  return { cause: `${cause.name}: ${cause.message}`, stack: cause.stack };
}
