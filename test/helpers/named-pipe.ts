// A named pipe, whose reader can go.
import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from './folder.ts';

/** A pipe that a process writes to. */
export interface NamedPipe extends Disposable {
  /** For the standard output of a process. */
  readonly writeEnd: number;
  /** Reads what is there. */
  read(): string;
  /** Closes the reading end, so that writes fail with EPIPE. */
  close(): void;
}

/** Makes a pipe with both ends open. */
export function makeNamedPipe(): NamedPipe {
  const folder = makeFolder();
  const path = join(folder.path, 'pipe');
  execFileSync('mkfifo', [path]);
  let readEnd: number | null = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const writeEnd = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
  const buffer = Buffer.alloc(1 << 20);
  const close = (): void => {
    if (readEnd !== null) closeSync(readEnd);
    readEnd = null;
  };
  return {
    writeEnd,
    read() {
      if (readEnd === null) return '';
      try {
        return buffer.toString('utf8', 0, readSync(readEnd, buffer));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
        return '';
      }
    },
    close,
    [Symbol.dispose]() {
      close();
      closeSync(writeEnd);
      folder[Symbol.dispose]();
    },
  };
}
