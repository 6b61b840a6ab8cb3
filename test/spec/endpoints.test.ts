import { afterAll, beforeAll, describe, test } from 'vitest';
import { type Pair, startPair } from '../helpers/facade.ts';
import { titleOf } from './endpoint.ts';
import { endpoints } from './endpoints.ts';
import { proveEndpoint } from './prove-endpoint.ts';

/** For endpoints that change nothing; each other gets a sandbox of its own. */
let shared: Pair;
beforeAll(async () => {
  shared = await startPair({ sandbox: { step: 'manual' } });
});
afterAll(() => shared[Symbol.asyncDispose]());

describe.each(Object.entries(endpoints))('%s', (_section, all) => {
  test.each(all.map((endpoint) => [titleOf(endpoint), endpoint] as const))('%s', async (_title, endpoint) => {
    if (endpoint.operation.startsWith('{')) {
      await proveEndpoint(shared, endpoint);
    } else {
      await using own = await startPair({ sandbox: { step: 0 } });
      await proveEndpoint(own, endpoint);
    }
  });
});
