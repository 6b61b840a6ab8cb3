// Shares a facade and its sandbox among the tests of a file.
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type Pair, startPair } from './facade.ts';

/** Starts both before the tests of a file, and forgets the calls of the sandbox before each. */
export function sharePair(): Pair {
  const shared = {} as Pair;
  beforeAll(async () => {
    Object.assign(shared, await startPair());
  });
  beforeEach(() => {
    shared.calls.length = 0;
  });
  afterAll(() => shared[Symbol.asyncDispose]());
  return shared;
}
