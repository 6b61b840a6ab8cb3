// Tests that all transports give the same results: generated operations of the API's schema, and chosen ones.
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { writeOperation } from '../helpers/random-documents.ts';
import { shareWorkshop } from '../helpers/shared-api.ts';
import { refuse } from '../helpers/stub-upstream.ts';
import { type OperationRequest, post, type Result, TRANSPORTS } from '../helpers/transports.ts';

const headers = { 'x-library-token': 'one' };
const GENERATED = 20;

const shop = shareWorkshop(
  { 'tool.part#show': () => refuse('no such part', null, 404) },
  { introspection: 'authenticated', limits: { resultSize: 5_000 } },
);
beforeEach(() => shop.actions.set({ id: 501, current: 10, finished: true }));

/** Ways to send an operation over HTTP besides those of `TRANSPORTS`: by yoga, as one part or in several, and in an address. */
const HTTP: Readonly<Record<string, (request: OperationRequest) => Promise<Response>>> = {
  yoga: (request) => postTo('/graphql?', request, 'application/graphql-response+json'),
  parts: (request) => postTo('/graphql', request, 'multipart/mixed, application/json'),
  GET: ({ query = '', variables = {} }) => {
    const address = new URL(shop.url);
    address.searchParams.set('query', query);
    address.searchParams.set('variables', JSON.stringify(variables));
    return fetch(address, { headers });
  },
};

const postTo = (path: string, request: OperationRequest, accept: string): Promise<Response> =>
  post(new URL(path, shop.url), request, { accept, ...headers });

/** What is equal over all transports: not the time, the request id, and what equal operations before have saved. */
const comparable = ({ data, errors = [] }: Result) =>
  JSON.parse(JSON.stringify({ data, errors }).replace(/"requestId":"[^"]+"/g, '"requestId":""'));

/** Expects equal results over all transports. */
async function expectAgreement(request: OperationRequest): Promise<void> {
  const results: Record<string, unknown> = {};
  for (const [name, send] of TRANSPORTS) results[name] = comparable(await send(shop.url, request, headers));
  for (const [name, send] of Object.entries(HTTP)) {
    if (name === 'GET' && !/^\s*(query|\{)/.test(request.query ?? '')) continue;
    const text = await (await send(request)).text();
    results[name] = comparable(JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)));
  }
  const { HTTP: expected, ...others } = results;
  for (const [name, result] of Object.entries(others))
    expect(result, `${name}: ${request.query}`).toEqual(expected);
}

describe('all transports give the same result', { timeout: 120_000 }, () => {
  it('for generated queries and mutations', async () => {
    const { schema } = shop.facade.schema;
    await fc.assert(
      fc.asyncProperty(fc.infiniteStream(fc.nat()), (numbers) => {
        const choose = (below: number) => Number(numbers.next().value) % below;
        const { query, variables } = writeOperation(schema, choose, true);
        return query.startsWith('mutation') ? Promise.resolve() : expectAgreement({ query, variables });
      }),
      { seed: 20_261_123, numRuns: GENERATED },
    );
  });

  it.each([
    ['a query with variables', 'query ($id: ID = 5) { tool(id: $id) { name owner { name } } }'],
    ['a mutation', 'mutation { toolStamp(id: 5) { tool { name } userErrors { code } } }'],
    ['no chosen operation', 'query A { __typename } query B { __typename }'],
    ['a failed field', '{ tool(id: 5) { name part(id: 1) { name } } }'],
    ['an unknown field', '{ tol { name } }'],
    ['a syntax error', '{ tool('],
    ['a missing variable', 'query ($id: ID!) { tool(id: $id) { name } }'],
    [
      'a result beyond the limit',
      `{ ${Array.from({ length: 60 }, (_, i) => `a${'x'.repeat(90)}${i}: __typename`).join(' ')} }`,
    ],
    ['too many fields', `{ ${'x: __typename '.repeat(300)} }`],
    ['introspection', '{ __schema { queryType { name } } }'],
  ])('for %s', (_name, query) => expectAgreement({ query }));
});
