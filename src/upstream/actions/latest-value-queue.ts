/** Holds the newest value of each key until its one reader takes it. A slow reader misses steps between, never the last. */
export class LatestValueQueue<T> implements AsyncIterableIterator<T> {
  readonly #values = new Map<string, { readonly value: T; readonly urgent: boolean }>();
  readonly #minInterval: number;
  readonly #onReturn: () => void;
  #wake: (() => void) | null = null;
  #timer: NodeJS.Timeout | null = null;
  #lastDelivery = Number.NEGATIVE_INFINITY;
  #end: { readonly error: unknown } | 'done' | null = null;
  #isClosed = false;

  /**
   * @param minInterval Least time between two deliveries, in milliseconds; urgent values do not wait for it.
   * @param onReturn Called once, when the reader leaves or the box has ended.
   */
  constructor(minInterval: number, onReturn: () => void) {
    this.#minInterval = minInterval;
    this.#onReturn = onReturn;
  }

  put(key: string, value: T, urgent: boolean): void {
    if (this.#end !== null) return;
    // A key that changes again keeps its place, so that no key starves.
    this.#values.set(key, { value, urgent });
    this.#wake?.();
  }

  /** Ends the box after what is in it. */
  finish(): void {
    this.#end ??= 'done';
    this.#wake?.();
  }

  /** Ends the box after what is in it, with an error. */
  fail(error: unknown): void {
    this.#end ??= { error };
    this.#wake?.();
  }

  async next(): Promise<IteratorResult<T>> {
    for (;;) {
      const wait = this.#lastDelivery + this.#minInterval - Date.now();
      for (const [key, { value, urgent }] of this.#values) {
        if (wait > 0 && !urgent && this.#end === null) continue;
        this.#values.delete(key);
        this.#lastDelivery = Date.now();
        return { value, done: false };
      }
      if (this.#end !== null) {
        const end = this.#end;
        await this.return();
        if (end !== 'done') throw end.error;
        return { value: undefined, done: true };
      }
      await this.#changed(this.#values.size > 0 ? wait : null);
    }
  }

  async return(): Promise<IteratorResult<T>> {
    if (!this.#isClosed) {
      this.#isClosed = true;
      this.#end = 'done';
      this.#values.clear();
      this.#wake?.();
      this.#onReturn();
    }
    return { value: undefined, done: true };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Waits for a change, or for so many milliseconds. */
  async #changed(ms: number | null): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      if (ms !== null) this.#timer = setTimeout(resolve, ms);
    });
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#wake = null;
  }
}
