// Limits how many calls of one operation are under way.

/** Runs a limited number of calls at once; further calls wait, in their order. Each operation has its own, so making one is cheap. */
export class CallSlots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  /** @param count Calls at once. */
  constructor(count: number) {
    this.#free = count;
  }

  /** Makes a call when a slot is free, in a later microtask at the earliest. */
  async run<T>(call: () => Promise<T>): Promise<T> {
    await this.#take();
    try {
      return await call();
    } finally {
      this.#release();
    }
  }

  #take(): Promise<void> | undefined {
    if (this.#free === 0) return new Promise((start) => this.#waiting.push(start));
    this.#free -= 1;
    return undefined;
  }

  /** Passes the slot on to the call that has waited longest. */
  #release(): void {
    const start = this.#waiting.shift();
    if (start === undefined) this.#free += 1;
    else start();
  }
}
