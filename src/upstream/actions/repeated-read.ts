// Repeats a read of running actions, ever more rarely while nothing changes.

/** Minimum time between the starts of two reads, in milliseconds. */
const MIN_INTERVAL = 100;
/** Longest pause while nothing changes, in milliseconds. */
const LONGEST_PAUSE = 10_000;

/** What is repeated. */
interface RepeatedParts {
  /** Reads once. Returns whether something has changed. */
  read(signal: AbortSignal): Promise<boolean>;
  /** The pause after a read that took some time, in milliseconds. */
  pauseAfter(duration: number, hasChanged: boolean): number;
  /** The part of the time since the last change for which it pauses at least. What changes then is seen late by that part. */
  readonly quiet: number;
  /** Called when a read has failed, after which none follows. */
  onFailure(error: unknown): void;
  /** Called once, at the end. */
  onEnd(): void;
}

/** Reads from its creation until it is stopped or a read fails. */
export class RepeatedRead {
  readonly #controller = new AbortController();
  #changedAt = performance.now();
  #isHurried = false;
  /** Has the pause computed again. */
  #wake: () => void = () => undefined;

  constructor(parts: RepeatedParts) {
    void this.#run(parts, this.#controller.signal);
  }

  stop(): void {
    this.#controller.abort();
    this.#wake();
  }

  /** Reads as soon as that is allowed, and more often from now on: a change is likely. */
  hurry(): void {
    this.#changedAt = performance.now();
    this.#isHurried = true;
    this.#wake();
  }

  async #run(
    { read, pauseAfter, quiet, onFailure, onEnd }: RepeatedParts,
    signal: AbortSignal,
  ): Promise<void> {
    try {
      while (!signal.aborted) {
        this.#isHurried = false;
        const startedAt = performance.now();
        const hasChanged = await read(signal);
        const now = performance.now();
        if (hasChanged) this.#changedAt = now;
        const pause = Math.min(quiet * (now - this.#changedAt), LONGEST_PAUSE);
        const next = now + Math.max(pause, pauseAfter(now - startedAt, hasChanged));
        await this.#sleepUntil(startedAt + MIN_INTERVAL, next, signal);
      }
    } catch (error) {
      if (!signal.aborted) onFailure(error);
    } finally {
      onEnd();
    }
  }

  /** Waits until the next read: at the earliest time if it is hurried. */
  async #sleepUntil(earliest: number, usual: number, signal: AbortSignal): Promise<void> {
    for (;;) {
      const ms = Math.max(earliest, this.#isHurried ? 0 : usual) - performance.now();
      if (ms <= 0 || signal.aborted) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }
}
