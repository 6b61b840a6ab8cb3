import { describe, test } from 'vitest';
import { startPair } from '../helpers/facade.ts';
import { titleOf } from './endpoint.ts';
import { endpoints } from './endpoints.ts';
import { proveEndpoint } from './prove-endpoint.ts';

describe.each(Object.entries(endpoints))('%s', (_section, all) => {
  test.each(all.map((endpoint) => [titleOf(endpoint), endpoint] as const))('%s', async (_title, endpoint) => {
    await using pair = await startPair({ sandbox: { step: 0 } });
    await proveEndpoint(pair, endpoint);
  });
});
