// Reads files that settings and arguments name, without waiting for ever.
import { closeSync, constants, fstatSync, openSync, readFileSync, readSync } from 'node:fs';

/** Milliseconds in which somebody must begin to write to a pipe, and in which the writer must have ended. */
const PIPE_TIMES = { toBegin: 1_000, toEnd: 30_000 };
/** Milliseconds between two looks at a pipe. */
const PIPE_INTERVAL = 20;
/** Bytes of a pipe at most, which may have no end. */
const MAX_PIPE_SIZE = 64 * 1024 * 1024;

/**
 * Opens a file without waiting for the other end of a pipe.
 * @throws What `node:fs` throws.
 */
export const openAtOnce = (file: string): number =>
  // Windows lacks this flag, and pipes among its files.
  openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));

/**
 * Reads a text file, or a pipe such as that of `<(command)`. The process waits meanwhile.
 * @throws What `node:fs` throws, or an error that says why the file cannot be read: a device or a folder, or a pipe that nobody writes to, or
 *   that does not end within 30 seconds.
 */
export function readTextFile(file: string): string {
  const descriptor = openAtOnce(file);
  try {
    const stats = fstatSync(descriptor);
    if (stats.isFIFO()) return readPipe(descriptor);
    if (!stats.isFile())
      throw new Error(`it is a ${stats.isDirectory() ? 'folder' : 'device'}, not a file or a pipe`);
    return readFileSync(descriptor, 'utf8');
  } finally {
    closeSync(descriptor);
  }
}

function readPipe(descriptor: number): string {
  const parts: Buffer[] = [];
  const begin = performance.now();
  let hasWriter = false;
  for (let size = 0; ; ) {
    const part = readAvailable(descriptor);
    if (part === null) hasWriter = true;
    else if (part.length > 0) {
      parts.push(part);
      size += part.length;
      if (size > MAX_PIPE_SIZE) throw new Error(`it is a pipe of more than ${MAX_PIPE_SIZE} bytes`);
      continue;
    } else if (hasWriter || parts.length > 0) return Buffer.concat(parts).toString('utf8');
    const waited = performance.now() - begin;
    if (!hasWriter && waited > PIPE_TIMES.toBegin) throw new Error('it is a pipe that nobody writes to');
    if (waited > PIPE_TIMES.toEnd)
      throw new Error(`it is a pipe that did not end within ${PIPE_TIMES.toEnd / 1_000} seconds`);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PIPE_INTERVAL);
  }
}

/** What a pipe holds: empty when no writer has it open, null when one has, but has written nothing more yet. */
function readAvailable(descriptor: number): Buffer | null {
  const buffer = Buffer.allocUnsafe(65_536);
  try {
    return buffer.subarray(0, readSync(descriptor, buffer));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return null;
    throw error;
  }
}
