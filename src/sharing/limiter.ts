// Makes limiters of the counters of rate-limiter-flexible.
import type { RateLimiterAbstract } from 'rate-limiter-flexible';
import type { Limiter } from './replicas.ts';

/** Makes a limiter. @param digest Hashes keys, see `Replicas.digest`. */
export const createLimiter = (
  counter: Pick<RateLimiterAbstract, 'penalty' | 'points'>,
  digest: (text: string) => string,
): Limiter => ({
  async count(key, points = 1) {
    const { consumedPoints, remainingPoints, msBeforeNext } = await counter.penalty(digest(key), points);
    return { isExceeded: consumedPoints > counter.points, left: remainingPoints, msBeforeNext };
  },
});
