// A thread for tests of scheduling, whose time passes only while work runs.
import type { ThreadClock } from '../../src/scheduling/processor.ts';

/** A thread whose time passes only while work runs. */
export class SimulatedThread implements ThreadClock {
  time = 0;
  #calls: (() => void)[] = [];

  now(): number {
    return this.time;
  }

  afterEvents(call: () => void): void {
    this.#calls.push(call);
  }

  /** Runs turns of the event loop until a time has passed, or nothing is left to do. */
  async run(until: number): Promise<void> {
    while (this.time < until && this.#calls.length > 0) await this.turn();
  }

  /** Runs one turn of the event loop, with all promises that it settles. */
  async turn(): Promise<void> {
    const calls = this.#calls;
    this.#calls = [];
    for (const call of calls) {
      call();
      await new Promise(setImmediate);
    }
  }
}
