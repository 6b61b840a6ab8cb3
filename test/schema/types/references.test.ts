// Tests edges beside outputs that are ids of other objects, although they are described as integers.

import { assertObjectType } from 'graphql';
import { describe, expect, it } from 'vitest';
import { parseOverrides } from '../../../src/schema/model/overrides.ts';
import {
  action,
  list,
  parameters,
  type Raw,
  type RawParameters,
  refersTo,
  resource,
  show,
} from '../../helpers/describe-api.ts';
import { type DescribedApi, openDescribed, openDescribedCallers } from '../../helpers/described.ts';
import { type Handler, ok, refuse } from '../../helpers/stub-upstream.ts';

const AUTHOR = { id: 'Integer', name: 'String' } as const;
const author = resource({
  index: list('author', 'authors', AUTHOR),
  show: show('author', 'authors', AUTHOR),
});
const nested = (name: string) => ({
  show: action({
    path: `/shelves/{shelf_id}/${name}s/{${name}_id}`,
    namespace: name,
    output: { id: 'Integer' },
  }),
});
const shelf = resource(
  { show: show('shelf', 'shelves', { id: 'Integer', last_box_id: 'Integer' }) },
  { box: resource(nested('box')) },
);
const books = (output: RawParameters, more: Raw = {}) =>
  resource({
    index: list('book', 'books', { id: 'Integer', ...output }),
    show: show('book', 'books', { id: 'Integer', ...output }),
    ...more,
  });

const shownAuthor: Handler = ({ path: [id] }) =>
  Number(id) < 100
    ? ok({ author: { id: Number(id), name: `author ${id}` } })
    : refuse('not found', null, 404);
const listed =
  (...rows: readonly object[]): Handler =>
  () =>
    ok({ books: rows });

/** The fields of a type, with the names of their types. */
const fieldsOf = (api: DescribedApi, type: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.values(assertObjectType(api.facade.schema.schema.getType(type)).getFields()).map((field) => [
      field.name,
      String(field.type),
    ]),
  );
const open = (output: RawParameters, overrides: Raw = {}, more: Raw = {}) =>
  openDescribed(
    { author, shelf, book: books(output, more) },
    { 'author#show': shownAuthor },
    { overrides: parseOverrides(overrides) },
  );

describe('an integer that is the id of an object', () => {
  it('has an edge beside it, and each object is fetched once', async () => {
    await using at = await open({ author_id: 'Integer' });
    at.upstream.handlers.set(
      'book#index',
      listed({ id: 1, author_id: 7 }, { id: 2, author_id: 7 }, { id: 3, author_id: null }),
    );
    const { data, errors } = await at.ask('{ books { nodes { authorDatabaseId author { id name } } } }');
    expect(errors).toEqual([]);
    const ann = { id: 'author/7', name: 'author 7' };
    expect(data).toEqual({
      books: {
        nodes: [
          { authorDatabaseId: 7, author: ann },
          { authorDatabaseId: 7, author: ann },
          { authorDatabaseId: null, author: null },
        ],
      },
    });
    expect(at.upstream.calls.map(({ scope }) => scope)).toEqual(['book#index', 'author#show']);
  });

  it('needs no call for the ids and the type of the object', async () => {
    await using at = await open({ author_id: 'Integer' });
    at.upstream.handlers.set('book#index', listed({ id: 1, author_id: 700 }));
    const { data } = await at.ask('{ books { nodes { author { __typename id databaseId } } } }');
    expect(data).toEqual({
      books: { nodes: [{ author: { __typename: 'Author', id: 'author/700', databaseId: 700 } }] },
    });
    expect(at.upstream.calls).toHaveLength(1);
  });

  it('is null with a warning where the API does not find the object', async () => {
    await using at = await open({ author_id: 'Integer' });
    at.upstream.handlers.set('book#index', listed({ id: 1, author_id: 700 }, { id: 2, author_id: 7 }));
    const { data, errors, extensions } = await at.ask('{ books { nodes { author { name } } } }');
    expect(errors).toEqual([]);
    expect(data).toEqual({ books: { nodes: [{ author: null }, { author: { name: 'author 7' } }] } });
    expect(extensions).toMatchObject({
      warnings: [{ code: 'REFERENCE_NOT_FOUND', coordinate: 'Book.author', count: 1 }],
    });
  });

  it('fails with the values of the object where the API fails', async () => {
    await using at = await open({ author_id: 'Integer' });
    at.upstream.handlers.set('author#show', () => refuse('broken', null, 500));
    at.upstream.handlers.set('book#index', listed({ id: 1, author_id: 7 }));
    const { data, errors } = await at.ask('{ books { nodes { author { id name } } } }');
    expect(errors).toMatchObject([{ path: ['books', 'nodes', 0, 'author', 'name'] }]);
    expect(data).toEqual({ books: { nodes: [{ author: { id: 'author/7', name: null } }] } });
  });

  it('is there for a caller who may not show the object, whose values are then errors', async () => {
    const all = { author, book: books({ author_id: 'Integer' }) };
    const reader = { ...all, author: resource({ index: list('author', 'authors', AUTHOR) }) };
    await using api = await openDescribedCallers(all, { anonymous: {}, reader, operator: all }, 'operator', {
      'book#index': listed({ id: 1, author_id: 7 }),
    });
    const { data, errors } = await api.ask('reader', '{ books { nodes { author { id name } } } }');
    expect(data).toEqual({ books: { nodes: [{ author: { id: 'author/7', name: null } }] } });
    expect(errors).toMatchObject([{ path: ['books', 'nodes', 0, 'author', 'name'] }]);
  });

  it('below the same parent has the ids of this parent', async () => {
    await using at = await open({});
    at.upstream.handlers.set('shelf#show', () => ok({ shelf: { id: 3, last_box_id: 5 } }));
    const { data, errors } = await at.ask('{ shelf(id: 3) { lastBox { id } } }');
    expect(errors).toEqual([]);
    expect(data).toEqual({ shelf: { lastBox: { id: 'shelf/3/box/5' } } });
  });

  it.each<[string, RawParameters, Readonly<Record<string, string>>]>([
    ['after `raw_`', { raw_author_id: 'Integer' }, { authorDatabaseId: 'SafeInt', author: 'Author' }],
    [
      'after a role',
      { last_author_id: 'Integer' },
      { lastAuthorDatabaseId: 'SafeInt', lastAuthor: 'Author' },
    ],
    ['of a resource that begins with the own one', { review_id: 'Integer' }, { review: 'BookReview' }],
    ['by the plain one of two', { raw_author_id: 'Integer', author_id: 'Integer' }, { author: 'Author' }],
  ])('is found by its name %s', async (_name, output, expected) => {
    await using at = await openDescribed({
      author,
      book: books(output),
      book_review: resource({ show: show('book_review', 'reviews', { id: 'Integer' }) }),
    });
    expect(fieldsOf(at, 'Book')).toMatchObject(expected);
  });

  it.each<[string, RawParameters, Raw]>([
    ['beside an association of that name', { author_id: 'Integer', author: refersTo(['author']) }, {}],
    ['beside a value of that name', { author_id: 'Integer', author: 'String' }, {}],
    ['if it is a text', { author_id: 'String' }, {}],
    ['of no resource', { editor_id: 'Integer' }, {}],
    ['of its own resource', { book_id: 'Integer' }, {}],
    ['of a resource below a parent that is not known', { box_id: 'Integer' }, {}],
  ])('has no edge %s', async (_name, output, more) => {
    await using at = await open(output, {}, more);
    const types = Object.values(fieldsOf(at, 'Book')).filter((type) => /^[A-Z]\w+$/.test(type));
    const association = output['author'] === undefined || output['author'] === 'String' ? 0 : 1;
    expect(types.filter((type) => /^(?:Author|Book|ShelfBox)$/.test(type))).toHaveLength(association);
  });

  const update = action({
    method: 'PUT',
    path: '/books/{book_id}',
    namespace: 'book',
    input: { author_id: 'Integer' },
    output: {},
  });

  it('has none, but a finding, if a write sets it: an input that refers to an object has another type', async () => {
    await using at = await open({ author_id: 'Integer' }, {}, { update });
    expect(fieldsOf(at, 'Book')).not.toHaveProperty('author');
    expect(at.facade.schema.findings).toMatchObject([
      {
        code: 'REFERENCE_UNKNOWN',
        path: 'Book.authorId',
        reason: expect.stringContaining('"references": { "Book.authorId": "author" }'),
      },
    ]);
  });

  it.each([
    ['that it is one', { 'Book.authorId': 'author' }, true],
    ['that it is none', { 'Book.authorId': false }, false],
    ['that it is none, by its other name', { 'Book.authorDatabaseId': false }, false],
  ])('follows the override that says %s', async (_name, references, hasEdge) => {
    await using at = await open({ author_id: 'Integer' }, { references }, { update });
    expect(Object.keys(fieldsOf(at, 'Book')).includes('author')).toBe(hasEdge);
    expect(at.facade.schema.findings).toEqual([]);
  });

  it('may be named by an override that no name tells', async () => {
    await using at = await open({ writer: 'Integer' }, { references: { 'Book.writer': 'author' } });
    expect(fieldsOf(at, 'Book')).toMatchObject({ writer: 'SafeInt', author: 'Author' });
  });

  it.each(['editor', 'shelf.box', { namedBy: 'kind' }])(
    'ignores the override %j with a finding',
    async (given) => {
      await using at = await open({ author_id: 'Integer' }, { references: { 'Book.authorId': given } });
      expect(fieldsOf(at, 'Book')).not.toHaveProperty('author');
      expect(at.facade.schema.findings).toMatchObject([{ code: 'OVERRIDE_UNUSABLE', path: 'Book.authorId' }]);
    },
  );

  it.each([1, true, {}])('refuses the override %j', (given) => {
    expect(() => parseOverrides({ references: { 'Book.authorId': given } })).toThrow(
      'references.Book.authorId: expected a resource path, an object with "namedBy" (the name of an output parameter), or false',
    );
  });
});

describe('an id beside the name of its resource', () => {
  const EVENT = { id: 'Integer', object: 'String', object_id: 'Integer' } as const;
  const event = resource({ index: list('event', 'events', EVENT) });
  const openEvents = (rows: readonly object[]) =>
    openDescribed(
      { author, shelf, event },
      { 'event#index': () => ok({ events: rows }), 'author#show': shownAuthor },
    );

  it('has an edge to an object of any type', async () => {
    await using at = await openEvents([
      { id: 1, object: 'author', object_id: 7 },
      { id: 2, object: 'Author', object_id: 8 },
      { id: 3, object: null, object_id: null },
    ]);
    const { data, errors } = await at.ask(
      '{ events { nodes { object objectNode { id __typename ... on Author { name } } } } }',
    );
    expect(errors).toEqual([]);
    expect(data).toEqual({
      events: {
        nodes: [
          { object: 'author', objectNode: { id: 'author/7', __typename: 'Author', name: 'author 7' } },
          { object: 'Author', objectNode: { id: 'author/8', __typename: 'Author', name: 'author 8' } },
          { object: null, objectNode: null },
        ],
      },
    });
  });

  it('is null with a warning where no such object can be read', async () => {
    await using at = await openEvents([
      { id: 1, object: 'mystery', object_id: 7 },
      { id: 2, object: 'shelf.box', object_id: 7 },
      { id: 3, object: 'author', object_id: 700 },
    ]);
    const { data, errors, extensions } = await at.ask(
      '{ events { nodes { objectNode { ... on Author { name } } } } }',
    );
    expect(errors).toEqual([]);
    expect(data).toEqual({
      events: { nodes: [{ objectNode: null }, { objectNode: null }, { objectNode: null }] },
    });
    expect(extensions).toMatchObject({
      warnings: [{ code: 'REFERENCE_NOT_FOUND', coordinate: 'Event.objectNode', count: 3 }],
    });
  });

  it('is told by an override where other words are used', async () => {
    const output = { name: 'String', row_id: 'Integer' } as const;
    await using plain = await open(output);
    expect(fieldsOf(plain, 'Book')).not.toHaveProperty('row');
    expect(plain.facade.schema.findings).toMatchObject([
      { code: 'REFERENCE_UNKNOWN', path: 'Book.rowId', reason: expect.stringContaining('"namedBy"') },
    ]);
    await using at = await open(output, { references: { 'Book.rowId': { namedBy: 'name' } } });
    expect(fieldsOf(at, 'Book')).toMatchObject({ row: 'Node' });
    expect(at.facade.schema.findings).toEqual([]);
  });

  it('may be one that a write sets, of a resource that is called as such ids are', async () => {
    const output = { id: 'Integer', entity_type: 'String', entity_id: 'Integer' } as const;
    const { show: shown } = nested('entity') as { readonly show: Raw };
    const create = action({
      method: 'POST',
      path: '/shelves/{shelf_id}/entities',
      namespace: 'entity',
      input: { entity_id: 'Integer' },
    });
    const parts = { namespace: 'entity', parameters: parameters(output) };
    const entity = resource({ show: { ...shown, output: { layout: 'object', ...parts } }, create });
    const above = resource({ show: show('shelf', 'shelves', { id: 'Integer' }) }, { entity });
    await using at = await openDescribed({ author, shelf: above });
    expect(fieldsOf(at, 'ShelfEntity')).toMatchObject({ entityDatabaseId: 'SafeInt', entity: 'Node' });
    expect(at.facade.schema.findings).toEqual([]);
  });

  it('has none where the described values of the text are no resources', async () => {
    const kinds = { type: 'String', validators: { include: { values: ['good', 'bad'] } } };
    await using at = await open({ object: kinds, object_id: 'Integer' });
    expect(fieldsOf(at, 'Book')).not.toHaveProperty('objectNode');
  });

  it('fetches the row that lacks them', async () => {
    await using at = await openDescribed(
      {
        author,
        event: resource({
          index: list('event', 'events', { id: 'Integer' }),
          show: show('event', 'events', EVENT),
        }),
      },
      {
        'event#index': () => ok({ events: [{ id: 1 }] }),
        'event#show': () => ok({ event: { id: 1, object: 'author', object_id: 7 } }),
      },
    );
    const { data } = await at.ask('{ events { nodes { objectNode { id } } } }');
    expect(data).toEqual({ events: { nodes: [{ objectNode: { id: 'author/7' } }] } });
  });
});

describe('an output that is no object of its resource', () => {
  const find = (output: RawParameters, path = '/find') =>
    action({ path, namespace: 'hits', layout: 'hash_list', output });

  it('has its id as `databaseId`, and an edge to the object that another output names', async () => {
    const search = find({ resource: 'String', id: 'Integer' });
    await using at = await openDescribed(
      { author, index: resource({ search }) },
      {
        'index#search': () => ok({ hits: [{ resource: 'author', id: 7 }] }),
        'author#show': shownAuthor,
      },
    );
    expect(fieldsOf(at, 'IndexSearchResult')).toEqual({
      databaseId: 'SafeInt',
      resource: 'String',
      object: 'Node',
    });
    const { data, errors } = await at.ask(
      '{ indexSearchResults { databaseId object { id ... on Author { name } } } }',
    );
    expect(errors).toEqual([]);
    expect(data).toEqual({
      indexSearchResults: [{ databaseId: 7, object: { id: 'author/7', name: 'author 7' } }],
    });
  });

  it('has an edge to the object if it contains values of one', async () => {
    const status = find({ id: 'Integer', name: 'String', uptime: 'Integer' }, '/statuses');
    await using at = await openDescribed(
      {
        author: resource({
          show: show('author', 'authors', AUTHOR),
          statuses: { ...status, output: { ...(status['output'] as Raw), layout: 'object_list' } },
        }),
      },
      {
        'author#statuses': () => ok({ hits: [{ id: 7, name: 'Ann', uptime: 5 }] }),
        'author#show': shownAuthor,
      },
    );
    const { data, errors } = await at.ask('{ authorStatuses { databaseId name uptime author { id name } } }');
    expect(errors).toEqual([]);
    expect(data).toEqual({
      authorStatuses: [
        { databaseId: 7, name: 'Ann', uptime: 5, author: { id: 'author/7', name: 'author 7' } },
      ],
    });
  });
});

describe('an output `id` that is not the id in the path', () => {
  it('is `databaseId` of a singleton', async () => {
    await using at = await openDescribed({
      setting: resource({ show: action({ path: '/setting', namespace: 'setting', output: AUTHOR }) }),
    });
    expect(fieldsOf(at, 'Setting')).toEqual({ id: 'ID!', databaseId: 'SafeInt', name: 'String' });
  });

  it('is `idValue` beside another `databaseId`', async () => {
    const output = { id: 'Integer', number: 'Integer' } as const;
    const overrides = parseOverrides({ pathIds: { room: 'number' } });
    const room = resource({ show: show('room', 'rooms', output) });
    await using at = await openDescribed({ room }, {}, { overrides });
    expect(fieldsOf(at, 'Room')).toMatchObject({ databaseId: 'SafeInt', idValue: 'SafeInt' });
  });
});
