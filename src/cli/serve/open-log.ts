// Opens the log of the program on standard output.
import { pino } from 'pino';
import type { ServeConfig } from '../../config/serve-settings.ts';
import { createLog, type Log, type LogFields, type LogLevel } from '../../telemetry/log.ts';

/** Bytes that may wait for a slow reader of the log. Further lines are dropped, because they must not fill the memory. */
const MAX_WAITING = 16 * 1024 * 1024;

/**
 * Bytes after which lines are written, and milliseconds after which fewer are. A write wakes another thread, which costs more than to
 * make a line. A pipe takes twice as many bytes at once.
 */
const WRITE_SIZE = 32_768;
const WRITE_INTERVAL = 100;
/** The same for one of several processes: a pipe does not mix a write of twice as many bytes with those of another process (PIPE_BUF). */
const UNMIXED_WRITE_SIZE = 2_048;

/** The log of the program. */
export interface OpenLog {
  readonly log: Log;
  /** Whether people read it on a terminal. */
  readonly isForPeople: boolean;
}

/**
 * Opens the log. It never waits for its reader, and its lines are complete when the process exits.
 * @param worker The number of this worker, which all its lines have; null for none.
 */
export async function openLog(
  { log: { level, format }, workers }: Pick<ServeConfig, 'log' | 'workers'>,
  worker: number | null = null,
): Promise<OpenLog> {
  const isPretty = format === 'pretty' || (format === 'auto' && process.stdout.isTTY);
  const isForPeople = isPretty && process.stdout.isTTY;
  const common = worker === null ? {} : { worker };
  if (!isPretty) return { log: openJsonLog(level, workers, common), isForPeople };
  const { default: pretty } = await import('pino-pretty');
  const stream = pretty({
    ignore: 'pid,hostname',
    singleLine: true,
    sync: true,
    translateTime: 'SYS:HH:MM:ss',
  });
  return { log: createLog((line) => void stream.write(line), level, common), isForPeople };
}

function openJsonLog(level: LogLevel, workers: number, common: LogFields): Log {
  const size = workers === 1 ? WRITE_SIZE : UNMIXED_WRITE_SIZE;
  const output = pino.destination({
    sync: false,
    minLength: size,
    maxWrite: 2 * size,
    // As a text, all that waits would be copied and measured again for each line.
    contentMode: 'buffer',
    periodicFlush: WRITE_INTERVAL,
    maxLength: MAX_WAITING,
  });
  // The stream takes buffers, which its type does not say.
  const bytes = output as unknown as { write(line: Buffer): boolean };
  const log = createLog((line) => void bytes.write(Buffer.from(line)), level, common);
  let dropped = 0;
  output.on('drop', () => {
    dropped += 1;
  });
  output.on('drain', () => {
    if (dropped === 0) return;
    log.warn('log lines were dropped, because nobody read them', { event: 'log_drop', lines: dropped });
    dropped = 0;
  });
  return log;
}
