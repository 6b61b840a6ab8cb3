// Finds the client who uses most of the processor while others wait.
import type { HeavyUse } from '../telemetry/observer.ts';
import type { Client } from './client.ts';

/** Time over which uses are compared, in milliseconds. */
const WINDOW = 10_000;
/** Part of the window in which others have waited, from which there is something to report. */
const LEAST_WAIT = 0.2;
/** Part of the used time that makes one client a heavy one. */
const HEAVY_PART = 0.5;

/** Sums the time that clients use while others wait. */
export class HeavyUses {
  readonly #report: (use: HeavyUse) => void;
  readonly #times = new Map<string, { readonly client: Client; time: number }>();
  #windowAt = Number.NEGATIVE_INFINITY;
  #sum = 0;

  /** @param report Called at the end of a window in which one client has used most. */
  constructor(report: (use: HeavyUse) => void) {
    this.#report = report;
  }

  /** Adds time that a client has used until `now` while others waited. */
  add(client: Client, time: number, now: number): void {
    if (now - this.#windowAt >= WINDOW) this.#endWindow(now);
    const name = `${client.network} ${client.key}`;
    const use = this.#times.get(name) ?? { client, time: 0 };
    use.time += time;
    this.#sum += time;
    this.#times.set(name, use);
  }

  #endWindow(now: number): void {
    for (const { client, time } of this.#times.values())
      if (this.#sum >= LEAST_WAIT * WINDOW && time > HEAVY_PART * this.#sum)
        this.#report({ ...client, seconds: time / 1_000, part: time / this.#sum });
    this.#times.clear();
    this.#sum = 0;
    this.#windowAt = now;
  }
}
