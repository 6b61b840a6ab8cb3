// Spaces the calls that one caller's running actions cost the management API.
import { setTimeout as pause } from 'node:timers/promises';
import { type Abortable, toAbortSignal } from '../abortable.ts';

/** Lets a number of calls pass at once, and further ones at intervals. Calls wait for their turn; none is refused. */
export class CallPace {
  readonly #burst: number;
  readonly #spacing: number;
  /** The earliest time of the next call, as if no calls could pass at once. */
  #next = Number.NEGATIVE_INFINITY;

  /**
   * @param burst Calls that may pass at once after a time without calls.
   * @param spacing Milliseconds after which one more call may pass.
   */
  constructor(burst: number, spacing: number) {
    this.#burst = burst;
    this.#spacing = spacing;
  }

  /** Resolves when the next call may be made. Rejects when the signal aborts; the turn then goes to another call. */
  async takeTurn(signal?: Abortable): Promise<void> {
    const now = performance.now();
    const turn = Math.max(this.#next, now - (this.#burst - 1) * this.#spacing);
    this.#next = turn + this.#spacing;
    if (turn <= now) return;
    try {
      await pause(turn - now, undefined, signal && { signal: toAbortSignal(signal) });
    } catch (error) {
      this.#next -= this.#spacing;
      throw error;
    }
  }
}
