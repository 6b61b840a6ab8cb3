// Tests which requests fail as a whole, and their HTTP status.
import { createClient } from 'graphql-ws';
import { describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { action, resource } from '../helpers/describe-api.ts';
import { type DescribedApi, openDescribed } from '../helpers/described.ts';
import { ask } from '../helpers/facade.ts';
import { openLibrary } from '../helpers/library.ts';
import { shareApi } from '../helpers/shared-api.ts';
import { type Answer, hangUp, ok, refuse, silence } from '../helpers/stub-upstream.ts';
import { openWorkshop } from '../helpers/workshop.ts';

const library = shareApi(() => openLibrary());

const GRAPHQL = 'application/graphql-response+json';
const JSON_TYPE = 'application/json';
const QUERY = '{ author(id: 1) { name } }';
const QUICK = { timeout: 1_000 };

/** The status of a response, its data (undefined for none) and the codes of its errors. */
async function said(library: DescribedApi, query: string, accept = GRAPHQL, token = 'reader') {
  const { status, text } = await library.ask(query, { headers: { 'x-library-token': token, accept } });
  const { data, errors = [] } = JSON.parse(text) as {
    readonly data?: unknown;
    readonly errors?: readonly { readonly extensions: { readonly code: string } }[];
  };
  return { status, data, codes: errors.map(({ extensions }) => extensions.code) };
}

const FAULTS: readonly (readonly [string, Answer, number, string])[] = [
  ['cannot be reached', hangUp, 503, 'UPSTREAM_UNAVAILABLE'],
  ['does not answer in time', silence, 504, 'UPSTREAM_TIMEOUT'],
  ['does not know the credential', refuse('who are you?', null, 401), 401, 'UNAUTHENTICATED'],
];

describe('a request whose fields all fail because the upstream', () => {
  it.each(FAULTS)('%s has no data and its own status', async (_name, answer, status, code) => {
    const answers = { 'author#show': () => answer, 'author#index': () => answer };
    await using library = await openLibrary(answers, { transport: QUICK });
    const query = '{ __typename a: author(id: 1) { name } authors { nodes { name } } }';
    expect(await said(library, query)).toEqual({ status, data: undefined, codes: [code, code] });
  });

  it('cannot be reached has 200 and no data for a client of application/json', async () => {
    library.answer({ 'author#show': () => hangUp });
    const { status, data, codes } = await said(library, QUERY, JSON_TYPE);
    expect([status, data, codes]).toEqual([200, undefined, ['UPSTREAM_UNAVAILABLE']]);
  });

  it('does not know the credential has 401 for a client of application/json too', async () => {
    library.answer({ 'author#show': () => refuse('who?', null, 401) });
    const { status, data } = await said(library, QUERY, JSON_TYPE);
    expect([status, data]).toEqual([401, undefined]);
  });
});

describe('an operation over a WebSocket', () => {
  it('has no data when it fails as a whole', async () => {
    library.answer({ 'author#show': () => hangUp });
    const client = createClient({
      url: library.url.replace('http', 'ws'),
      webSocketImpl: WebSocket,
      connectionParams: { 'X-Library-Token': 'reader' },
      retryAttempts: 0,
    });
    const { value } = await client.iterate({ query: '{ author(id: 1) { name } }' }).next();
    expect(value).not.toHaveProperty('data');
    expect(value).toMatchObject({ errors: [{ extensions: { code: 'UPSTREAM_UNAVAILABLE' } }] });
    await client.dispose();
  });
});

describe('a request that fails in part', () => {
  it('keeps its data when a nested field fails', async () => {
    library.answer({ 'shelf.book#index': () => hangUp });
    const { status, data } = await said(library, '{ shelf(id: 1) { books { nodes { id } } } }');
    expect([status, data]).toEqual([200, { shelf: { books: null } }]);
  });

  it('keeps its data when a field is null without an error', async () => {
    const review = { id: 1, text: 'good', author: null };
    library.answer({ 'review#index': () => ok({ reviews: [review] }), 'author#show': () => hangUp });
    const query = '{ author(id: 1) { id name } reviews { nodes { author { name } } } }';
    const { status, data } = await said(library, query);
    expect([status, data]).toEqual([200, { author: null, reviews: { nodes: [{ author: null }] } }]);
  });

  it('keeps its data when an anonymous caller lacks a credential for a part of it', async () => {
    const open = { auth: false, output: { id: 'Integer' } } as const;
    await using at = await openDescribed(
      {
        hall: resource({ show: action({ path: '/halls/{hall_id}', namespace: 'hall', ...open }) }),
        vault: resource({ show: action({ path: '/vaults/{vault_id}', namespace: 'vault', ...open }) }),
        guard: resource({ show: action({ path: '/guards/{guard_id}', output: { id: 'Integer' } }) }),
      },
      { 'hall#show': () => ok({ hall: { id: 1 } }), 'vault#show': () => refuse('who?', null, 401) },
    );
    const { status, data } = await ask(at.facade, '{ hall(id: 1) { id } vault(id: 1) { id } }');
    expect([status, data]).toEqual([200, { hall: { id: 'hall/1' }, vault: null }]);
  });

  it('keeps the data of a mutation that has written when a later field fails', async () => {
    await using shop = await openWorkshop({ 'tool#touch': () => refuse('who?', null, 401) });
    const { status, data } = await shop.ask(
      'mutation { toolWeigh(id: 5) { result { grams } } toolTouch(id: 5) { userErrors { code } } }',
    );
    expect([status, data]).toEqual([200, { toolWeigh: { result: { grams: 700 } }, toolTouch: null }]);
  });
});

describe('a field that fails for its own reason', () => {
  it.each([
    ['is missing', refuse('no such author', null, 404), 'NOT_FOUND'],
    ['is not for the caller', refuse('not for you', null, 403), 'FORBIDDEN'],
    ['is broken', refuse('out of order', null, 500), 'UPSTREAM_ERROR'],
  ])('leaves a request with data and 200: it %s', async (_name, answer, code) => {
    library.answer({ 'author#show': () => answer });
    expect(await said(library, QUERY)).toEqual({ status: 200, data: { author: null }, codes: [code] });
  });
});

describe('a request that is not executed', () => {
  it.each([
    ['the upstream cannot be reached for the caller’s description', hangUp, 503, 'UPSTREAM_UNAVAILABLE'],
    ['the caller’s description cannot be read', ok({}), 502, 'UPSTREAM_INVALID_RESPONSE'],
  ])('has no data, and the status of its error: %s', async (_name, answer, status, code) => {
    await using library = await openLibrary({}, { transport: QUICK });
    const { onOptions } = library.upstream;
    library.upstream.onOptions = (headers, url) =>
      url.searchParams.has('describe') ? answer : onOptions(headers, url);
    const answered = await said(library, '{ session { method } }', GRAPHQL, 'another');
    expect(answered).toEqual({ status, data: undefined, codes: [code] });
    expect((await said(library, '{ session { method } }', JSON_TYPE, 'a third')).status).toBe(200);
  });

  it('has 400 for invalid variables', async () => {
    const { status, data } = await said(library, 'query ($id: ID!) { author(id: $id) { name } }');
    expect([status, data]).toEqual([400, undefined]);
  });
});

describe('a request with invalid input', () => {
  const send = async (accept: string, init: RequestInit, search = '') => {
    const { headers, ...rest } = init;
    const response = await fetch(library.url + search, { ...rest, headers: { ...headers, accept } });
    const { errors } = (await response.json()) as { readonly errors: readonly unknown[] };
    const extensions = { code: 'BAD_USER_INPUT', requestId: expect.any(String) };
    expect(errors).toMatchObject([{ extensions }]);
    return response.status;
  };
  const post = (body: string, type = JSON_TYPE): RequestInit => ({
    method: 'POST',
    body,
    headers: { 'content-type': type },
  });
  const query = (text: string): RequestInit => post(JSON.stringify({ query: text }));

  it.each([
    ['no JSON', 400, post('{'), ''],
    ['no object of parameters', 400, post('[]'), ''],
    ['another method', 405, { ...post('{}'), method: 'PUT' }, ''],
    ['a mutation by GET', 405, {}, '?query=mutation{__typename}'],
    ['a body that is too large', 413, post(`{"query":"${' '.repeat(1_200_000)}"}`), ''],
    ['another media type', 415, post('x', 'text/plain'), ''],
  ])('has the same status for both types of responses: %s', async (_name, status, init, search) => {
    expect(await send(GRAPHQL, init, search)).toBe(status);
    expect(await send(JSON_TYPE, init, search)).toBe(status);
  });

  it.each([
    ['a syntax error', query('{')],
    ['an unknown field', query('{ nowhere }')],
  ])('has 400, or 200 for a client of application/json, because of %s', async (_name, init) => {
    expect(await send(GRAPHQL, init)).toBe(400);
    expect(await send(JSON_TYPE, init)).toBe(200);
  });
});
