// Opens the log of the program on standard output.
import { pino } from 'pino';
import type { ServeConfig } from '../../config/serve-settings.ts';
import { createLog, type Log } from '../../log/log.ts';

/** Bytes that may wait for a slow reader of the log. Further lines are dropped, because they must not fill the memory. */
const MAX_WAITING = 16 * 1024 * 1024;

/**
 * Bytes after which lines are written, and milliseconds after which fewer are. A write wakes another thread, which costs more than to
 * make a line. A pipe takes twice as many bytes at once.
 */
const WRITE_SIZE = 32_768;
const WRITE_INTERVAL = 100;

/** The log of the program. */
export interface OpenLog {
  readonly log: Log;
  /** Whether people read it on a terminal. */
  readonly isForPeople: boolean;
}

/** Opens the log. It never waits for its reader, and its lines are complete when the process exits. */
export async function openLog({ level, format }: ServeConfig['log']): Promise<OpenLog> {
  const isPretty = format === 'pretty' || (format === 'auto' && process.stdout.isTTY);
  const isForPeople = isPretty && process.stdout.isTTY;
  if (!isPretty) return { log: openJsonLog(level), isForPeople };
  const { default: pretty } = await import('pino-pretty');
  const stream = pretty({
    ignore: 'pid,hostname',
    singleLine: true,
    sync: true,
    translateTime: 'SYS:HH:MM:ss',
  });
  return { log: createLog((line) => void stream.write(line), level), isForPeople };
}

function openJsonLog(level: ServeConfig['log']['level']): Log {
  const output = pino.destination({
    sync: false,
    minLength: WRITE_SIZE,
    maxWrite: 2 * WRITE_SIZE,
    // As a text, all that waits would be copied and measured again for each line.
    contentMode: 'buffer',
    periodicFlush: WRITE_INTERVAL,
    maxLength: MAX_WAITING,
  });
  // The stream takes buffers, which its type does not say.
  const bytes = output as unknown as { write(line: Buffer): boolean };
  const log = createLog((line) => void bytes.write(Buffer.from(line)), level);
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
