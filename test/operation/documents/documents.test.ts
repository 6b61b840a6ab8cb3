// Tests that parsed documents are kept within a bound on their length.
import { buildSchema, type DocumentNode, type GraphQLError, type GraphQLSchema } from 'graphql';
import { expect, it } from 'vitest';
import { Documents } from '../../../src/operation/documents/documents.ts';
import { DEFAULT_LIMITS } from '../../../src/operation/limits.ts';

const open = () => {
  const documents = new Documents(DEFAULT_LIMITS.document);
  const parsed: string[] = [];
  const parse = (text: string) =>
    documents.parse(
      text,
      () => parsed.push(text),
      () => undefined,
    ) as DocumentNode;
  const validate = (schema: GraphQLSchema, document: DocumentNode) =>
    documents.validate(schema, document, () => undefined);
  return { documents, parse, parsed, validate };
};

it('keeps the latest documents, of at most 500,000 characters together', () => {
  const { parse, parsed } = open();
  const texts = Array.from({ length: 20 }, (_, index) => `{ __typename } #${index} ${'x'.repeat(90_000)}`);
  const documents = texts.map(parse);
  expect(texts.slice(-5).map(parse)).toEqual(documents.slice(-5));
  expect(parsed).toEqual(texts);
  parse(texts[14] ?? '');
  expect(parsed).toEqual([...texts, texts[14]]);
});

it('keeps the error of a text that is no document or is beyond a limit', () => {
  const { parse, parsed } = open();
  const texts = ['{', `{ ${'a: __typename '.repeat(251)} }`];
  for (const text of [...texts, ...texts]) expect(() => parse(text)).toThrow(/Syntax Error|251 aliases/);
  expect(parsed).toEqual(texts);
});

it('validates a document once for each schema, and parses it again after its limits have changed', () => {
  const { documents, parse, parsed, validate } = open();
  const document = parse('{ a }');
  const [one, other] = [buildSchema('type Query { a: Int }'), buildSchema('type Query { b: Int }')];
  expect(validate(one, document)).toEqual([]);
  expect(validate(other, document)).toHaveLength(1);
  expect(validate(other, document)).toBe(validate(other, document));
  documents.clear();
  expect(parse('{ a }')).not.toBe(document);
  expect(parsed).toEqual(['{ a }', '{ a }']);
});

it('keeps no more of an error than its text and its places', () => {
  const { parse, validate } = open();
  const [error] = validate(
    buildSchema('type Query { a: Int }'),
    parse('{ other }'),
  ) as readonly GraphQLError[];
  expect(error?.stack).toBe('GraphQLError: Cannot query field "other" on type "Query".');
  expect(() => parse('{')).toThrow(
    expect.objectContaining({ stack: 'GraphQLError: Syntax Error: Expected Name, found <EOF>.' }),
  );
  expect(new Error('another').stack).toContain('\n');
});
