// Tests the limits of operations over each transport.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, startServer } from '../../../src/transports/server.ts';
import { type Pair, startPair } from '../../helpers/facade.ts';
import { TRANSPORTS } from '../../helpers/transports.ts';

const repeat = (count: number, part: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => part(index)).join(' ');

/** Doubles the result at each level, through fragments and aliases. */
const doubling = (levels: number): string =>
  `{ datasets { nodes { ...F0 } } }
   ${repeat(levels, (level) => `fragment F${level} on Dataset { a: snapshots { nodes { dataset { ...F${level + 1} } } } b: snapshots { nodes { dataset { ...F${level + 1} } } } }`)}
   fragment F${levels} on Dataset { id }`;

const tooExpensive: Record<string, string> = {
  'lists in lists': '{ datasets(first: 1000) { nodes { snapshots(first: 1000) { nodes { id } } } } }',
  'fragments that double the result at each level': doubling(8),
  'introspection that is repeated under aliases': `{ ${repeat(99, (i) => `a${i}: __schema { types { fields { name args { name type { ...T } } type { ...T } } } }`)} } fragment T on __Type { name kind ofType { name kind ofType { name kind } } }`,
  'introspection that repeats lists through fragments': `{ __schema { types { ...F0 ...F1 } } } ${repeat(2, (i) => `fragment F${i} on __Type { ${repeat(100, (n) => `f${i}_${n}: fields { name args { name defaultValue type { name kind } } }`)} }`)}`,
  'fields whose names begin like introspection':
    '{ __schema: datasets(first: 1000) { nodes { __type: snapshots(first: 1000) { nodes { id } } } } }',
};

const tooLarge: Record<string, readonly [query: string, message: string]> = {
  tokens: [`{ ${'id '.repeat(20_001)} }`, 'The document has more than 20000 tokens.'],
  brackets: [
    `{ a${'{ a'.repeat(300)} ${'}'.repeat(301)}`,
    'The document is nested more than 200 levels deep.',
  ],
  'levels of fields': [
    `{ datasets { nodes { ...F0 } } } ${repeat(10, (i) => `fragment F${i} on Dataset { parent { parent { parent { ...F${i + 1} } } } }`)} fragment F10 on Dataset { id }`,
    'The document has 33 levels of fields; at most 30 are allowed. Split it.',
  ],
  aliases: [
    `{ datasets { nodes { ${repeat(251, (i) => `a${i}: id`)} } } }`,
    'The document has 251 aliases; at most 250 are allowed. Split it.',
  ],
  'root fields': [
    `{ ...F ${repeat(60, (i) => `a${i}: __typename`)} } fragment F on Query { ${repeat(60, (i) => `b${i}: __typename`)} }`,
    'The document has 120 fields at the top of an operation; at most 100 are allowed. Split it.',
  ],
  directives: [
    `{ datasets { nodes { ${repeat(251, () => 'id @skip(if: false)')} } } }`,
    'The document has 251 directives; at most 250 are allowed. Split it.',
  ],
  fragments: [
    `{ ...F0 } ${repeat(151, (i) => `fragment F${i} on Query { __typename }`)}`,
    'The document has 151 fragments; at most 150 are allowed. Split it.',
  ],
};

describe.each(TRANSPORTS)('over %s', (_name, send) => {
  let pair: Pair;
  let server: RunningServer;
  beforeAll(async () => {
    pair = await startPair();
    server = await startServer(pair.facade, { host: '127.0.0.1', port: 0 });
  });
  afterAll(async () => {
    await server.close();
    await pair[Symbol.asyncDispose]();
  });

  it.each(Object.entries(tooExpensive))(
    'an operation with %s is refused without a call',
    async (_what, query) => {
      const before = pair.calls.length;
      const { data, errors } = await send(server.url, { query }, pair.headers('admin'));
      expect(data ?? null).toBeNull();
      expect(errors).toMatchObject([
        { extensions: { code: 'COST_LIMIT_EXCEEDED', retryable: false, cost: { limit: 50_000 } } },
      ]);
      expect(pair.calls.length).toBe(before);
    },
  );

  it('the page size in a variable counts', async () => {
    const query =
      'query ($n: Int) { datasets(first: $n) { nodes { snapshots(first: $n) { nodes { id } } } } }';
    const headers = pair.headers('admin');
    const refused = await send(server.url, { query, variables: { n: 900 } }, headers);
    expect(refused.errors).toMatchObject([{ extensions: { cost: { estimate: expect.any(Number) } } }]);
    expect((await send(server.url, { query, variables: { n: 2 } }, headers)).errors).toBeUndefined();
  });

  it.each(Object.entries(tooLarge))(
    'a document with too many %s is refused',
    async (_what, [query, message]) => {
      const { errors } = await send(server.url, { query }, pair.headers('admin'));
      expect(errors).toMatchObject([{ message, extensions: { code: 'BAD_USER_INPUT' } }]);
    },
  );
});

describe('the estimate', () => {
  const EXPENSIVE = '{ datasets(first: 1000) { nodes { snapshots(first: 1000) { nodes { id } } } } }';

  it('of an operation does not depend on earlier requests that named no operation', async () => {
    await using pair = await startPair();
    const send = async (body: object) => {
      const response = await pair.facade.yoga.fetch('http://facade.test/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...pair.headers('admin') },
        body: JSON.stringify(body),
      });
      return (await response.json()) as { readonly errors: readonly { extensions: { code: string } }[] };
    };
    await send({ query: EXPENSIVE, operationName: '' });
    expect((await send({ query: EXPENSIVE })).errors[0]?.extensions.code).toBe('COST_LIMIT_EXCEEDED');
    expect(pair.calls).toEqual([]);
  });

  it('counts lists in the defaults of variables', async () => {
    await using pair = await startPair({ facade: { limits: { cost: { operation: 50 } } } });
    const ids = JSON.stringify(Array.from({ length: 60 }, () => 'dataset/12'));
    const { errors } = await pair.ask(`query ($ids: [ID!]! = ${ids}) { nodes(ids: $ids) { id } }`);
    expect(errors[0]?.extensions['code']).toBe('COST_LIMIT_EXCEEDED');
    expect(pair.calls).toEqual([]);
  });
});
