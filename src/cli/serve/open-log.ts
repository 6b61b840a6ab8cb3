// Opens the log of the program on standard output.
import { write, writeSync } from 'node:fs';
import { styleText } from 'node:util';
import type { ServeConfig } from '../../config/serve-settings.ts';
import { createLog } from '../../log.ts';

/** The log of the program, and whether people read it on a terminal. */
export type OpenLog = ReturnType<typeof openLog>;

/**
 * Opens the log. It never waits for its reader, and goes on without one. Its lines are complete when the process exits, unless they
 * cannot be written.
 * @param onLoss Called for each line that is lost.
 */
export function openLog({ log: { level } }: ServeConfig, onLoss: () => void) {
  const { stdout } = process;
  if (!stdout.isTTY)
    return { log: createLog(createLineWriter(stdout.fd, onLoss), level), isForPeople: false };
  // At once, so that what the program prints stands between the right lines.
  const write = (line: string): void => void stdout.write(layOutLine(line, stdout.hasColors()));
  return { log: createLog(write, level), isForPeople: true };
}

const COLORS = { info: 'green', warn: 'yellow', error: 'red' } as const;

/**
 * Makes `[12:30:00] WARN: message {"field":1}` of a line of JSON, in local time, and puts a stack on lines below it.
 * @param line A line of `createLog`, in which nothing controls a terminal.
 */
export function layOutLine(line: string, hasColors: boolean): string {
  const { level, time, msg, stack, pid, hostname, ...fields } = JSON.parse(line);
  const name = String(level).toUpperCase();
  const color = COLORS[level as keyof typeof COLORS];
  const clock = new Date(time).toTimeString().slice(0, 8);
  const shown = Object.keys(fields).length === 0 ? '' : ` ${JSON.stringify(fields)}`;
  const below = typeof stack === 'string' ? `\n${stack.replace(/^/gm, '    ')}` : '';
  return `[${clock}] ${hasColors ? styleText(color, name, { validateStream: false }) : name}: ${msg}${shown}${below}\n`;
}

/** Characters that may wait. Further lines are lost, because they must not fill the memory. */
const MAX_WAITING = 16 * 1024 * 1024;
/** Milliseconds for which lines are collected, because each write wakes another thread, and after which a failed write is tried again. */
const INTERVAL = 100;
/** How often the last lines are tried, with pauses in milliseconds, when the process ends and their reader takes nothing. */
const LAST_TRIES = { count: 20, pause: 50 };

/**
 * Returns a function that writes a line soon. Lines that cannot be written wait, at the exit of the process for a second. The destination of
 * pino waits without end when it is flushed at the exit and its reader has gone.
 */
function createLineWriter(file: number, onLoss: () => void): (line: string) => void {
  let lines = '';
  /** What is being written, or has been written in part. */
  let bytes = Buffer.of();
  /** Whether a write is due or under way. */
  let isBusy = false;
  let isWriting = false;
  const addLines = (): void => {
    bytes = Buffer.concat([bytes, Buffer.from(lines)]);
    lines = '';
  };
  const writeIn = (delay: number): void => {
    if (isBusy) return;
    isBusy = true;
    setTimeout(writeNext, delay).unref();
  };
  const writeNext = (): void => {
    addLines();
    isWriting = true;
    write(file, bytes, (error, written) => {
      isWriting = false;
      isBusy = false;
      if (error === null) bytes = bytes.subarray(written);
      if (bytes.length > 0) writeIn(error === null ? 0 : INTERVAL);
      else if (lines !== '') writeIn(INTERVAL);
    });
  };
  process.on('exit', () => {
    // Another thread still writes these.
    if (isWriting) bytes = Buffer.of();
    addLines();
    for (let tries = 0; bytes.length > 0 && tries < LAST_TRIES.count; tries += 1)
      try {
        bytes = bytes.subarray(writeSync(file, bytes));
        tries = 0;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LAST_TRIES.pause);
      }
  });
  return (line) => {
    if (bytes.length + lines.length > MAX_WAITING) {
      onLoss();
      return;
    }
    lines += line;
    writeIn(INTERVAL);
  };
}
