// Tests the edits that add a field of the documentation to a document.
import { buildSchema, type GraphQLObjectType, parse, validate } from 'graphql';
import { describe, expect, it } from 'vitest';
import { addField, selectedFields } from '../../src/operations/add-field.ts';

const schema = buildSchema(`
  type Query { books(first: Int): BookConnection book(id: ID!, kind: Kind!, filter: Filter!): Book version: String }
  type Mutation { bookCreate(input: BookInput!): BookPayload }
  enum Kind { OLD NEW }
  input Filter { tags: [String!]! age: Int! note: String }
  input BookInput { title: String }
  type BookPayload { book: Book }
  type BookConnection { nodes: [Book!] totalCount: Int }
  type Book { id: ID! title: String author: Author }
  type Author { name: String }
`);

/** @param text The cursor is at `|`, else at the beginning. */
function add(text: string, coordinate: string): string | null {
  const [typeName = '', fieldName = ''] = coordinate.split('.');
  const type = schema.getType(typeName) as GraphQLObjectType;
  const field = type.getFields()[fieldName];
  if (field === undefined) throw new Error(`${coordinate} is unknown.`);
  const plain = text.replace('|', '');
  const edit = addField(schema, plain, { type, field }, Math.max(0, text.indexOf('|')));
  if (edit === null) return null;
  const changed = plain.slice(0, edit.start) + edit.text + plain.slice(edit.end);
  expect(validate(schema, parse(changed))).toEqual([]);
  return changed;
}

describe('a field that is added', () => {
  it.each([
    [
      'a new line of the selection',
      '{\n  books {\n    nodes {\n      id\n    }\n  }\n}',
      'Book.title',
      '{\n  books {\n    nodes {\n      id\n      title\n    }\n  }\n}',
    ],
    ['one line', '{ version }', 'Query.books', '{ version books {\n  nodes {\n    id\n  }\n} }'],
    [
      'its values are written',
      '{ version }',
      'Query.book',
      '{ version book(id: "", kind: OLD, filter: { tags: [], age: 0 }) {\n  id\n} }',
    ],
    ['an empty document', '', 'Query.version', 'query {\n  version\n}\n'],
    ['a document of comments', '# Welcome\n', 'Query.version', '# Welcome\n\nquery {\n  version\n}\n'],
    [
      'another kind of operation',
      'query V { version }',
      'Mutation.bookCreate',
      'query V { version }\n\nmutation BookCreate {\n  bookCreate(input: {}) {\n    __typename\n  }\n}\n',
    ],
    [
      'the selection with the cursor',
      '{ a: book(id: 1, kind: OLD, filter: { tags: [], age: 0 }) { id } b: book(id: 2, kind: OLD, filter: { tags: [], age: 0 }) { id| } }',
      'Book.title',
      '{ a: book(id: 1, kind: OLD, filter: { tags: [], age: 0 }) { id } b: book(id: 2, kind: OLD, filter: { tags: [], age: 0 }) { id title } }',
    ],
    [
      'a fragment',
      'query { books { nodes { ...B } } }\nfragment B on Book {\n  id| # kept\n}',
      'Book.author',
      'query { books { nodes { ...B } } }\nfragment B on Book {\n  id\n  author {\n    __typename\n  } # kept\n}',
    ],
  ])('goes into %s', (_place, before, coordinate, after) => {
    expect(add(before, coordinate)).toBe(after);
  });

  it('has no place in a document that selects no object of its type, or is incomplete', () => {
    expect(add('{ version }', 'Author.name')).toBeNull();
    expect(add('{ version', 'Query.version')).toBeNull();
  });
});

it('knows which fields of a type are selected', () => {
  const type = schema.getType('Book') as GraphQLObjectType;
  expect([...selectedFields(schema, '{ books { nodes { id title } } }', type)]).toEqual(['id', 'title']);
  expect([...selectedFields(schema, '{ books {', type)]).toEqual([]);
});
