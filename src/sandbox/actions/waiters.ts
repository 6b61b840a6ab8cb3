/** Long polls that wait for something to change. */
export interface Waiters {
  /** How many wait. */
  readonly count: number;
  /** Resolves at the next change of the thing, or after so many milliseconds; rejects with the signal's reason. */
  wait(id: number, ms: number, signal: AbortSignal): Promise<void>;
  /** Lets go those who wait for a thing; without one, everybody. */
  release(id?: number): void;
}

/** A room to wait in; it holds timers only while somebody waits. */
export function createWaiters(): Waiters {
  const waiting = new Set<{ readonly id: number; resolve(): void }>();
  return {
    get count() {
      return waiting.size;
    },
    wait(id, ms, signal) {
      return new Promise((resolve, reject) => {
        signal.throwIfAborted();
        const leave = (settle: () => void) => () => {
          waiting.delete(waiter);
          clearTimeout(timer);
          signal.removeEventListener('abort', abort);
          settle();
        };
        const waiter = { id, resolve: leave(resolve) };
        const abort = leave(() => reject(signal.reason));
        const timer = setTimeout(waiter.resolve, ms);
        signal.addEventListener('abort', abort);
        waiting.add(waiter);
      });
    },
    release(id) {
      for (const waiter of [...waiting]) if (id === undefined || waiter.id === id) waiter.resolve();
    },
  };
}
