// Aborts a request when its time is over.

/** An abort signal that follows another one, and aborts by itself when the time is over. Dispose of it to stop the clock. */
export class Deadline implements Disposable {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #outer: AbortSignal | undefined;
  /** Whether the time was over before the outer signal aborted. */
  hasPassed = false;

  /** @param timeout Milliseconds. */
  constructor(timeout: number, outer?: AbortSignal) {
    this.#outer = outer;
    this.#timer = setTimeout(() => {
      this.hasPassed = true;
      this.#controller.abort();
    }, timeout);
    if (outer?.aborted) this.#follow();
    else outer?.addEventListener('abort', this.#follow, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#outer?.removeEventListener('abort', this.#follow);
  }

  readonly #follow = (): void => this.#controller.abort(this.#outer?.reason);
}
