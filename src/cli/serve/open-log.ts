// Opens the log of the program on standard output.
import type { ServeConfig } from '../../config/serve-settings.ts';
import { createLog, type Log } from '../../log.ts';
import { LineWriter } from './line-writer.ts';
import { layOutLine } from './pretty-line.ts';

/** The log of the program. */
export interface OpenLog {
  readonly log: Log;
  /** Whether people read it on a terminal. */
  readonly isForPeople: boolean;
}

/**
 * Opens the log. It never waits for its reader, and goes on without one. Its lines are complete when the process exits, unless they
 * cannot be written.
 * @param onLoss Called for each line that is lost.
 */
export function openLog(
  { log: { level, format } }: Pick<ServeConfig, 'log'>,
  onLoss: () => void = () => undefined,
): OpenLog {
  const { stdout } = process;
  const isPretty = format === 'pretty' || (format === 'auto' && stdout.isTTY);
  const hasColors = stdout.isTTY && stdout.hasColors();
  const layOut = isPretty ? (line: string) => layOutLine(line, hasColors) : (line: string) => line;
  if (stdout.isTTY)
    return {
      // At once, so that what the program prints stands between the right lines.
      log: createLog((line) => void stdout.write(layOut(line)), level),
      isForPeople: isPretty,
    };
  const writer = new LineWriter(stdout.fd, onLoss);
  return { log: createLog((line) => writer.write(layOut(line)), level), isForPeople: false };
}
