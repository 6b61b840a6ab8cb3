// Opens the log of the program on standard output.
import type { ServeConfig } from '../../config/serve-settings.ts';
import { createLog, type Log } from '../../telemetry/log.ts';
import { LineWriter } from './line-writer.ts';
import { layOutLine } from './pretty-line.ts';

/** Bytes after which lines are written at once. A pipe takes twice as many. */
export const WRITE_SIZE = 32_768;
/** The same for one of several processes: a pipe does not mix a write of twice as many bytes with those of another process (PIPE_BUF). */
export const UNMIXED_WRITE_SIZE = 2_048;

/** The log of the program. */
export interface OpenLog {
  readonly log: Log;
  /** Whether people read it on a terminal. */
  readonly isForPeople: boolean;
}

/**
 * Opens the log. It never waits for its reader, and goes on without one. Its lines are complete when the process exits, unless they
 * cannot be written.
 * @param onLoss Called when lines are lost, with their number.
 * @param worker The number of this worker, which all its lines have; null for none.
 */
export function openLog(
  { log: { level, format }, workers }: Pick<ServeConfig, 'log' | 'workers'>,
  onLoss: (lines: number) => void = () => undefined,
  worker: number | null = null,
): OpenLog {
  const isPretty = format === 'pretty' || (format === 'auto' && process.stdout.isTTY);
  const hasColors = process.stdout.isTTY && process.stdout.hasColors();
  const layOut = isPretty ? (line: string) => layOutLine(line, hasColors) : (line: string) => line;
  const writer = new LineWriter(process.stdout.fd, {
    size: workers === 1 ? WRITE_SIZE : UNMIXED_WRITE_SIZE,
    onLoss,
    onRecovery: (lines) =>
      log.warn('log lines were lost, because they could not be written', { event: 'log_drop', lines }),
  });
  const common = worker === null ? {} : { worker };
  const log = createLog((line) => writer.write(layOut(line)), level, common);
  return { log, isForPeople: isPretty && process.stdout.isTTY };
}
