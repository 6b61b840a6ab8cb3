// Shows on a terminal how much of a long command is done.

/** Moves to the start of the line and clears it. */
const CLEAR_LINE = '\r\u001b[K';

/** A line of progress on standard error. Elsewhere than on a terminal, there is none. */
export class ProgressLine {
  readonly #what: string;
  readonly #isShown = process.stderr.isTTY && process.env['TERM'] !== 'dumb';

  /** @param what What is counted, in the plural. */
  constructor(what: string) {
    this.#what = what;
  }

  /** Shows how much is done. */
  readonly show = (done: number, all: number): void => {
    if (this.#isShown) process.stderr.write(`${CLEAR_LINE}${done} of ${all} ${this.#what}`);
  };

  /** Clears the line at the end of a task. */
  async during<T>(task: Promise<T>): Promise<T> {
    try {
      return await task;
    } finally {
      if (this.#isShown) process.stderr.write(CLEAR_LINE);
    }
  }
}
