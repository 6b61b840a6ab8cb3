// Tests descriptions with misleading names.
import { describe, expect, it } from 'vitest';
import { action, list, refersTo, resource, show } from '../../helpers/describe-api.ts';
import { openDescribed } from '../../helpers/described.ts';
import { ok } from '../../helpers/stub-upstream.ts';

describe('a description with names of the facade’s own', () => {
  it('is served', async () => {
    const ID = { id: 'Integer' } as const;
    const choice = { type: 'String', label: 'x', validators: { include: { values: ['a'], message: 'no' } } };
    await using at = await openDescribed({
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

describe('a resource with the name of an object property', () => {
  it.each(['constructor', 'toString', 'valueOf', 'hasOwnProperty', '__proto__'])(
    'is served like any other: %s',
    async (name) => {
      const THING = { id: 'Integer', title: 'String', [name]: refersTo([name], 'title') } as const;
      const things = [1, 2].map((id) => ({ id, title: `no. ${id}`, [name]: { id: 1, title: 'no. 1' } }));
      const described = { index: list(name, 'things', THING), show: show(name, 'things', THING) };
      await using at = await openDescribed(Object.fromEntries([[name, resource(described)]]), {
        [`${name}#index`]: () => ok({ things }),
      });
      const lists = Object.values(at.facade.schema.schema.getQueryType()?.getFields() ?? {});
      const field = lists.find((candidate) => String(candidate.type).endsWith('Connection'))?.name;
      const { data, errors } = await at.ask(`{ rows: ${field} { nodes { title } } }`);
      expect(errors).toEqual([]);
      expect(data).toEqual({ rows: { nodes: [{ title: 'no. 1' }, { title: 'no. 2' }] } });
    },
  );
});

describe('a resource whose name is not well-formed text', () => {
  it('is served, and found by the global ids of its objects', async () => {
    const THING = { thing_id: 'Integer' } as const;
    const described = { index: list('thing', 'things', THING), show: show('thing', 'things', THING) };
    const name = 'thing\ud800';
    await using at = await openDescribed(
      { [name]: resource(described) },
      {
        [`${name}#index`]: () => ok({ things: [{ thing_id: 7 }] }),
        [`${name}#show`]: () => ok({ thing: { thing_id: 7 } }),
      },
    );
    const { data, errors } = await at.ask('{ things { nodes { id } } }');
    expect(errors).toEqual([]);
    expect(data).toEqual({ things: { nodes: [{ id: 'thing%EF%BF%BD/7' }] } });
    const found = await at.ask('{ node(id: "thing%EF%BF%BD/7") { id } }');
    expect(found.data).toEqual({ node: { id: 'thing%EF%BF%BD/7' } });
  });
});

describe('a query', () => {
  it('never sends a write, although the description names one "show"', async () => {
    const THING = { id: 'Integer', name: 'String' } as const;
    await using at = await openDescribed(
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
    expect(at.upstream.calls.map(({ scope }) => scope)).toEqual(['thing#index']);
  });

  it('reads a list as the list describes it, although a write named "show" describes it otherwise', async () => {
    const SHOWN = { id: 'Integer', place: refersTo(['place'], 'name'), stamp: 'String' } as const;
    await using at = await openDescribed(
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
    const shown = await at.ask('mutation { thingShow(id: 1) { result { stamp place { id label } } } }');
    expect(shown.errors).toEqual([]);
    expect(shown.data).toEqual({
      thingShow: { result: { stamp: 'x', place: { id: 'place/5', label: 'Brno' } } },
    });
  });
});

describe('an older server', () => {
  it('may use :id for all ids in paths, also in nested ones', async () => {
    const output = { id: 'Integer' } as const;
    await using at = await openDescribed(
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

  it('whose lists have no namespace may return a top-level list', async () => {
    await using at = await openDescribed(
      { thing: resource({ index: list('thing', 'things', { id: 'Integer' }, { outputNamespace: null }) }) },
      { 'thing#index': () => ok([{ id: 1 }, { id: 2 }]) },
    );
    const { data, errors } = await at.ask('{ things { nodes { databaseId } } }');
    expect(errors).toEqual([]);
    expect(data).toEqual({ things: { nodes: [{ databaseId: 1 }, { databaseId: 2 }] } });
  });

  it('with a placeholder named filter has an argument besides the filter', async () => {
    await using at = await openDescribed(
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
    const { errors } = await at.ask('{ things(filterValue: "a", filter: { name: "b" }) { nodes { id } } }');
    expect(errors).toEqual([]);
    expect(at.upstream.calls[0]).toMatchObject({ path: ['a'] });
  });
});
