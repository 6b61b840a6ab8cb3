// Tests the limits of operations over each transport.
import { describe, expect, it } from 'vitest';
import { ask, startFacade } from '../../helpers/facade.ts';
import { sharePair } from '../../helpers/shared-pair.ts';
import { post, TRANSPORTS } from '../../helpers/transports.ts';

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
  'introspection that is repeated under aliases': `{ ${repeat(45, (i) => `a${i}: __schema { types { fields { name args { name type { ...T } } type { ...T } } } }`)} } fragment T on __Type { name kind ofType { name kind ofType { name kind } } }`,
  'introspection that repeats lists through fragments': `{ __schema { types { ...F0 ...F1 } } } ${repeat(2, (i) => `fragment F${i} on __Type { ${repeat(40, (n) => `f${i}_${n}: fields { name args { name defaultValue type { name kind } } }`)} }`)}`,
  'fields whose names begin like introspection':
    '{ __schema: datasets(first: 1000) { nodes { __type: snapshots(first: 1000) { nodes { id } } } } }',
};

const tooLarge: Record<string, readonly [query: string, message: RegExp]> = {
  tokens: [`{ ${repeat(2_001, (index) => `a${index}`)} }`, /more that 2000 tokens/],
  characters: [`{ id } # ${'x'.repeat(65_536)}`, /more than 65536 characters/],
  'fields of one name': [`{ ${'id '.repeat(51)} }`, /repeats the field "id" more than 50 times/],
  'fragments in one selection set': [`{ ${'... { id } '.repeat(51)} }`, /more than 50 fragments/],
};

// Long documents cost their length.
const pair = sharePair({ facade: { limits: { credentialCost: 10_000_000, addressCost: 10_000_000 } } });

describe.each(TRANSPORTS)('over %s', (_name, send) => {
  it.each(Object.entries(tooExpensive))(
    'an operation with %s is refused without a call',
    async (_what, query) => {
      const { data, errors } = await send(pair.url, { query }, pair.headers('admin'));
      expect(data ?? null).toBeNull();
      expect(errors).toMatchObject([
        { extensions: { code: 'COST_LIMIT_EXCEEDED', retryable: false, cost: { limit: 50_000 } } },
      ]);
      expect(pair.calls).toEqual([]);
    },
  );

  it('the page size in a variable counts', async () => {
    const query =
      'query ($n: Int) { datasets(first: $n) { nodes { snapshots(first: $n) { nodes { id } } } } }';
    const headers = pair.headers('admin');
    const refused = await send(pair.url, { query, variables: { n: 900 } }, headers);
    expect(refused.errors).toMatchObject([{ extensions: { cost: { estimate: expect.any(Number) } } }]);
    expect((await send(pair.url, { query, variables: { n: 2 } }, headers)).errors).toBeUndefined();
  });

  it.each(Object.entries(tooLarge))(
    'a document with too many %s is refused',
    async (_what, [query, message]) => {
      const { errors } = await send(pair.url, { query }, pair.headers('admin'));
      expect(errors).toMatchObject([
        { message: expect.stringMatching(message), extensions: { code: 'BAD_USER_INPUT' } },
      ]);
    },
  );
});

describe('the estimate', () => {
  const EXPENSIVE = '{ datasets(first: 1000) { nodes { snapshots(first: 1000) { nodes { id } } } } }';

  it('of an operation does not depend on earlier requests that named no operation', async () => {
    await (await post(pair.url, { query: EXPENSIVE, operationName: '' }, pair.headers('admin'))).text();
    expect((await pair.ask(EXPENSIVE)).errors).toMatchObject([
      { extensions: { code: 'COST_LIMIT_EXCEEDED' } },
    ]);
    expect(pair.calls).toEqual([]);
  });

  it('counts lists in the defaults of variables', async () => {
    await using facade = await startFacade(pair.sandbox, { limits: { operationCost: 50 } });
    const ids = JSON.stringify(Array.from({ length: 60 }, () => 'dataset/12'));
    const { errors } = await ask(facade, `query ($ids: [ID!]! = ${ids}) { nodes(ids: $ids) { id } }`);
    expect(errors[0]?.extensions['code']).toBe('COST_LIMIT_EXCEEDED');
    expect(pair.calls).toEqual([]);
  });
});
