// Tests that both executors give the same results over the same API.
import { expect, it } from 'vitest';
import { createFacade } from '../../src/facade/facade.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { DEFAULT_HANDLERS, LIBRARY, UNAUTHORIZED, unresolved } from '../helpers/library.ts';
import { ok, refuse, startStub } from '../helpers/stub-upstream.ts';

const QUERY = `query ($more: Boolean!, $first: Int = 2) {
  shelves(first: $first) { nodes { __typename id room ...Keeper @include(if: $more) books(first: 2) { edges { cursor node { title author { name motto } } } } } }
  node(id: "author/1") { id ... on Author { name ...Born @skip(if: $more) } }
  missing: author(id: 404) { name }
  wrong: author(id: "x") { name }
}
fragment Keeper on Shelf { keeper { id label born } }
fragment Born on Author { born motto }`;

const HANDLERS = {
  ...DEFAULT_HANDLERS,
  'author#show': ({ path: [id] }: { readonly path: readonly string[] }) =>
    id === '404'
      ? refuse('Object not found', {}, 404)
      : ok({ author: { id: Number(id), name: `author ${id}`, born: 1900, motto: null } }),
  'shelf#show': ({ path: [id] }: { readonly path: readonly string[] }) =>
    ok({
      shelf: { id: Number(id), room: 'a', keeper: id === '1' ? UNAUTHORIZED : unresolved(2, 'author 2') },
    }),
};

/** Everything that a client sees, but for times and request ids, and the calls. */
async function observe(executor: 'planned' | 'graphql-js') {
  await using upstream = await startStub(LIBRARY, HANDLERS);
  await using facade = await createFacade({
    upstream: upstream.url,
    executor,
    log: createLog(() => undefined),
  });
  const results: unknown[] = [];
  for (const more of [true, false, true]) {
    const response = await facade.yoga.fetch('http://facade/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-library-token': 'reader', 'x-request-id': 'same' },
      body: JSON.stringify({ query: QUERY, variables: { more } }),
    });
    results.push((await response.text()).replace(/"ms":\d+/, '"ms":0'));
  }
  return { results, calls: upstream.calls.map(({ scope, path }) => `${scope} ${path.join('/')}`).sort() };
}

it('gives the same results and calls with both executors, in each execution of a document', async () => {
  const planned = await observe('planned');
  expect(planned.results[0]).toContain('ASSOCIATION_HIDDEN');
  expect(planned).toEqual(await observe('graphql-js'));
});
