// Tests that parsed documents are kept within a bound on their length.
import { buildSchema } from 'graphql';
import { expect, it } from 'vitest';
import { Documents } from '../../../src/operation/documents/documents.ts';
import { DEFAULT_LIMITS } from '../../../src/operation/limits.ts';

const open = () => {
  const documents = new Documents(DEFAULT_LIMITS.document);
  const parsed: string[] = [];
  const parse = (text: string) => documents.parse(text, () => parsed.push(text));
  return { documents, parse, parsed };
};

it('keeps the latest documents, of at most 500,000 characters together', () => {
  const { parse, parsed } = open();
  const texts = Array.from({ length: 20 }, (_, index) => `{ __typename } #${index} ${'x'.repeat(90_000)}`);
  const documents = texts.map(parse);
  expect(texts.slice(-5).map(parse)).toEqual(documents.slice(-5));
  expect(parsed).toEqual(texts);
  const long = `{ __typename } #${'x'.repeat(500_001)}`;
  parse(long);
  parse(long);
  parse(texts[19] ?? '');
  expect(parsed).toEqual([...texts, long, long]);
});

it('keeps the error of a text that is no document or is beyond a limit', () => {
  const { parse, parsed } = open();
  const texts = ['{', `{ ${'a: __typename '.repeat(251)} }`];
  for (const text of [...texts, ...texts]) expect(() => parse(text)).toThrow(/Syntax Error|251 aliases/);
  expect(parsed).toEqual(texts);
});

it('validates a document once for each schema, and parses it again after its limits have changed', () => {
  const { documents, parse, parsed } = open();
  const document = parse('{ a }');
  const [one, other] = [buildSchema('type Query { a: Int }'), buildSchema('type Query { b: Int }')];
  expect(documents.validate(one, document)).toEqual([]);
  expect(documents.validate(other, document)).toHaveLength(1);
  expect(documents.validate(other, document)).toBe(documents.validate(other, document));
  documents.clear();
  expect(parse('{ a }')).not.toBe(document);
  expect(parsed).toEqual(['{ a }', '{ a }']);
});
