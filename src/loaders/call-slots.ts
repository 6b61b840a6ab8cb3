// Bounds how many calls of one operation are under way.
import type { Abortable } from '../upstream/abortable.ts';

/** Calls of one operation that are under way at once; further ones wait. */
const MAX_CALLS = 32;

/** The calls of one operation that are under way. */
export class CallSlots {
  readonly #aborted: Abortable;
  #running = 0;
  /** Those of the running calls that wait for their turn among the calls of all operations. */
  #queued = 0;
  /** What starts each call that waits for a slot. */
  readonly #waitingCalls: (() => void)[] = [];
  /** What begins each part of the operation that waits until a call of it could be sent. */
  readonly #waitingParts: (() => void)[] = [];
  #isBeginning = false;

  /** @param aborted Aborts when the operation ends. */
  constructor(aborted: Abortable) {
    this.#aborted = aborted;
  }

  /** Makes a call when fewer than the maximum are under way. Rejects with the reason when the operation has ended. */
  run<T>(call: () => Promise<T>): Promise<T> {
    if (this.#running < MAX_CALLS) {
      this.#running += 1;
      return this.#runInSlot(call);
    }
    return new Promise<void>((start) => this.#waitingCalls.push(start)).then(() => this.#runInSlot(call));
  }

  /** Reports that a call under way waits for its turn. Returns what is to be called at the end of the wait. */
  readonly beginWait = (): (() => void) => {
    this.#queued += 1;
    return this.#endWait;
  };

  readonly #endWait = (): void => {
    this.#queued -= 1;
    this.#beginWaitingParts();
  };

  /**
   * Begins a part of the operation as soon as a call of it could be sent: a part that waits holds much less than a call that waits.
   * @param begin Never throws. It makes its first call before it returns, if it makes one, so that the next part begins only if that
   *   call need not wait.
   */
  beginWhenFree<T>(begin: () => Promise<T>): Promise<T> {
    if (this.#isFree) return begin();
    return new Promise((resolve) => {
      this.#waitingParts.push(() => resolve(begin()));
    });
  }

  get #isFree(): boolean {
    return this.#queued === 0 && this.#running < MAX_CALLS;
  }

  #beginWaitingParts(): void {
    // A call that ends during the loop leads here again; the loop goes on to the next part by itself.
    if (this.#isBeginning) return;
    this.#isBeginning = true;
    try {
      while (this.#isFree) {
        const begin = this.#waitingParts.shift();
        if (begin === undefined) return;
        begin();
      }
    } finally {
      this.#isBeginning = false;
    }
  }

  async #runInSlot<T>(call: () => Promise<T>): Promise<T> {
    try {
      this.#aborted.throwIfAborted();
      return await call();
    } catch (error) {
      // An aborted request fails in several ways, and its error does not contain the reason.
      this.#aborted.throwIfAborted();
      throw error;
    } finally {
      // The slot of this call goes to the next one.
      const start = this.#waitingCalls.shift();
      if (start === undefined) this.#running -= 1;
      else start();
      this.#beginWaitingParts();
    }
  }
}
