// Writes log lines.
import { hostname } from 'node:os';
import { pid } from 'node:process';
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
 * Makes a log that writes each line as one JSON object with a line break, e.g. to standard output. The lines are those of pino, whose
 * writer takes several times as long, because it writes one field after another.
 * @param common Fields of all lines, besides those of the process.
 */
export function createLog(
  write: (line: string) => void,
  level: LogLevel = 'info',
  common: LogFields = {},
): Log {
  const least = LOG_LEVELS.indexOf(level);
  const origin = toJsonMembers({ pid, hostname: hostname(), ...common });
  const log = (level: LogLevel, message: string, fields: LogFields = {}): void => {
    if (LOG_LEVELS.indexOf(level) < least) return;
    const msg = JSON.stringify(message.replaceAll(CONTROL_CHARACTERS, '�'));
    const time = new Date().toISOString();
    // JSON leaves some control characters as they are.
    write(
      maskControls(`{"level":"${level}","time":"${time}"${origin}${toJsonMembers(fields)},"msg":${msg}}\n`),
    );
  };
  return {
    info: (message, fields) => log('info', message, fields),
    warn: (message, fields) => log('warn', message, fields),
    error: (message, cause) => log('error', message, cause === undefined ? {} : describeCause(cause)),
  };
}

/** The members of an object as JSON, with a comma ahead of each. */
function toJsonMembers(fields: LogFields): string {
  const json = JSON.stringify(fields);
  return json === '{}' ? '' : `,${json.slice(1, -1)}`;
}

/** An error without its other properties, which could hold values of callers. */
function describeCause(cause: unknown): LogFields {
  if (!(cause instanceof Error)) return { cause: typeof cause };
  return { cause: `${cause.name}: ${cause.message}`, stack: cause.stack };
}
