// Tests that parsed documents are kept within a bound on their length.
import type { DocumentNode, GraphQLSchema } from 'graphql';
import { expect, it } from 'vitest';
import { Documents } from '../../src/server/documents.ts';
import { DEFAULT_LIMITS } from '../../src/server/limits.ts';

const open = () => {
  const documents = new Documents(DEFAULT_LIMITS);
  const parsed: string[] = [];
  const parse = (text: string) => documents.parse(text, () => parsed.push(text));
  const validate = (schema: GraphQLSchema, document: DocumentNode) => documents.validate(schema, document);
  return { documents, parse, parsed, validate };
};

it('keeps the latest documents, of at most 500,000 characters together', () => {
  const { parse, parsed } = open();
  const texts = Array.from({ length: 20 }, (_, index) => `{ __typename } #${index} ${'x'.repeat(60_000)}`);
  const documents = texts.map(parse);
  expect(texts.slice(-8).map(parse)).toEqual(documents.slice(-8));
  expect(parsed).toEqual(texts);
  parse(texts[11] ?? '');
  expect(parsed).toEqual([...texts, texts[11]]);
});
