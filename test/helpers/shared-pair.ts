// Shares a facade over a sandbox among the tests of a file.
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type Pair, type PairOptions, startPair } from './facade.ts';

/** A pair that listens at an address. */
export type SharedPair = Pair & { readonly url: string };

/** Starts both before the tests of a file or group, and forgets the calls of the sandbox before each. */
export function sharePair(options: PairOptions = {}): SharedPair {
  const shared = {} as SharedPair;
  beforeAll(async () => {
    const pair = await startPair(options);
    const { url } = await pair.listen();
    Object.assign(shared, pair, { url });
  });
  beforeEach(() => {
    shared.calls.length = 0;
  });
  afterAll(() => shared[Symbol.asyncDispose]());
  return shared;
}
