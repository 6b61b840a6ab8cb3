// Tests the debug actions of the sandbox.
import { expect, test } from 'vitest';
import { type Json, ordinaryUser, send } from '../../../../test/helpers/sandbox-requests.ts';
import { listenSandbox } from '../../src/listen-sandbox.ts';

test('debug actions show the sizes of tables, largest first, without their values', async () => {
  await using sandbox = await listenSandbox();
  const list = async (route: string) => {
    const { envelope } = await send(sandbox, `/v7.0/debugs/${route}`);
    return envelope['response']?.['debugs'] as unknown as readonly Json[];
  };
  const counts = await list('list_object_counts');
  const snapshots = counts.find(({ object }) => String(object) === 'snapshots');
  expect(Number(snapshots?.['count'])).toBeGreaterThan(2000);
  const sizes = counts.map(({ count }) => Number(count));
  expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));

  const arrays = await list('array_top');
  expect(arrays).toHaveLength(10);
  expect(arrays[0]).toEqual({ size: sizes[0], sample: [1, 2, 3] });
  const hashes = await list('hash_top?debug[limit]=2');
  expect(hashes.map(({ size }) => Number(size))).toEqual(sizes.slice(0, 2));
  expect(hashes[0]?.['sample']).toMatchObject({ 1: expect.arrayContaining(['id']) });
  expect(await list('array_top?debug[limit]=0')).toEqual([]);

  for (const route of ['array_top', 'hash_top', 'list_object_counts']) {
    expect((await send(sandbox, `/v7.0/debugs/${route}`, ordinaryUser(sandbox))).status).toBe(403);
  }
});
