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

it('makes one schema for equal descriptions, and goes on after one that fails', () => {
  const registry = new SchemaRegistry();
  const [first, second] = [describedBy(2), describedBy(3)];
  const served = registry.schemaFor(first, 'whole');
  expect(registry.schemaFor({ ...first }, 'whole')).toBe(served);
  expect(first.reads).toBe(1);
  const broken: DescriptionText = { fingerprint: 'broken', length: 4, read: () => null };
  expect(() => registry.schemaFor(broken, 'whole')).toThrow(DescriptionError);
  expect(registry.schemaFor(second, 'whole')).not.toBe(served);
});

it.each([[{ cachedSchemas: 2 }], [{ cachedDescriptions: 5000 }]])(
  'keeps the schemas that were used last within %o',
  (limits) => {
    const registry = new SchemaRegistry({ limits });
    for (const resources of [1, 2, 1, 3]) registry.schemaFor(describedBy(resources), 'whole');
    const kept = ['1', '2', '3'].filter((count) => registry.get(`whole ${count} resources`) !== undefined);
    expect(kept).toEqual(['1', '3']);
  },
);

it('refuses a description that is too long without reading it', () => {
  const registry = new SchemaRegistry({ limits: { descriptionLength: 1999 } });
  const text = describedBy(2);
  expect(() => registry.schemaFor(text, 'whole')).toThrow(
    'The description has 2000 characters; the maximum that is served is 1999.',
  );
  expect(text.reads).toBe(0);
});

it('refuses a description with too many actions', () => {
  const registry = new SchemaRegistry({ limits: { describedActions: 9 } });
  expect(registry.schemaFor(describedBy(1), 'whole')).toBeDefined();
  expect(() => registry.schemaFor(describedBy(2), 'whole')).toThrow(DescriptionError);
});
