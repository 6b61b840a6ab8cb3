// Writes the lines of the log to a file descriptor. It neither waits for their reader nor ends with it, as pino's own destination does when
// it is flushed at the exit and the reader has gone.
import { write, writeSync } from 'node:fs';

/** Bytes that may wait. Further lines are lost, because they must not fill the memory. */
const MAX_WAITING = 16 * 1024 * 1024;
/** Bytes that are written at once. A write wakes another thread, which costs more than to make a line. */
const SIZE = 32_768;
/** Milliseconds after which fewer bytes are written, and after which a failed write is tried again. */
const INTERVAL = 100;
/** How often the last lines are tried, with pauses in milliseconds, when the process ends and their reader takes nothing. */
const LAST_TRIES = { count: 20, pause: 50 };

/** Writes lines. Those that cannot be written wait. All that waits is written when the process exits, if its reader takes it within a second. */
export class LineWriter {
  readonly #file: number;
  readonly #onLoss: () => void;
  #waiting: Buffer[] = [];
  #bytes = 0;
  #isWriting = false;
  #timer: NodeJS.Timeout | undefined;

  /** @param onLoss Called for each line that is lost. */
  constructor(file: number, onLoss: () => void) {
    this.#file = file;
    this.#onLoss = onLoss;
    process.on('exit', () => this.#finish());
  }

  /** Writes a line soon. */
  write(text: string): void {
    const line = Buffer.from(text);
    if (this.#bytes + line.length > MAX_WAITING) {
      this.#onLoss();
      return;
    }
    this.#waiting.push(line);
    this.#bytes += line.length;
    this.#writeSoon();
  }

  #writeSoon(): void {
    if (this.#isWriting || this.#timer !== undefined) return;
    const delay = this.#bytes >= SIZE ? 0 : INTERVAL;
    this.#timer = setTimeout(() => this.#writeNext(), delay).unref();
  }

  #writeNext(): void {
    this.#timer = undefined;
    this.#isWriting = true;
    write(this.#file, this.#takeAll(), (error, written) => {
      this.#isWriting = false;
      if (error === null) this.#remove(written);
      if (error !== null) this.#timer = setTimeout(() => this.#writeNext(), INTERVAL).unref();
      else if (this.#bytes > 0) this.#writeSoon();
    });
  }

  /** Joins what waits to one buffer, the first one. */
  #takeAll(): Buffer {
    const all = Buffer.concat(this.#waiting);
    this.#waiting = [all];
    return all;
  }

  #remove(written: number): void {
    const [first = Buffer.of(), ...others] = this.#waiting;
    this.#waiting = [first.subarray(written), ...others];
    this.#bytes -= written;
  }

  #finish(): void {
    // Another thread still writes the first buffer.
    if (this.#isWriting) this.#remove(this.#waiting[0]?.length ?? 0);
    for (let tries = 0; this.#bytes > 0 && tries < LAST_TRIES.count; ) {
      try {
        this.#remove(writeSync(this.#file, this.#takeAll()));
        tries = 0;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return;
        tries += 1;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LAST_TRIES.pause);
      }
    }
  }
}
