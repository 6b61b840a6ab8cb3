// Counts the bytes of the answers that are being received.

/** The answers of the API that all facades of a process are receiving. */
export class AnswerBytes {
  /** Bytes that have arrived of answers that have not ended. */
  held = 0;
  /** Calls that wait until fewer bytes are held. */
  waiting = 0;
  #limit: number;
  readonly #listeners = new Set<() => void>();

  /** @param limit Bytes beyond which a response is refused. From half of them on, no call begins. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Whether calls have to wait. */
  get isFull(): boolean {
    return this.held > this.#limit / 2;
  }

  /** Changes the limit. */
  resize(limit: number): void {
    this.#limit = limit;
    this.#announce();
  }

  /** Counts bytes that have arrived. Returns false when they are too many. */
  add(bytes: number): boolean {
    this.held += bytes;
    return this.held <= this.#limit;
  }

  /** Takes back the bytes of an answer that has ended. */
  release(bytes: number): void {
    this.held -= bytes;
    if (bytes > 0) this.#announce();
  }

  /** Calls a listener when calls may begin. */
  onFree(listener: () => void): void {
    this.#listeners.add(listener);
  }

  #announce(): void {
    if (this.waiting > 0 && !this.isFull) for (const listener of this.#listeners) listener();
  }
}
