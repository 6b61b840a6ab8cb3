// Opens the log of the program on standard output.
import type { ServeConfig } from '../../config/serve-settings.ts';
import { createLog, type Log } from '../../telemetry/log.ts';
import { LineWriter } from './line-writer.ts';
import { layOutLine } from './pretty-line.ts';

/** Bytes after which lines are written at once. A pipe takes twice as many. */
export const WRITE_SIZE = 32_768;

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
 */
export function openLog(
  { log: { level, format } }: Pick<ServeConfig, 'log'>,
  onLoss: (lines: number) => void = () => undefined,
): OpenLog {
  const isPretty = format === 'pretty' || (format === 'auto' && process.stdout.isTTY);
  const hasColors = process.stdout.isTTY && process.stdout.hasColors();
  const layOut = isPretty ? (line: string) => layOutLine(line, hasColors) : (line: string) => line;
  const writer = new LineWriter(process.stdout.fd, {
    size: WRITE_SIZE,
    onLoss,
    onRecovery: (lines) =>
      log.warn('log lines were lost, because they could not be written', { event: 'log_drop', lines }),
  });
  const log = createLog((line) => writer.write(layOut(line)), level);
  return { log, isForPeople: isPretty && process.stdout.isTTY };
}
