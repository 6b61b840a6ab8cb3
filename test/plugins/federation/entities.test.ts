// Tests `Query._entities` and `Query._service`, by which routers of Apollo Federation use a subgraph.
import { describe, expect, it } from 'vitest';
import type { FacadeOptions } from '../../../src/facade/facade-options.ts';
import { resource, show } from '../../helpers/describe-api.ts';
import { type DescribedApi, openDescribed } from '../../helpers/described.ts';
import { LIBRARY, openLibrary } from '../../helpers/library.ts';
import { shareApi } from '../../helpers/shared-api.ts';
import { type Handler, ok, refuse, type StubCall } from '../../helpers/stub-upstream.ts';

const api = shareApi(() => open());

const NOT_GLOBAL = 'is not a global ID of this API. Use the value of the field "id" of an object.';
const AUTHORS = '... on Author { id name }';

const open = (
  handlers: Readonly<Record<string, Handler>> = {},
  options: Partial<FacadeOptions> = {},
): Promise<DescribedApi> => openLibrary(handlers, { federation: true, ...options });

const authors = (...ids: readonly number[]) =>
  ids.map((id) => ({ __typename: 'Author', id: `author/${id}` }));

/** Sends the query of a router. */
async function askFor(
  api: DescribedApi,
  representations: readonly unknown[],
  selection = AUTHORS,
  headers: Readonly<Record<string, string>> = { 'x-library-token': 'reader' },
) {
  const response = await api.facade.yoga.fetch('http://facade/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({
      query: `query ($representations: [_Any!]!) { _entities(representations: $representations) { ${selection} } }`,
      variables: { representations },
    }),
  });
  const { data = null, errors = [] } = (await response.json()) as {
    readonly data?: { readonly _entities: readonly unknown[] } | null;
    readonly errors?: readonly {
      readonly message: string;
      readonly path?: readonly unknown[];
      readonly extensions: { readonly code: string };
    }[];
  };
  return {
    entities: data?._entities ?? null,
    errors: errors.map(({ message, path, extensions: { code } }) => ({ message, path, code })),
  };
}

const scopes = ({ upstream }: DescribedApi): readonly string[] =>
  upstream.calls.map(({ scope, path }) => [scope, ...path].join(' '));

describe('_entities', () => {
  it('returns objects in the order of their representations, and reads each once', async () => {
    const { entities, errors } = await askFor(
      api,
      [...authors(2, 1), { __typename: 'ShelfBook', id: 'shelf/7/book/3' }, ...authors(2)],
      `__typename ${AUTHORS} ... on ShelfBook { title }`,
    );
    expect(errors).toEqual([]);
    const second = { __typename: 'Author', id: 'author/2', name: 'author 2' };
    expect(entities).toEqual([
      second,
      { __typename: 'Author', id: 'author/1', name: 'author 1' },
      { __typename: 'ShelfBook', title: 'book 3' },
      second,
    ]);
    expect([...scopes(api)].sort()).toEqual(['author#show 1', 'author#show 2', 'shelf.book#show 7 3']);
  });

  it('includes the associations that the selection needs', async () => {
    const includes: (string | null)[] = [];
    api.answer({
      'shelf#show': ({ query }: StubCall) => {
        includes.push(query.get('_meta[includes]'));
        const keeper = { id: 2, name: 'author 2', born: 1902, _meta: { path_params: [2], resolved: true } };
        return ok({ shelf: { id: 7, room: 'room 7', keeper } });
      },
    });
    const shelf = [{ __typename: 'Shelf', id: 'shelf/7' }];
    const { entities } = await askFor(api, shelf, '... on Shelf { room keeper { born } }');
    expect(entities).toEqual([{ room: 'room 7', keeper: { born: 1902 } }]);
    expect(includes).toEqual(['keeper']);
    expect(scopes(api)).toEqual(['shelf#show 7']);
  });

  it('reports each representation that it cannot use, and serves the others', async () => {
    api.answer({
      'author#show': ({ path: [id] }) =>
        id === '404'
          ? refuse('Object not found', null, 404)
          : ok({ author: { id: Number(id), name: `author ${id}` } }),
    });
    const needsBoth = 'A representation needs "__typename" and "id", and both must be strings.';
    const rejected: readonly (readonly [representation: unknown, message: string, code?: string])[] = [
      ['author/1', needsBoth],
      [{ __typename: 'Author' }, needsBoth],
      [{ __typename: 'Author', id: 1 }, needsBoth],
      [[], needsBoth],
      [{ __typename: 'Author', id: '1' }, `"1" ${NOT_GLOBAL}`],
      [{ __typename: 'Author', id: 'ghost/1' }, `"ghost/1" ${NOT_GLOBAL}`],
      [
        { __typename: 'Author', id: 'author/1x' },
        '"author/1x" is not an ID of Author: expected an integer in decimal digits, e.g. "17".',
      ],
      [{ __typename: 'Author', id: 'shelf/1' }, '"shelf/1" is an ID of Shelf, not of "Author".'],
      [{ __typename: 'Ghost', id: 'author/1' }, '"author/1" is an ID of Author, not of "Ghost".'],
      [{ __typename: 'Review', id: 'review/1' }, 'This API cannot fetch objects of type Review by ID.'],
      [{ __typename: 'Author', id: 'author/404' }, 'Object not found', 'NOT_FOUND'],
    ];
    const representations = [...rejected.map(([representation]) => representation), ...authors(1)];
    const { entities, errors } = await askFor(api, representations);
    expect(entities).toEqual([...rejected.map(() => null), { id: 'author/1', name: 'author 1' }]);
    const inOrder = [...errors].sort((a, b) => Number(a.path?.[1]) - Number(b.path?.[1]));
    expect(inOrder).toEqual(
      rejected.map(([, message, code = 'BAD_USER_INPUT'], i) => ({ message, code, path: ['_entities', i] })),
    );
    expect([...scopes(api)].sort()).toEqual(['author#show 1', 'author#show 404']);
  });

  it('refuses fragments on a type that the caller may not read', async () => {
    const reduced = structuredClone(LIBRARY) as {
      readonly resources: { readonly author: { readonly actions: Record<string, unknown> } };
    };
    delete reduced.resources.author.actions['show'];
    api.upstream.onOptions = ({ 'x-library-token': token }) => ok(token === 'guest' ? reduced : LIBRARY);
    expect((await askFor(api, authors(1))).errors).toEqual([]);
    const { entities, errors } = await askFor(api, authors(1), AUTHORS, { 'x-library-token': 'guest' });
    expect(entities).toBeNull();
    expect(errors.map(({ message }) => message)).toEqual([
      'Fragment cannot be spread here as objects of type "_Entity" can never be of type "Author".',
    ]);
  });

  it('limits the representations, their cost and the calls for them', async () => {
    const thousand = Array(1000).fill(authors(1)[0]);
    const many = await askFor(api, thousand);
    expect(many.errors).toEqual([]);
    expect(many.entities).toHaveLength(1000);
    expect(scopes(api)).toEqual(['author#show 1']);
    const message = '"representations" contains 1001 objects; the maximum is 1000.';
    const tooMany = await askFor(api, [...thousand, ...authors(2)]);
    expect(tooMany).toMatchObject({ entities: null, errors: [{ message, code: 'BAD_USER_INPUT' }] });
    const names = Array.from({ length: 50 }, (_, index) => `a${index}: name`).join(' ');
    const tooExpensive = await askFor(api, thousand, `... on Author { ${names} }`);
    expect(tooExpensive).toMatchObject({ entities: null, errors: [{ code: 'COST_LIMIT_EXCEEDED' }] });
    api.upstream.calls.length = 0;
    const more = authors(...Array.from({ length: 300 }, (_, id) => id + 10));
    const { entities, errors } = await askFor(api, more);
    expect(entities?.filter((entity) => entity !== null)).toHaveLength(200);
    expect(errors.map(({ code }) => code)).toEqual(Array(100).fill('UPSTREAM_BUDGET_EXCEEDED'));
    expect(api.upstream.calls).toHaveLength(200);
  });
});

describe('a resource with a name of federation', () => {
  it('gets another name', async () => {
    const item = { id: 'Integer' } as const;
    const resources = { _service: resource({ show: show('_service', 'services', item) }) };
    await using api = await openDescribed(resources, {}, { federation: true });
    const { data } = await api.ask('{ __type(name: "Query") { fields { name } } }');
    expect(data).toMatchObject({
      __type: {
        fields: ['_entities', '_service', '_serviceResource', 'node', 'nodes', 'session'].map((name) => ({
          name,
        })),
      },
    });
  });
});

describe('a schema without federation', () => {
  it('has nothing for routers', async () => {
    await using api = await openLibrary();
    const { errors } = await api.ask('{ _service { sdl } _entities(representations: []) { __typename } }');
    expect(errors.map(({ message }) => message)).toEqual([
      'Cannot query field "_service" on type "Query".',
      'Cannot query field "_entities" on type "Query".',
    ]);
  });
});
