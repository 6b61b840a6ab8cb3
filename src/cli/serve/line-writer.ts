// Writes the lines of a log to a file descriptor. It neither waits for their reader nor ends with it.
import { closeSync, fdatasync, fstatSync, write, writeSync } from 'node:fs';

/** Bytes that may wait. Further lines are lost, because they must not fill the memory. */
const MAX_WAITING = 16 * 1024 * 1024;
/** Milliseconds after which lines are written that are fewer than `size`, and after which a failed write is tried again. */
const INTERVAL = 100;
/** How often the last lines are tried, with pauses in milliseconds, when the process ends and their reader takes nothing. */
const LAST_TRIES = { count: 20, pause: 50 };

/** How lines are written. */
export interface LineWriterOptions {
  /**
   * Bytes after which lines are written at once. A write wakes another thread, which costs more than to make a line. One write takes at
   * most twice as many, unless a line does.
   */
  readonly size: number;
  /** Whether what is written to a regular file has to survive the loss of the machine. Default: only that of the process. */
  readonly isSynced?: boolean;
  /** Called when lines are lost, with their number. */
  readonly onLoss: (lines: number) => void;
  /** Called when lines can be written again, with the number of those that were lost. */
  readonly onRecovery: (lines: number) => void;
}

/** Whole lines that are written together. */
interface Chunk {
  readonly lines: Buffer[];
  bytes: number;
}

/** Somebody who waits until the lines so far are written. */
interface Waiter {
  /** The number of lines until then. */
  readonly lines: number;
  readonly resolve: (isWritten: boolean) => void;
}

/** The chunk that is written. */
interface Current {
  readonly lines: number;
  readonly whole: Buffer;
  rest: Buffer;
}

/**
 * Writes lines. Those that a closed pipe refuses are lost; after other failures, such as a full disk, they wait. All that waits is
 * written when the process exits, if its reader takes it within a second.
 */
export class LineWriter {
  #file: number;
  #isSynced: boolean;
  /** The file for what comes after the write under way; null: the same. */
  #nextFile: number | null = null;
  readonly #options: LineWriterOptions;
  readonly #chunks: Chunk[] = [];
  #waiting = 0;
  #current: Current | null = null;
  #isWriting = false;
  /** Whether the last write has failed, and is not tried again yet. */
  #hasFailed = false;
  #timer: NodeJS.Timeout | undefined;
  #lost = 0;
  /** Lines that were accepted, and those of them that are written or lost. */
  #accepted = 0;
  #settled = 0;
  #waiters: Waiter[] = [];
  /** Whether the last chunk has ended within a line. */
  #isCut = false;

  constructor(file: number, options: LineWriterOptions) {
    this.#file = file;
    this.#options = options;
    this.#isSynced = this.#mustSync(file);
    process.on('exit', () => this.#finish());
  }

  /** Writes a line soon. Returns false when it is lost, because too much waits. */
  write(text: string): boolean {
    const line = Buffer.from(text);
    if (this.#waiting + line.length > MAX_WAITING) {
      this.#lose(1);
      return false;
    }
    this.#accepted += 1;
    const last = this.#chunks.at(-1);
    if (last === undefined || last.bytes + line.length > 2 * this.#options.size)
      this.#chunks.push({ lines: [line], bytes: line.length });
    else {
      last.lines.push(line);
      last.bytes += line.length;
    }
    this.#waiting += line.length;
    this.#continue();
    return true;
  }

  /** Writes what waits at once. Resolves with whether all of it is written. What fails is tried again nevertheless. */
  flush(): Promise<boolean> {
    return new Promise((resolve) => {
      this.#waiters.push({ lines: this.#accepted, resolve });
      this.#hasFailed = false;
      this.#writeNext();
      this.#answerWaiters();
    });
  }

  /** Writes to another file from now on, and closes the one before. The line that a failed write has cut is written as a whole. */
  use(file: number): void {
    if (this.#nextFile !== null) closeSync(this.#nextFile);
    this.#nextFile = file;
    this.#hasFailed = false;
    this.#writeNext();
  }

  /** Writes if enough waits, else later. */
  #continue(): void {
    if (this.#waiting >= this.#options.size) this.#writeNext();
    else if (this.#waiting > 0) this.#writeLater();
  }

  #writeLater(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#hasFailed = false;
      this.#writeNext();
    }, INTERVAL).unref();
  }

  #writeNext(): void {
    if (this.#isWriting || this.#hasFailed) return;
    const current = this.#take();
    if (current === null) return;
    this.#isWriting = true;
    write(this.#file, current.rest, (error, written) => {
      if (error !== null || !this.#isSynced) return this.#onWritten(current, written, error);
      fdatasync(this.#file, (failure) => {
        // It is written, but nobody knows for how long.
        if (failure !== null) this.#disappoint();
        this.#onWritten(current, written, null);
      });
    });
  }

  #onWritten(current: Current, written: number, error: NodeJS.ErrnoException | null): void {
    this.#isWriting = false;
    if (error === null) {
      this.#advance(current, written);
      this.#answerWaiters();
      // Those who wait need the rest at once.
      if (this.#waiters.length > 0) this.#writeNext();
      else this.#continue();
      return;
    }
    this.#hasFailed = true;
    if (error.code === 'EPIPE') this.#abandon(current);
    this.#disappoint();
    this.#writeLater();
  }

  #answerWaiters(): void {
    const isDone = ({ lines }: Waiter): boolean => lines <= this.#settled;
    for (const { resolve } of this.#waiters.filter(isDone)) resolve(true);
    this.#waiters = this.#waiters.filter((waiter) => !isDone(waiter));
  }

  /** Rejects all that wait, because a write has failed. */
  #disappoint(): void {
    for (const { resolve } of this.#waiters.splice(0)) resolve(false);
  }

  /** The chunk to write; null when nothing waits. */
  #take(): Current | null {
    this.#changeFile();
    const chunk = this.#current === null ? this.#chunks.shift() : undefined;
    if (chunk === undefined) return this.#current;
    const { length } = chunk.lines;
    if (this.#isCut) {
      chunk.lines.unshift(Buffer.from('\n'));
      this.#waiting += 1;
    }
    const whole = Buffer.concat(chunk.lines);
    this.#current = { lines: length, whole, rest: whole };
    return this.#current;
  }

  /** Changes to the next file. A chunk goes on there at the beginning of its line. */
  #changeFile(): void {
    if (this.#nextFile === null) return;
    closeSync(this.#file);
    this.#file = this.#nextFile;
    this.#isSynced = this.#mustSync(this.#file);
    this.#nextFile = null;
    this.#isCut = false;
    if (this.#current === null) return;
    const { whole, rest } = this.#current;
    const start = whole.subarray(0, whole.length - rest.length).lastIndexOf('\n') + 1;
    this.#waiting += whole.length - start - rest.length;
    this.#current.rest = whole.subarray(start);
  }

  #mustSync(file: number): boolean {
    return this.#options.isSynced === true && fstatSync(file).isFile();
  }

  #advance(current: Current, written: number): void {
    this.#waiting -= written;
    current.rest = current.rest.subarray(written);
    this.#isCut = current.rest.length > 0;
    if (this.#isCut) return;
    this.#current = null;
    this.#settled += current.lines;
    const lost = this.#lost;
    if (lost === 0 || this.#waiting >= this.#options.size) return;
    this.#lost = 0;
    this.#options.onRecovery(lost);
  }

  #abandon({ lines, rest }: Current): void {
    this.#waiting -= rest.length;
    this.#current = null;
    this.#settled += lines;
    this.#lose(lines);
  }

  #lose(lines: number): void {
    this.#lost += lines;
    this.#options.onLoss(lines);
  }

  #finish(): void {
    // Another thread still writes the chunk, and lines that are written from now on wait for this loop.
    if (this.#isWriting) this.#current = null;
    this.#isWriting = true;
    for (let tries = 0; tries < LAST_TRIES.count; ) {
      const current = this.#take();
      if (current === null) return;
      try {
        this.#advance(current, writeSync(this.#file, current.rest));
        tries = 0;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return;
        tries += 1;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LAST_TRIES.pause);
      }
    }
  }
}
