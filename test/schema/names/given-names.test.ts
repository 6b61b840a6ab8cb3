// Tests the override that gives names to elements of the schema.
import { describe, expect, it } from 'vitest';
import { parseOverrides } from '../../../src/schema/model/overrides.ts';
import {
  action,
  list,
  type Raw,
  type RawParameters,
  refersTo,
  resource,
  show,
} from '../../helpers/describe-api.ts';
import { openDescribed } from '../../helpers/described.ts';
import { ok } from '../../helpers/stub-upstream.ts';

const STATE: Raw = { type: 'String', validators: { include: { values: ['lent', 'here'], message: '' } } };
const AUTHOR: RawParameters = { id: 'Integer', name: 'String' };
const BOOK: RawParameters = { id: 'Integer', title: 'String', state: STATE, author: refersTo(['author']) };
const FILTERS = { state: STATE, author: refersTo(['author']), editor: refersTo(['author']) };
const RESOURCES = {
  author: resource({ index: list('author', 'authors', AUTHOR), show: show('author', 'authors', AUTHOR) }),
  book: resource({
    index: list('book', 'books', BOOK, { input: FILTERS }),
    show: show('book', 'books', BOOK),
    find_by_title: action({
      path: '/books/by_title',
      namespace: 'book',
      input: { title: 'String' },
      output: BOOK,
    }),
    lend: action({
      path: '/books/{book_id}/lend',
      method: 'POST',
      namespace: 'book',
      input: { to: 'String' },
      output: BOOK,
    }),
  }),
};
const NAMES = {
  Book: 'Volume',
  'Volume.title': 'name',
  'Author.volumesByEditor': 'editedVolumes',
  VolumeState: 'Availability',
  'Availability.HERE': 'IN',
  'VolumeFilter.state': 'availability',
  'VolumeLendInput.to': 'reader',
  'Query.volumeByTitle': 'volumeNamed',
  'Query.volumeNamed(title:)': 'name',
};

const open = (names: Record<string, string>) =>
  openDescribed(RESOURCES, {}, { overrides: parseOverrides({ names }) });

describe('a name of the overrides', () => {
  it('is that of a type and what is made of it, a field, an argument, an input field, a value', async () => {
    const row = { id: 1, title: 'One', state: 'here', author: { id: 7, name: 'Ann' } };
    await using at = await open(NAMES);
    expect(at.facade.schema.findings).toEqual([]);
    at.upstream.handlers.set('book#index', () => ok({ books: [row] }));
    at.upstream.handlers.set('book#find_by_title', () => ok({ book: row }));
    at.upstream.handlers.set('book#show', () => ok({ book: row }));
    at.upstream.handlers.set('book#lend', () => ok({ book: { ...row, state: 'lent' } }));
    at.upstream.handlers.set('author#show', () => ok({ author: { id: 7, name: 'Ann' } }));
    const read = await at.ask(`{
      volumes(filter: { availability: IN }) { nodes { __typename name state } }
      volumeNamed(name: "One") { name }
      author(id: 7) { editedVolumes { nodes { name } } }
    }`);
    expect(read.errors).toEqual([]);
    expect(read.data).toEqual({
      volumes: { nodes: [{ __typename: 'Volume', name: 'One', state: 'IN' }] },
      volumeNamed: { name: 'One' },
      author: { editedVolumes: { nodes: [{ name: 'One' }] } },
    });
    const written = await at.ask(
      'mutation { volumeLend(id: 1, input: { reader: "Bo" }) { book { name state } } }',
    );
    expect(written.data).toEqual({ volumeLend: { book: { name: 'One', state: 'LENT' } } });
    expect(at.upstream.calls.at(-1)?.body).toEqual({ book: { to: 'Bo' } });
  });

  it('may be exchanged for another', async () => {
    await using at = await open({
      Book: 'Author',
      Author: 'Book',
      'Author.title': 'id2',
      'Author.state': 'title',
    });
    expect(at.facade.schema.findings).toEqual([]);
    const { data } = await at.ask('{ __type(name: "Author") { fields { name } } }');
    expect(JSON.stringify(data)).toContain('"title"');
  });

  it.each([
    [{ AB: 'First' }, ['ABResource', 'First']],
    [{ AB: 'First', ABResource: 'Second' }, ['First', 'Second']],
    [{ ABResource: 'AB', AB: 'ABResource' }, ['AB', 'ABResource']],
  ])('leaves the names of other types: %j', async (names, expected) => {
    const named = (name: string) => resource({ show: show(name, `${name}s`, { id: 'Integer' }) });
    const overrides = parseOverrides({ names });
    await using at = await openDescribed({ a__b: named('a__b'), a_b: named('a_b') }, {}, { overrides });
    expect(Object.keys(at.facade.schema.schema.getTypeMap())).toEqual(expect.arrayContaining(expected));
    expect(at.facade.schema.findings).toMatchObject(
      'ABResource' in names ? [] : [{ code: 'TYPE_NAME_CLASH' }],
    );
  });

  it.each([
    [{ 'Book.dataX': 'first' }, ['dataXValue', 'first']],
    [{ 'Book.dataX': 'first', 'Book.dataXValue': 'second' }, ['first', 'second']],
  ])('leaves the names of other fields: %j', async (names, expected) => {
    const output: RawParameters = { id: 'Integer', data__x: 'String', data_x: 'String' };
    const overrides = parseOverrides({ names });
    await using at = await openDescribed(
      { book: resource({ show: show('book', 'books', output) }) },
      {},
      { overrides },
    );
    const { data } = await at.ask('{ __type(name: "Book") { fields { name } } }');
    expect(data).toEqual({ __type: { fields: ['id', 'databaseId', ...expected].map((name) => ({ name })) } });
  });

  it.each(['cover', 'lastAuthor'])('is refused where a nested field or an edge has it: %s', async (name) => {
    const output: RawParameters = { id: 'Integer', title: 'String', last_author_id: 'Integer' };
    const cover = resource({
      show: action({ path: '/books/{book_id}/covers/{cover_id}', namespace: 'cover', output: AUTHOR }),
    });
    const resources = {
      author: RESOURCES.author,
      book: resource({ show: show('book', 'books', output) }, { cover }),
    };
    const overrides = parseOverrides({ names: { 'Book.title': name } });
    await expect(openDescribed(resources, {}, { overrides })).rejects.toThrow('names.Book.title: ');
  });

  it('is refused where a type that comes later has it', async () => {
    await expect(open({ BookState: 'BookConnection' })).rejects.toThrow('names.BookState: ');
  });

  it('is reported where the schema has no such element', async () => {
    await using at = await open({ 'Book.isbn': 'number', 'Book.id': 'key', Novel: 'Book2' });
    expect(at.facade.schema.findings).toMatchObject(
      ['Book.isbn', 'Book.id', 'Novel'].map((at) => ({ code: 'OVERRIDE_UNUSABLE', path: `names.${at}` })),
    );
  });

  it('is refused when the server starts, with all others that cannot be given', async () => {
    const names = {
      ...{ Book: 'Author', Author: 'PageInfo', BookState: 'UserError', 'Book.title': 'databaseId' },
      ...{ 'Query.authors': 'nodes', 'BookState.LENT': 'HERE', 'BookFilter.author': 'editor' },
    };
    const failure = await open(names).then(
      () => '',
      (error: Error) => error.message,
    );
    expect(failure).toMatch(/^The overrides cannot be used\. names\.\w/);
    for (const coordinate of Object.keys(names)) expect(failure).toContain(`names.${coordinate}: `);
  });

  it.each([
    [{ 'Book.title': '2nd', 'Book.state': '__state' }, /names\.Book\.title: .*"2nd"; names\.Book\.state: /],
    [{ 'Book title': 'name' }, /"Book title" is no coordinate/],
  ])('is refused as a setting where it is none: %j', (names, message) => {
    expect(() => parseOverrides({ names })).toThrow(message);
  });
});
