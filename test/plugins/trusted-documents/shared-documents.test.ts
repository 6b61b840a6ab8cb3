// Tests that a document which a client registers at one replica is known at the others.
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createFacade, type Facade } from '../../../src/facade/facade.ts';
import { collectLog } from '../../helpers/facade.ts';
import { hasRedis, startRedis } from '../../helpers/redis.ts';
import { openWorkshop } from '../../helpers/workshop.ts';

const QUERY = '{ canary: __typename }';
const extensions = {
  persistedQuery: { version: 1, sha256Hash: createHash('sha256').update(QUERY).digest('hex') },
};

async function send(facade: Facade, body: object): Promise<unknown> {
  const response = await facade.yoga.fetch('http://facade.test/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return response.json();
}

describe.skipIf(!hasRedis)('a document that a client registers at one replica', () => {
  it('is known at the others, and not readable in between', async () => {
    await using redis = await startRedis();
    const lines = await redis.record();
    await using shop = await openWorkshop({}, { shared: { replicas: await redis.join() } });
    const shared = { replicas: await redis.join() };
    await using other = await createFacade({ upstream: shop.upstream.url, log: collectLog(), shared });
    expect(await send(other, { extensions })).toMatchObject({
      errors: [{ message: 'PersistedQueryNotFound' }],
    });
    expect(await send(shop.facade, { query: QUERY, extensions })).toMatchObject({
      data: { canary: 'Query' },
    });
    await expect.poll(() => send(other, { extensions })).toMatchObject({ data: { canary: 'Query' } });
    expect(lines.join('\n')).not.toContain('canary');
  });
});
