// Tests that validation in steps finds what graphql-js finds.
import fc from 'fast-check';
import { buildSchema, type DocumentNode, type GraphQLSchema, parse, specifiedRules, validate } from 'graphql';
import { describe, expect, it } from 'vitest';
import {
  incrementalRule,
  MAX_ERRORS,
  validationSteps,
} from '../../../../src/operation/documents/validation/validate-document.ts';
import { runAtOnce, runWithPauses } from '../../../../src/upstream/steps.ts';
import { writeHostileDocuments } from '../../../helpers/hostile-documents.ts';
import { ODD_SCHEMA } from '../../../helpers/odd-schema.ts';
import { type Choose, writeOperation } from '../../../helpers/random-documents.ts';

const SEED = Number(process.env['SEED'] ?? 20_261_123);
const RUNS = Number(process.env['RUNS'] ?? 500);

/** What graphql-js says of a document that takes it too much work. */
const ABORTED = 'Validation aborted.';

/** Parts of messages that generated documents must cause. */
const MESSAGES = [
  'Boolean cannot represent',
  'Cannot query field',
  'There can be only one fragment',
  'There can be only one argument',
  'Unknown argument',
  'Unknown directive',
  'Unknown fragment',
  'Unknown type',
  'are different fields',
  'can never be of type',
  'cannot be non-input type',
  'cannot condition on non composite type',
  'differing arguments',
  'is never used',
  'is not defined',
  'is required',
  'must have a selection',
  'must not have a selection',
  'used in position',
];

/** What graphql-js finds. */
const expectedErrors = (schema: GraphQLSchema, document: DocumentNode) =>
  validate(schema, document, [...specifiedRules, incrementalRule], { maxErrors: MAX_ERRORS }).map((error) =>
    error.toJSON(),
  );

const foundErrors = (schema: GraphQLSchema, document: DocumentNode) =>
  runAtOnce(validationSteps(schema, document)).map((error) => ({
    ...error.toJSON(),
    message: error.message.startsWith('Too many fields and fragments') ? ABORTED : error.message,
  }));

/** Generates operations of the odd schema, and puts some words of each in the places of others. */
const documents = fc.infiniteStream(fc.nat()).map((stream): string => {
  const choose: Choose = (below) => Number(stream.next().value) % below;
  const { query, variables: _variables } = writeOperation(ODD_SCHEMA, choose, true);
  const pieces = `${query} ${choose(4) === 0 ? query.slice(query.indexOf('fragment')) : ''}`.split(
    /\b(\w+)\b/,
  );
  const place = (): number => 2 * choose((pieces.length - 1) / 2) + 1;
  for (let changes = choose(6); changes > 0; changes -= 1) pieces[place()] = pieces[place()] ?? '';
  return pieces.join('');
});

function parseIfPossible(text: string): DocumentNode | null {
  try {
    return parse(text);
  } catch {
    return null;
  }
}

describe('validation in steps', { timeout: 300_000 }, () => {
  it('finds the errors of graphql-js in generated documents, in the same order', () => {
    const messages: string[] = [];
    fc.assert(
      fc.property(documents, (text) => {
        const document = parseIfPossible(text);
        if (document === null) return;
        const expected = expectedErrors(ODD_SCHEMA, document);
        messages.push(...expected.map(({ message }) => message));
        expect(foundErrors(ODD_SCHEMA, document)).toEqual(expected);
      }),
      { seed: SEED, numRuns: RUNS },
    );
    for (const part of MESSAGES) expect(messages, part).toContainEqual(expect.stringContaining(part));
  });

  const schema = buildSchema(`
    type Query { thing(id: ID, in: In): Thing  node: Node }
    interface Node { part: Node }
    type Thing implements Node { name: String  part: Thing  list: [String]  must: String! }
    type Other implements Node { name: Int  part: Other  list: String  must: String }
    input In { a: Int  b: [In] }
  `);
  const onBoth = (one: string, other: string) =>
    `{ node { ... on Thing { ${one} } ... on Other { ${other} } } }`;

  it.each([
    onBoth('name', 'name'),
    onBoth('list', 'list'),
    onBoth('must', 'must'),
    onBoth('x: part { must }', 'x: part { must }'),
    `${onBoth('x: part { ...T }', 'x: part { y: name }')} fragment T on Thing { part { y: list } y: must }`,
    `{ thing { part { part { ${'a: name '.repeat(9)} ${'a: must '.repeat(9)} } } part { part { a: list } } } }`,
    '{ thing(in: { a: 1, b: [{ a: 2 }] }) { name } thing(in: { b: [{ a: 2 }], a: 1 }) { name } }',
    '{ thing(in: { a: 1 }, id: 1) { name } thing(id: 1, in: { a: 1 }) { name } }',
    '{ thing(id: "1") { name } thing(id: """1""") { name } thing(id: 1) { name } thing(id: $v) { name } }',
    '{ thing { ...A ...B } } fragment A on Thing { ...B a: name } fragment B on Thing { ...A a: must }',
    'query A { thing { name } } query A { thing { ...U } } { node { part } } type X @a { f(a: Y @b): Z }',
    'subscription { a b __schema { types { fields { type { fields { type { fields { name } } } } } } } }',
  ])('finds them in %s', (text) => {
    const document = parse(text);
    expect(foundErrors(schema, document)).toEqual(expectedErrors(schema, document));
  });

  const hostile = writeHostileDocuments({ root: 'thing(id: 1)', type: 'Thing', self: 'part', leaf: 'name' });

  it.each(Object.entries(hostile))('finds them in a document with %s', (_what, text) => {
    const document = parse(text);
    expect(foundErrors(schema, document)).toEqual(expectedErrors(schema, document));
  });

  it.each(Object.entries(hostile))('pauses often in a document with %s', async (_what, text) => {
    const document = parse(text);
    let pauses = 0;
    const errors = await runWithPauses(validationSteps(schema, document), () => {
      pauses += 1;
      return Promise.resolve();
    });
    expect(pauses).toBeGreaterThan(MAX_ERRORS);
    expect(errors.map(({ message }) => message)).toEqual(
      runAtOnce(validationSteps(schema, document)).map(({ message }) => message),
    );
  });
});
