// Tells a command that waits when its time is up, or when Ctrl-C asks it to stop.

/** Why a command stops to wait. */
export type Stop = 'time' | 'signal';

/** Waits for the end of a time and for SIGINT, until it is disposed of. */
export class Stops implements Disposable {
  readonly #timer: NodeJS.Timeout | undefined;
  #resolve: (stop: Stop) => void = () => {};
  #next: Promise<Stop>;

  /** @param seconds Default: no end. */
  constructor(seconds: number | undefined) {
    this.#next = this.#wait();
    process.on('SIGINT', this.#interrupt);
    if (seconds !== undefined) this.#timer = setTimeout(() => this.#resolve('time'), seconds * 1_000);
  }

  /** The next reason to stop. */
  get next(): Promise<Stop> {
    return this.#next;
  }

  /** Begins to wait for the next reason. */
  again(): void {
    this.#next = this.#wait();
  }

  readonly #interrupt = (): void => this.#resolve('signal');

  #wait(): Promise<Stop> {
    return new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    process.off('SIGINT', this.#interrupt);
  }
}
