import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '../log/log.ts';
import { isDown } from '../upstream/errors/upstream-errors.ts';

/** First and longest pause between two tries, in milliseconds. */
const PAUSES = { first: 1_000, longest: 30_000 };

/**
 * Makes something of the upstream as soon as that can be reached.
 * @throws What `make` throws for another reason than an upstream that is down, e.g. a host name that does not exist.
 */
export async function waitUntilReachable<T>(
  make: () => Promise<T>,
  log: Log,
  signal: AbortSignal,
): Promise<T> {
  for (let wait = PAUSES.first; ; wait = Math.min(wait * 2, PAUSES.longest)) {
    try {
      return await make();
    } catch (error) {
      if (!isDown(error)) throw error;
      log.warn(
        `${error.message} Trying again in ${wait / 1000} s; until then the server is alive, but not ready.`,
      );
      await pause(wait, undefined, { signal });
    }
  }
}
