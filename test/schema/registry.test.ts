// Tests which schemas are assembled and kept, and which descriptions are refused.
import { expect, it } from 'vitest';
import { SchemaRegistry } from '../../src/schema/registry.ts';
import type { DescriptionText } from '../../src/upstream/description/description-source.ts';
import { DescriptionError } from '../../src/upstream/errors.ts';
import { describeApi, manyResources } from '../helpers/describe-api.ts';

/** A description of an API with this many resources, and how often it was read. */
function describedBy(resources: number) {
  const raw = describeApi(manyResources(resources));
  const text = {
    fingerprint: `${resources} resources`,
    length: resources * 1000,
    reads: 0,
    read() {
      text.reads += 1;
      return raw;
    },
  } satisfies DescriptionText & { reads: number };
  return text;
}

it('assembles one schema at a time, and one for equal descriptions', async () => {
  const registry = new SchemaRegistry();
  const [first, second] = [describedBy(40), describedBy(41)];
  const readsBefore: number[] = [];
  const [one, same, other] = await Promise.all([
    registry.schemaFor(first, 'whole').finally(() => readsBefore.push(second.reads)),
    registry.schemaFor(first, 'whole'),
    registry.schemaFor(second, 'whole'),
  ]);
  expect(readsBefore).toEqual([0]);
  expect(first.reads).toBe(1);
  expect(same).toBe(one);
  expect(other).not.toBe(one);
});

it('returns a cached schema while another is assembled', async () => {
  const registry = new SchemaRegistry();
  const known = await registry.schemaFor(describedBy(1), 'whole');
  let isAssembled = false;
  const assembled = registry.schemaFor(describedBy(40), 'whole').then(() => {
    isAssembled = true;
  });
  expect(await registry.schemaFor(describedBy(1), 'whole')).toBe(known);
  expect(isAssembled).toBe(false);
  await assembled;
});

it('assembles the next schema after one that fails', async () => {
  const registry = new SchemaRegistry();
  const broken: DescriptionText = { fingerprint: 'broken', length: 4, read: () => null };
  const [failed, next] = await Promise.allSettled([
    registry.schemaFor(broken, 'whole'),
    registry.schemaFor(describedBy(1), 'whole'),
  ]);
  expect(failed).toMatchObject({ status: 'rejected', reason: expect.any(DescriptionError) });
  expect(next.status).toBe('fulfilled');
});

it.each([[{ cachedSchemas: 2 }], [{ cachedLength: 5000 }]])(
  'keeps the schemas that were used last within %o',
  async (limits) => {
    const registry = new SchemaRegistry({ limits });
    for (const resources of [1, 2, 1, 3]) await registry.schemaFor(describedBy(resources), 'whole');
    const kept = ['1', '2', '3'].filter((count) => registry.get(`whole ${count} resources`) !== undefined);
    expect(kept).toEqual(['1', '3']);
  },
);

it('refuses a description that is too long without reading it', async () => {
  const registry = new SchemaRegistry({ limits: { length: 1999 } });
  const text = describedBy(2);
  await expect(registry.schemaFor(text, 'whole')).rejects.toThrow(
    'The description has 2000 characters; the maximum that is served is 1999.',
  );
  expect(text.reads).toBe(0);
});

it('refuses a description with too many actions', async () => {
  const registry = new SchemaRegistry({ limits: { actions: 9 } });
  await expect(registry.schemaFor(describedBy(1), 'whole')).resolves.toBeDefined();
  await expect(registry.schemaFor(describedBy(2), 'whole')).rejects.toThrow(DescriptionError);
});
