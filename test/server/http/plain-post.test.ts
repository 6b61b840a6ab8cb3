// Tests that plain requests are answered as by yoga, which gets the same request at an address with a question mark.
import { once } from 'node:events';
import { type IncomingHttpHeaders, request as sendRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { plainType } from '../../../src/server/http/plain-post.ts';
import type { RunningServer } from '../../../src/server/server.ts';
import { refuse, reply } from '../../helpers/stub-upstream.ts';
import { openWorkshop, type Workshop } from '../../helpers/workshop.ts';

type Headers = Readonly<Record<string, string | readonly string[]>>;

/** One request, and whether it states the length of its body. */
interface Sent {
  readonly headers?: Headers;
  readonly body: string;
  readonly isChunked?: boolean;
}

const JSON_TYPE = { 'content-type': 'application/json' } as const;
const TOKEN = { 'x-library-token': 'one' } as const;
const PLAIN = { ...JSON_TYPE, ...TOKEN };
const SAVED = '{ tool(id: 5) { name weight } }';

let shop: Workshop;
let server: RunningServer;
beforeAll(async () => {
  shop = await openWorkshop(
    { 'tool.part#show': () => refuse('no such part', null, 404), 'job#show': () => reply('nonsense') },
    {
      introspection: 'authenticated',
      pages: { publicUrl: null, origins: ['https://listed.example'] },
      trustedDocuments: { mode: 'allow', documents: new Map([['saved', SAVED]]) },
    },
  );
  const { onOptions } = shop.upstream;
  const unknown = refuse('unknown token', null, 401);
  shop.upstream.onOptions = (headers, url) =>
    headers['x-library-token'] === 'unknown' ? unknown : onOptions(headers, url);
  server = await shop.listen();
  // Results of introspection are kept, and then cost nothing.
  for (const body of ['{ __typename }', '{ __schema { queryType { name } } }'])
    await send('/graphql', { body: query(body) });
});
afterAll(() => shop[Symbol.asyncDispose]());

async function send(path: string, { headers = PLAIN, body, isChunked = false }: Sent) {
  shop.upstream.calls.length = 0;
  const length = isChunked || body === '' ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const request = sendRequest(new URL(path, server.url), {
    method: 'POST',
    headers: { 'x-request-id': 'given', ...headers, ...length },
  });
  request.end(body);
  const [response] = await once(request, 'response');
  const answer = await text(response);
  return {
    status: response.statusCode,
    headers: comparable(response.headers),
    body: answer
      .replace(/"(ms|start|remaining)":\d+/g, '"$1":0')
      .replace(/"resetAt":"[^"]+"/, '"resetAt":""')
      .replace(/"requestId":"[\da-f-]{36}"/, '"requestId":"random"')
      .replace(/Content-Length: \d+/g, ''),
    calls: shop.upstream.calls.map(({ scope, path, headers }) => [scope, path, comparable(headers)]),
  };
}

/** Headers without those that are never equal: the time, the address, what is left of the budget, and the framing of the body. */
function comparable(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const { date, host, ratelimit, 'content-length': _, 'transfer-encoding': _encoding, ...rest } = headers;
  const id = rest['x-request-id'];
  if (typeof id === 'string' && id.length === 36) rest['x-request-id'] = 'random';
  return { ...rest, ...(ratelimit === undefined ? {} : { ratelimit: 'stated' }) };
}

/** Sends a request that is plain unless its headers say otherwise, and expects equal answers and calls of the API from yoga. */
async function expectEqual(sent: Sent) {
  const actual = await send('/graphql', sent);
  const expected = await send('/graphql?', sent);
  expect(actual, JSON.stringify(sent).slice(0, 300)).toEqual(expected);
  return actual;
}

const query = (text: string, more: object = {}): string => JSON.stringify({ query: text, ...more });

/** Operations besides those of `agreement.test.ts`. */
const OPERATIONS: Readonly<Record<string, string>> = {
  'one of two operations': query('query A { __typename } query B { tool(id: 1) { id } }', {
    operationName: 'B',
  }),
  'an unknown operation': query('{ __typename }', { operationName: 'C' }),
  'an empty operation name': query('{ __typename }', { operationName: '' }),
  introspection: query('{ __schema { queryType { name } } }'),
  'an id that is none': query('{ tool(id: "shelf/1") { name } }'),
  'an empty document': query(''),
  'a document that costs too much': query(`{ ${'x: __typename '.repeat(300)} }`),
  'a word of streams': query('query { tool(id: "subscription") { name } }'),
  'a subscription': query('subscription { actionProgress(id: "x") { id } }'),
  'a saved document': JSON.stringify({ documentId: 'saved' }),
  'an unknown document': JSON.stringify({ documentId: 'other' }),
  'a persisted query': JSON.stringify({
    extensions: { persistedQuery: { version: 1, sha256Hash: 'saved' } },
  }),
};

const BODIES: Readonly<Record<string, string>> = {
  'no body': '',
  'no JSON': '{"query":',
  text: 'query',
  null: 'null',
  'a number': '1',
  'an empty list': '[]',
  'a batch': `[${query('{ __typename }')}]`,
  'an empty object': '{}',
  'a byte order mark': `\uFEFF${query('{ __typename }')}`,
  'characters of several bytes': query('{ __typename }', { variables: { name: 'žluťoučký kůň 🐎' } }),
  'an unknown parameter': query('{ __typename }', { more: 1 }),
  'an unknown null': query('{ __typename }', { more: null }),
  'a list of variables': query('{ __typename }', { variables: [] }),
  'a text of variables': query('{ __typename }', { variables: '{}' }),
  'a text of extensions': query('{ __typename }', { extensions: 'x' }),
  'a number as query': JSON.stringify({ query: 1 }),
  'a list as query': JSON.stringify({ query: ['{ __typename }'] }),
  'a number as operation name': query('{ __typename }', { operationName: 1 }),
  'a prototype': '{"query":"{ __typename }","__proto__":{"a":1}}',
  'more than the limit': query(`{ __typename }${' '.repeat(1_000_001)}`),
};

const HEADERS: Readonly<Record<string, Headers>> = {
  'no Accept': PLAIN,
  ...Object.fromEntries(
    [
      '*/*',
      'application/json',
      'application/graphql-response+json',
      'application/graphql-response+json, application/json;q=0.9',
      'application/json, application/graphql-response+json',
      'application/graphql-response+json, application/graphql+json, application/json, text/event-stream, multipart/mixed',
      'application/json;charset=utf-8',
      'application/json; charset=latin1',
      'application/json; charset=latin1, application/graphql-response+json',
      'application/*',
      '*/json',
      'text/*, */*',
      'text/event-stream',
      'text/event-stream, */*',
      'multipart/mixed',
      'text/html',
      'Application/JSON',
      ', ,',
    ].map((accept) => [`Accept: ${accept}`, { ...PLAIN, accept }]),
  ),
  ...Object.fromEntries(
    [
      'application/json; charset=utf-8',
      'application/json;charset=UTF-8',
      'application/json; charset=latin1',
      'application/graphql+json',
      'application/graphql',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'text/plain',
      'Application/JSON',
      'application/json, text/plain',
    ].map((type) => [`Content-Type: ${type}`, { ...TOKEN, 'content-type': type }]),
  ),
  'no Content-Type': TOKEN,
  'a foreign page': { ...PLAIN, origin: 'https://foreign.example' },
  'a listed page': { ...PLAIN, origin: 'https://listed.example' },
  'a page that asks for headers': { ...PLAIN, origin: 'null', 'access-control-request-headers': 'x-a' },
  'no credential': JSON_TYPE,
  'an unknown token': { ...JSON_TYPE, 'x-library-token': 'unknown' },
  'an empty token': { ...JSON_TYPE, 'x-library-token': ' ' },
  'two credentials': { ...PLAIN, authorization: 'Bearer x' },
  'the token twice': { ...JSON_TYPE, 'x-library-token': ['one', 'two'] },
  'two Authorization headers': { ...JSON_TYPE, authorization: ['Basic YTpi', 'Bearer x'] },
  'an unknown scheme': { ...JSON_TYPE, authorization: 'Digest x' },
  'basic from a browser': { ...JSON_TYPE, authorization: 'Basic YTpi', 'sec-fetch-site': 'same-origin' },
  'a trace': { ...PLAIN, 'x-trace': '1' },
  'a language': { ...PLAIN, 'accept-language': 'cs' },
  'a proxy': { ...PLAIN, 'x-forwarded-for': '203.0.113.7, 127.0.0.1' },
  'a malformed request id': { ...PLAIN, 'x-request-id': 'a b' },
  'an encoding': { ...PLAIN, 'accept-encoding': 'gzip, br' },
  'a cookie': { ...PLAIN, cookie: 'optiongraph_session=x; other=y' },
};

/** Operations with a result, without one, and with a part of one. */
const FOR_ALL_HEADERS = [
  query(SAVED),
  query('mutation { toolStamp(id: 5) { tool { name secret } } }'),
  query('{ tool(id: 5) { name part(id: 1) { name } } }'),
  query('{ tol { name } }'),
];

const FOR_ALL_OPERATIONS: readonly Headers[] = [
  PLAIN,
  { ...PLAIN, accept: 'application/graphql-response+json' },
  { ...PLAIN, accept: 'text/event-stream, */*' },
  JSON_TYPE,
];

describe('a plain request is answered as by yoga', () => {
  it.each(Object.entries(HEADERS))('with %s', async (_name, headers) => {
    for (const body of FOR_ALL_HEADERS) await expectEqual({ headers, body });
  });

  it.each(Object.entries(OPERATIONS))('for %s', async (_name, body) => {
    for (const headers of FOR_ALL_OPERATIONS) await expectEqual({ headers, body });
  });

  it.each(Object.entries(BODIES))('for %s', async (_name, body) => {
    await expectEqual({ body });
    await expectEqual({ body, headers: { ...PLAIN, accept: 'application/graphql-response+json' } });
    await expectEqual({ body, isChunked: true });
    await expectEqual({ body, headers: { ...PLAIN, 'content-encoding': 'gzip' } });
  });

  it.each([
    ['data', query(SAVED), 200, /"name":"tool 5"/],
    ['a failed field', query('{ job(id: 1) { label } }'), 200, /UPSTREAM_INVALID_RESPONSE/],
    ['a malformed body', 'null', 400, /BAD_USER_INPUT/],
    ['a subscription', query('subscription { actionProgress(id: "x") { id } }'), 200, /is not an ID/],
  ])('which gives %s', async (_name, body, status, expected) => {
    expect(await expectEqual({ body })).toMatchObject({ status, body: expect.stringMatching(expected) });
  });
});

it('a plain request has JSON of a known length, and accepts JSON and no results in parts', () => {
  const type = (headers: IncomingHttpHeaders, method = 'POST', url = '/graphql') =>
    plainType({ method, url, headers }, '/graphql', 100);
  const headers = { ...JSON_TYPE, 'content-length': '100' };
  expect(type(headers)).toBe('application/json');
  expect(type({ ...headers, accept: 'application/graphql-response+json, */*' })).toMatch(/graphql/);
  expect(type({ ...headers, 'content-length': '101' })).toBeNull();
  expect(type(JSON_TYPE)).toBeNull();
  expect(type({ ...headers, 'content-type': 'application/graphql' })).toBeNull();
  for (const accept of ['text/event-stream', 'multipart/mixed, application/json', 'text/html'])
    expect(type({ ...headers, accept })).toBeNull();
  expect(type(headers, 'GET')).toBeNull();
  expect(type(headers, 'POST', '/graphql?query=x')).toBeNull();
});
