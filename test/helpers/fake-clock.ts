// Replaces the clock and all timers of a test, those of `node:timers/promises` too.
import { syncBuiltinESMExports } from 'node:module';
import timersPromises from 'node:timers/promises';
import { vi } from 'vitest';

/** A clock that stands still until it is advanced. */
export interface FakeClock extends Disposable {
  /** Lets time pass, in milliseconds, with all that becomes due. */
  advance(ms: number): Promise<void>;
}

/** The time that passes while a fast clock waits for connections once, in milliseconds. */
const FAST_STEP = 25;

/**
 * Installs a clock that runs ahead of the real one, so that pauses take little time, and never stands still: what goes over connections
 * takes as long as before. It is removed when it is disposed of.
 */
export function installFastClock(): AsyncDisposable {
  const wait = setImmediate;
  const clock = installFakeClock();
  let isRunning = true;
  const run = async (): Promise<void> => {
    while (isRunning) {
      await clock.advance(FAST_STEP);
      await new Promise((resolve) => wait(resolve));
    }
  };
  const ended = run();
  return {
    async [Symbol.asyncDispose]() {
      isRunning = false;
      await ended;
      clock[Symbol.dispose]();
    },
  };
}

/** Installs a fake clock. It is removed when it is disposed of. */
export function installFakeClock(): FakeClock {
  const { setTimeout: real } = timersPromises;
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'clearImmediate', 'Date', 'performance'],
  });
  const pause = (ms = 0, value?: unknown, { signal }: { readonly signal?: AbortSignal } = {}) =>
    new Promise((resolve, reject) => {
      const abort = (): void => reject(signal?.reason);
      if (signal?.aborted === true) return abort();
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', stop);
        resolve(value);
      }, ms);
      const stop = (): void => {
        clearTimeout(timer);
        abort();
      };
      signal?.addEventListener('abort', stop, { once: true });
    });
  Object.assign(timersPromises, { setTimeout: pause });
  syncBuiltinESMExports();
  return {
    advance: async (ms) => {
      await vi.advanceTimersByTimeAsync(ms);
    },
    [Symbol.dispose]() {
      vi.useRealTimers();
      Object.assign(timersPromises, { setTimeout: real });
      syncBuiltinESMExports();
    },
  };
}
