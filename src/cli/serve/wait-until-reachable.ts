// Retries the start of the facade while the upstream is down.
import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '../../log.ts';
import { isDown } from '../../upstream/errors.ts';

/** First and longest delay between two attempts. Milliseconds. */
const DELAYS = { first: 1_000, longest: 30_000 };

/**
 * Calls `make` until the upstream is reachable, with increasing delays.
 * @param explain Returns what the operator should know about a failure.
 * @throws The reason of the signal once it aborts. The error of `make` unless it means that the upstream is down; a host name that does
 *   not exist does not mean that.
 */
export async function waitUntilReachable<T>(
  make: () => Promise<T>,
  log: Log,
  explain: (error: Error) => string,
  signal: AbortSignal,
): Promise<T> {
  for (let delay = DELAYS.first; ; delay = Math.min(delay * 2, DELAYS.longest)) {
    try {
      return await make();
    } catch (error) {
      signal.throwIfAborted();
      if (!isDown(error)) throw error;
      log.warn(
        `${explain(error)} Trying again in ${delay / 1000} s; until then the server is alive, but not ready.`,
        { event: 'start' },
      );
      await pause(delay, undefined, { signal });
    }
  }
}
