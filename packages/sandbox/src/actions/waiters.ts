// Lets long polls wait for changes of action states.

/** The long polls that wait for a change. */
export interface Waiters {
  /** The number of waiting polls. */
  readonly count: number;
  /** Resolves at the next release of `id`, or after `ms` milliseconds. Rejects with the signal's reason when it aborts. */
  wait(id: number, ms: number, signal: AbortSignal): Promise<void>;
  /** Resolves the polls that wait for `id`. Default: all polls. */
  release(id?: number): void;
}

/** Creates an empty set of waiters. A timer runs for each waiting poll only. */
export function createWaiters(): Waiters {
  const waiters = new Set<{ readonly id: number; resolve(): void }>();
  return {
    get count() {
      return waiters.size;
    },
    wait(id, ms, signal) {
      return new Promise((resolve, reject) => {
        signal.throwIfAborted();
        const finishWith = (settle: () => void) => () => {
          waiters.delete(waiter);
          clearTimeout(timer);
          signal.removeEventListener('abort', abort);
          settle();
        };
        const waiter = { id, resolve: finishWith(resolve) };
        const abort = finishWith(() => reject(signal.reason));
        const timer = setTimeout(waiter.resolve, ms);
        signal.addEventListener('abort', abort);
        waiters.add(waiter);
      });
    },
    release(id) {
      for (const waiter of [...waiters]) if (id === undefined || waiter.id === id) waiter.resolve();
    },
  };
}
