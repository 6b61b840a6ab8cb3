// Tests that parsed documents are kept within a bound on their length.
import { parse } from 'graphql';
import { expect, it } from 'vitest';
import { createDocumentCaches } from '../../../src/operation/documents/document-cache.ts';

it('keeps the latest documents, of at most 500,000 characters together', () => {
  const { documentCache: cache } = createDocumentCaches();
  const document = parse('{ __typename }');
  const texts = Array.from({ length: 20 }, (_, index) => `{ __typename } #${index} ${'x'.repeat(90_000)}`);
  for (const text of texts) cache.set(text, document);
  expect([...cache.keys()]).toEqual(texts.slice(-5).reverse());
  cache.set('x'.repeat(500_001), document);
  expect(cache.size).toBe(5);
});
