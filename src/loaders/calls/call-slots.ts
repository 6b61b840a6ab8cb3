// Limits the calls of one operation that are under way.
import type { Abortable } from '../../upstream/abortable.ts';

/** Calls of one operation that are under way at once; further ones wait. */
const MAX_CALLS = 32;

/** The calls of one operation that are under way. */
export class CallSlots {
  readonly #aborted: Abortable;
  #running = 0;
  /** Those of the running calls that wait for their turn among the calls of all operations. */
  #queued = 0;
  /** What starts each call that waits for a slot. */
  readonly #waiting: (() => void)[] = [];
  /** What begins each part of the operation that waits until a call of it could be sent. */
  readonly #later: (() => void)[] = [];
  #isBeginning = false;

  /** @param aborted Aborts when the operation ends. */
  constructor(aborted: Abortable) {
    this.#aborted = aborted;
  }

  /** Makes a call when fewer than the maximum are under way. Rejects with the reason when the operation has ended. */
  run<T>(call: () => Promise<T>): Promise<T> {
    if (this.#running < MAX_CALLS) {
      this.#running += 1;
      return this.#carryOut(call);
    }
    return new Promise<void>((start) => this.#waiting.push(start)).then(() => this.#carryOut(call));
  }

  /** Reports that a call under way waits for its turn. Returns what is to be called at the end of the wait. */
  readonly beginWait = (): (() => void) => {
    this.#queued += 1;
    return this.#endWait;
  };

  readonly #endWait = (): void => {
    this.#queued -= 1;
    this.#beginLater();
  };

  /**
   * Begins a part of the operation as soon as a call of it could be sent: a part that waits holds much less than a call that waits.
   * @param begin Makes its first call before it returns, if it makes one, so that the next part begins only if that call need not wait.
   */
  beginWhenFree<T>(begin: () => Promise<T>): Promise<T> {
    if (this.#isFree) return begin();
    return new Promise((resolve) => {
      this.#later.push(() => resolve(begin()));
    });
  }

  get #isFree(): boolean {
    return this.#queued === 0 && this.#running < MAX_CALLS;
  }

  #beginLater(): void {
    // A part without a call, or whose call fails at once, comes here again; the loop begins the next one.
    if (this.#isBeginning) return;
    this.#isBeginning = true;
    try {
      while (this.#isFree) {
        const begin = this.#later.shift();
        if (begin === undefined) return;
        begin();
      }
    } finally {
      this.#isBeginning = false;
    }
  }

  async #carryOut<T>(call: () => Promise<T>): Promise<T> {
    try {
      this.#aborted.throwIfAborted();
      return await call();
    } catch (error) {
      // An aborted request fails in several ways, and its error does not contain the reason.
      this.#aborted.throwIfAborted();
      throw error;
    } finally {
      // The slot of this call goes to the next one.
      const start = this.#waiting.shift();
      if (start === undefined) this.#running -= 1;
      else start();
      this.#beginLater();
    }
  }
}
