import { describe, expect, it } from 'vitest';
import { createFacade } from '../../src/server/facade.ts';
import {
  action,
  describeApi,
  type Raw,
  type RawParameters,
  refersTo,
  resource,
} from '../helpers/describe-api.ts';
import { ask, collectLog } from '../helpers/facade.ts';
import { type Handler, ok, raw, startStub } from '../helpers/stub-upstream.ts';

const headers = { 'X-Library-Token': 'reader' };

async function open(resources: Raw, handlers: Readonly<Record<string, Handler>> = {}) {
  const stub = await startStub(describeApi(resources), handlers);
  const facade = await createFacade({ upstream: stub.url, log: collectLog() });
  return {
    stub,
    facade,
    ask: (query: string) => ask(facade, query, { headers }),
    async [Symbol.asyncDispose]() {
      await facade.close();
      await stub[Symbol.asyncDispose]();
    },
  };
}

const list = (
  name: string,
  plural: string,
  output: RawParameters,
  more: Partial<Parameters<typeof action>[0]> = {},
) =>
  action({
    path: `/${plural}`,
    namespace: name,
    outputNamespace: plural,
    layout: 'object_list',
    output,
    ...more,
  });
const show = (name: string, plural: string, output: RawParameters) =>
  action({ path: `/${plural}/{${name}_id}`, namespace: name, output });

describe('a description whose names fall on the facade’s own', () => {
  it('is served all the same', async () => {
    const ID = { id: 'Integer' } as const;
    const choice = { type: 'String', label: 'x', validators: { include: { values: ['a'], message: 'no' } } };
    await using at = await open({
      page: resource({
        show: show('page', 'pages', ID),
        info: action({ path: '/pages/{page_id}/info', output: { words: 'Integer' } }),
      }),
      user: resource({
        index: list('user', 'users', ID, { input: { error: choice } }),
        create: action({ path: '/users', method: 'POST', namespace: 'user', output: ID }),
      }),
      date: resource({
        show: show('date', 'dates', ID),
        time: action({ path: '/dates/{date_id}/time', output: { zone: 'String' } }),
      }),
      action: resource({ outcome: action({ path: '/actions/outcome', output: { word: 'String' } }) }),
    });
    const { data } = await at.ask('{ __schema { types { name } } }');
    const names = JSON.stringify(data);
    for (const name of ['PageInfoResource', 'UserErrorResource', 'DateTimeResource', 'ActionOutcomeResource'])
      expect(names).toContain(`"${name}"`);
  });
});

describe('a query', () => {
  const D = { id: 'Integer', parent: refersTo(['d'], 'name') } as const;
  const answer = { 'd#show': () => ok({ d: { id: 1, parent: null } }) };

  it('whose fragments double at each level costs no more than its length', async () => {
    await using at = await open({ d: resource({ show: show('d', 'ds', D) }) }, answer);
    const levels = 60;
    const fragments = Array.from(
      { length: levels },
      (_, level) => `fragment F${level} on D { parent { ...F${level + 1} ...F${level + 1} } }`,
    );
    const query = `{ d(id: 1) { ...F0 } } ${fragments.join(' ')} fragment F${levels} on D { id }`;
    expect((await at.ask(query)).data).toEqual({ d: { parent: null } });
  });

  it('whose fragments double through two associations asks for a bounded number of includes', async () => {
    const E = { ...D, other: refersTo(['d'], 'name') } as const;
    const shown = action({ path: '/ds/{d_id}', namespace: 'd', output: E, meta: ['includes'] });
    await using at = await open({ d: resource({ show: shown }) }, answer);
    const levels = 60;
    const fragments = Array.from(
      { length: levels },
      (_, level) => `fragment F${level} on D { parent { ...F${level + 1} } other { ...F${level + 1} } }`,
    );
    const query = `{ d(id: 1) { ...F0 } } ${fragments.join(' ')} fragment F${levels} on D { id }`;
    expect((await at.ask(query)).data).toEqual({ d: { parent: null, other: null } });
    const includes = at.stub.calls[0]?.query.get('_meta[includes]') ?? '';
    expect(includes.split(',').length).toBeLessThanOrEqual(100);
  });

  it('that is nested too deeply, or too long, is refused before it is parsed', async () => {
    await using at = await open({ d: resource({ show: show('d', 'ds', D) }) }, answer);
    const deep = `{ d(id: 1) ${'{ parent '.repeat(5_000)}{ id }${' }'.repeat(5_000)} }`;
    const long = `{ ${'d(id: 1) { id } '.repeat(5_000)} }`;
    for (const [query, message] of [
      [deep, 'The document is nested more than 200 levels deep.'],
      [long, 'The document has more than 20000 tokens.'],
    ] as const) {
      const { errors } = await at.ask(query);
      expect(errors).toMatchObject([{ message, extensions: { code: 'BAD_USER_INPUT' } }]);
    }
  });

  it('never sends a write, though the description calls one "show"', async () => {
    const THING = { id: 'Integer', name: 'String' } as const;
    await using at = await open(
      {
        thing: resource({
          index: list('thing', 'things', { id: 'Integer' }),
          show: action({ path: '/things/{thing_id}', method: 'POST', namespace: 'thing', output: THING }),
        }),
      },
      { 'thing#index': () => ok({ things: [{ id: 1 }] }) },
    );
    await at.ask('{ things { nodes { id } } }');
    await at.ask('{ node(id: "thing/1") { id } }');
    expect(at.stub.calls.map(({ scope }) => scope)).toEqual(['thing#index']);
  });

  it('reads a list as the list describes it, though a write called "show" describes it otherwise', async () => {
    const SHOWN = { id: 'Integer', place: refersTo(['place'], 'name'), stamp: 'String' } as const;
    await using at = await open(
      {
        thing: resource({
          index: list('thing', 'things', { id: 'Integer', place: 'String' }),
          show: action({ path: '/things/{thing_id}', method: 'POST', namespace: 'thing', output: SHOWN }),
        }),
      },
      {
        'thing#index': () => ok({ things: [{ id: 1, place: 'Brno' }] }),
        'thing#show': () => ok({ thing: { id: 1, place: { id: 5, name: 'Brno' }, stamp: 'x' } }),
      },
    );
    const listed = await at.ask('{ things { nodes { id place } } }');
    expect(listed.errors).toEqual([]);
    expect(listed.data).toEqual({ things: { nodes: [{ id: 'thing/1', place: 'Brno' }] } });
    const shown = await at.ask('mutation { thingShow(id: 1) { thing { stamp place { id label } } } }');
    expect(shown.errors).toEqual([]);
    expect(shown.data).toEqual({
      thingShow: { thing: { stamp: 'x', place: { id: 'place/5', label: 'Brno' } } },
    });
  });
});

describe('a text that is one of some numbers', () => {
  it('is an enum whose every value goes upstream', async () => {
    const size = { type: 'String', label: 'x', validators: { include: { values: [1, 2], message: 'no' } } };
    await using at = await open(
      { thing: resource({ index: list('thing', 'things', { id: 'Integer' }, { input: { size } }) }) },
      { 'thing#index': () => ok({ things: [] }) },
    );
    const { errors } = await at.ask('{ things(filter: { size: _2 }) { nodes { id } } }');
    expect(errors).toEqual([]);
    expect(at.stub.calls[0]?.query.get('thing[size]')).toBe('2');
  });
});

describe('an association', () => {
  const BOOK = {
    id: 'Integer',
    place: refersTo(['place'], 'name'),
    origin: refersTo(['place'], 'code'),
  } as const;
  const book = { id: 1, place: { id: 5, name: 'Brno' }, origin: { id: 6, code: 'PRG' } };

  it.each([
    ['is only referred to', {}],
    [
      'can be fetched',
      { place: resource({ show: show('place', 'places', { id: 'Integer', name: 'String' }) }) },
    ],
  ])('answers with the label that came with it, where its resource %s', async (_name, more) => {
    await using at = await open(
      { book: resource({ index: list('book', 'books', BOOK) }), ...more },
      { 'book#index': () => ok({ books: [book] }) },
    );
    const { data, errors } = await at.ask('{ books { nodes { place { id label } origin { id label } } } }');
    expect(errors).toEqual([]);
    expect(data).toMatchObject({
      books: {
        nodes: [{ place: { id: 'place/5', label: 'Brno' }, origin: { id: 'place/6', label: 'PRG' } }],
      },
    });
    expect(at.stub.calls).toHaveLength(1);
  });

  it('within the same parent takes the parent’s id from the way it was come by', async () => {
    const output = { id: 'Integer', sequel: refersTo(['shelf', 'book'], 'title') } as const;
    await using at = await open(
      {
        shelf: resource(
          { show: show('shelf', 'shelves', { id: 'Integer' }) },
          {
            book: resource({
              index: list('book', 'books', output, { path: '/shelves/{shelf_id}/books' }),
              show: action({ path: '/shelves/{shelf_id}/books/{book_id}', namespace: 'book', output }),
            }),
          },
        ),
      },
      {
        'shelf#show': () => ok({ shelf: { id: 7 } }),
        'shelf.book#index': () =>
          ok({
            books: [{ id: 1, sequel: { id: 2, title: 'b', _meta: { path_params: [2], resolved: false } } }],
          }),
      },
    );
    const { data, errors } = await at.ask('{ shelf(id: 7) { books { nodes { id sequel { id } } } } }');
    expect(errors).toEqual([]);
    expect(data).toEqual({
      shelf: { books: { nodes: [{ id: 'shelf/7/book/1', sequel: { id: 'shelf/7/book/2' } }] } },
    });
  });

  it.each([[[2]], [[]], [[null]], [undefined]])(
    'elsewhere is not looked for under its holder’s parent, with %j for its path',
    async (params) => {
      const page = { id: 'Integer', quotes: refersTo(['shelf', 'book'], 'title') } as const;
      await using at = await open(
        {
          shelf: resource(
            { show: show('shelf', 'shelves', { id: 'Integer' }) },
            {
              book: resource({
                show: action({
                  path: '/shelves/{shelf_id}/books/{book_id}',
                  namespace: 'book',
                  output: page,
                }),
              }),
            },
          ),
          desk: resource(
            { show: show('desk', 'desks', { id: 'Integer' }) },
            {
              page: resource({
                index: list('page', 'pages', page, { path: '/desks/{desk_id}/pages' }),
              }),
            },
          ),
        },
        {
          'desk#show': () => ok({ desk: { id: 7 } }),
          'desk.page#index': () =>
            ok({ pages: [{ id: 1, quotes: { id: 2, title: 'b', _meta: { path_params: params } } }] }),
        },
      );
      const { data, errors } = await at.ask('{ desk(id: 7) { pages { nodes { quotes { label } } } } }');
      expect(errors).toEqual([]);
      expect(data).toEqual({ desk: { pages: { nodes: [{ quotes: { label: 'b' } }] } } });
      const { errors: lost } = await at.ask('{ desk(id: 7) { pages { nodes { quotes { id } } } } }');
      expect(lost).toMatchObject([{ extensions: { code: 'UPSTREAM_INVALID_RESPONSE' } }]);
    },
  );

  it('that its list tells in another type is fetched by show', async () => {
    const owner = refersTo(['user'], 'login');
    await using at = await open(
      {
        thing: resource({
          index: list('thing', 'things', { id: 'Integer', owner: 'Integer' }),
          show: show('thing', 'things', { id: 'Integer', owner }),
        }),
      },
      {
        'thing#index': () => ok({ things: [{ id: 1, owner: 5 }] }),
        'thing#show': () => ok({ thing: { id: 1, owner: { id: 5, login: 'ann' } } }),
      },
    );
    const { data, errors } = await at.ask('{ things { nodes { id owner { id label } } } }');
    expect(errors).toEqual([]);
    expect(data).toEqual({ things: { nodes: [{ id: 'thing/1', owner: { id: 'user/5', label: 'ann' } }] } });
  });
});

describe('a reverse edge on a filter that must be given', () => {
  const required = { ...refersTo(['author'], 'name'), required: true };
  it.each([
    ['with others', { title: 'String' } as const, '(filter: { title: "x" })', 'book[title]=x'],
    ['alone', {}, '', ''],
  ])('sets it itself, %s', async (_name, others, argument, sent) => {
    await using at = await open(
      {
        author: resource({ show: show('author', 'authors', { id: 'Integer' }) }),
        book: resource({
          index: list('book', 'books', { id: 'Integer' }, { input: { author: required, ...others } }),
        }),
      },
      { 'author#show': () => ok({ author: { id: 5 } }), 'book#index': () => ok({ books: [{ id: 1 }] }) },
    );
    const { data, errors } = await at.ask(`{ author(id: 5) { books${argument} { nodes { databaseId } } } }`);
    expect(errors).toEqual([]);
    expect(data).toEqual({ author: { books: { nodes: [{ databaseId: 1 }] } } });
    const { query } = at.stub.calls.find(({ scope }) => scope === 'book#index') ?? {};
    expect(query?.get('book[author]')).toBe('5');
    expect(decodeURIComponent(query?.toString() ?? '')).toContain(sent);
  });
});

describe('an older server', () => {
  it('that calls its own ids :id, nested ones too, is read as any other', async () => {
    const output = { id: 'Integer' } as const;
    await using at = await open(
      {
        shelf: resource(
          { show: action({ path: '/shelves/{id}', namespace: 'shelf', output }) },
          {
            book: resource({
              show: action({ path: '/shelves/{shelf_id}/books/{id}', namespace: 'book', output }),
            }),
          },
        ),
      },
      {
        'shelf#show': () => ok({ shelf: { id: 7 } }),
        'shelf.book#show': () => ok({ book: { id: 3 } }),
      },
    );
    const { data, errors } = await at.ask(
      '{ shelf(id: 7) { book(id: 3) { id } } node(id: "shelf/7/book/3") { id } }',
    );
    expect(errors).toEqual([]);
    expect(data).toEqual({ shelf: { book: { id: 'shelf/7/book/3' } }, node: { id: 'shelf/7/book/3' } });
  });

  it('whose lists have no namespace answers them at the top', async () => {
    await using at = await open(
      { thing: resource({ index: list('thing', 'things', { id: 'Integer' }, { outputNamespace: null }) }) },
      { 'thing#index': () => ok([{ id: 1 }, { id: 2 }]) },
    );
    const { data, errors } = await at.ask('{ things { nodes { databaseId } } }');
    expect(errors).toEqual([]);
    expect(data).toEqual({ things: { nodes: [{ databaseId: 1 }, { databaseId: 2 }] } });
  });

  it('with a placeholder called filter has an argument beside the filter', async () => {
    await using at = await open(
      {
        thing: resource({
          index: list(
            'thing',
            'things',
            { id: 'Integer' },
            { path: '/things/of/{filter}', input: { name: 'String' } },
          ),
        }),
      },
      { 'thing#index': () => ok({ things: [] }) },
    );
    const { errors } = await at.ask('{ things(filter_: "a", filter: { name: "b" }) { nodes { id } } }');
    expect(errors).toEqual([]);
    expect(at.stub.calls[0]).toMatchObject({ path: ['a'] });
  });
});

describe('a date and time', () => {
  it('is taken as the protocol writes it, and nothing else for one', async () => {
    await using at = await open(
      {
        thing: resource({ index: list('thing', 'things', { id: 'Integer' }, { input: { at: 'Datetime' } }) }),
      },
      { 'thing#index': () => ok({ things: [] }) },
    );
    const codes = async (value: string) =>
      (await at.ask(`{ things(filter: { at: "${value}" }) { nodes { id } } }`)).errors.map(
        ({ extensions }) => extensions['code'],
      );
    for (const good of [
      '2020-01-31',
      '20200131',
      '2020-01-31T10:20:30Z',
      '2020-01-31T10:20:30.5+01:00',
      '2020-01-31T10:20Z',
    ])
      expect([good, await codes(good)]).toEqual([good, []]);
    for (const bad of [
      '10:20',
      '-W-1',
      '-001',
      '2020-0131',
      ' 2020-01-31',
      '2020-01-31T10:20:30',
      '2020-01-31T10:20:30+25:00',
      '2020-01-31T10:20:30-01:60',
      '2021-02-29',
      'now',
      '',
    ])
      expect([bad, await codes(bad)]).toEqual([bad, ['BAD_USER_INPUT']]);
  });
});

describe('an integer that JavaScript rounds', () => {
  it('is an error of its field in text and free structure too, never another number', async () => {
    const output = { id: 'Integer', name: 'String', at: 'Datetime', free: 'Custom', good: 'Custom' } as const;
    await using at = await open(
      { thing: resource({ show: show('thing', 'things', output) }) },
      {
        'thing#show': () =>
          raw(
            '{"status":true,"response":{"thing":{"id":1,"name":9007199254740993,"at":9007199254740993,"free":{"a":[9007199254740993]},"good":{"a":[1.5,1e3]}}}}',
            200,
            'application/json',
          ),
      },
    );
    const { data, errors } = await at.ask('{ thing(id: 1) { id name at free good } }');
    expect(data).toEqual({
      thing: { id: 'thing/1', name: null, at: null, free: null, good: { a: [1.5, 1000] } },
    });
    expect(errors.map(({ extensions }) => extensions['code'])).toEqual(
      Array(3).fill('UPSTREAM_INVALID_RESPONSE'),
    );
  });

  it('is an error of a label too, which is text', async () => {
    const owner = refersTo(['user'], 'number');
    await using at = await open(
      { thing: resource({ show: show('thing', 'things', { id: 'Integer', owner }) }) },
      {
        'thing#show': () =>
          raw(
            '{"status":true,"response":{"thing":{"id":1,"owner":{"id":2,"number":9007199254740993}}}}',
            200,
            'application/json',
          ),
      },
    );
    const { data, errors } = await at.ask('{ thing(id: 1) { owner { id label } } }');
    expect(data).toEqual({ thing: { owner: { id: 'user/2', label: null } } });
    expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_INVALID_RESPONSE' } }]);
  });
});
