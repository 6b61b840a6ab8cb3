// Tests that a value that JSON cannot hold, from a resolver of a user of the library, is an error wherever it is written.
import { createClient } from 'graphql-ws';
import { describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { shareLiveLibrary } from '../helpers/shared-api.ts';
import { post, type Result } from '../helpers/transports.ts';

const cycle: { self?: unknown } = {};
cycle.self = cycle;

const VALUES: readonly (readonly [string, unknown])[] = [
  ['a BigInt', 1n],
  ['an object whose toJSON throws', { toJSON: () => JSON.parse('no JSON') }],
  ['a cycle', cycle],
];

const OPERATIONS: readonly (readonly [string, string])[] = [
  ['query', '{ anything }'],
  ['list', '{ list }'],
  ['mutation', 'mutation { anything }'],
  ['live query', 'query @live(interval: 0.02) { anything }'],
  ['deferred fragment', '{ __typename ... @defer { late } }'],
  ['subscription', 'subscription { anything }'],
];

const shareWith = (value: unknown) =>
  shareLiveLibrary({
    extendSchema: {
      typeDefs: `
        scalar Anything
        extend type Query { anything: Anything late: Anything list: [Anything] }
        extend type Mutation { anything: Anything }
        extend type Subscription { anything: Anything }
      `,
      resolvers: {
        Query: {
          anything: () => value,
          list: () => [1, value],
          late: async () => {
            await new Promise((resolve) => setTimeout(resolve, 5));
            return value;
          },
        },
        Mutation: { anything: () => value },
        Subscription: {
          anything: {
            async *subscribe() {
              yield { anything: 1 };
              yield { anything: value };
            },
          },
        },
      },
    },
  });

const INTERNAL = /"code":"INTERNAL".*"requestId":"[\w.:-]+"|"requestId":"[\w.:-]+".*"code":"INTERNAL"/;

/** Reads a response up to the error or its end: a live query goes on. */
async function readUntilError({ body }: Response): Promise<string> {
  let text = '';
  for await (const part of body ?? []) {
    text += Buffer.from(part).toString();
    if (INTERNAL.test(text)) break;
  }
  return text;
}

describe.each(VALUES)('%s', (_value, value) => {
  const library = shareWith(value);

  describe.each([
    ['application/json', ['query', 'list', 'mutation']],
    ['text/event-stream', OPERATIONS.map(([kind]) => kind)],
    ['multipart/mixed', ['deferred fragment']],
  ])('over HTTP as %s', (accept, kinds) => {
    it.each(OPERATIONS.filter(([kind]) => kinds.includes(kind)))(
      'in a %s is an error',
      async (_kind, query) => {
        const response = await post(library.url, { query }, { accept, 'x-library-token': 'one' });
        expect(await readUntilError(response)).toMatch(INTERNAL);
        const next = await post(library.url, { query: '{ __typename }' }, { 'x-library-token': 'one' });
        expect(await next.json()).toMatchObject({ data: { __typename: 'Query' } });
      },
    );
  });

  it.each(OPERATIONS)(
    'in a %s over a WebSocket is an error, and its other operations go on',
    async (_kind, query) => {
      const client = createClient({
        url: library.url.replace('http', 'ws'),
        webSocketImpl: WebSocket,
        connectionParams: { 'x-library-token': 'one' },
        retryAttempts: 0,
        lazy: false,
      });
      const other = client.iterate({ query: 'query @live(interval: 0.02) { books { nodes { title } } }' });
      await other.next();
      const results: unknown[] = [];
      try {
        for await (const result of client.iterate({ query })) {
          results.push(result);
          // A live query goes on.
          if (INTERNAL.test(JSON.stringify(result))) break;
        }
      } catch (errors) {
        results.push({ errors });
      }
      expect(JSON.stringify(results)).toMatch(INTERNAL);
      library.books.set(4, { title: 'Four', author: 2 });
      const { value: next } = (await other.next()) as { value: Result };
      expect(JSON.stringify(next)).toContain('Four');
      await client.dispose();
    },
  );
});

describe('an alias that is a name of JavaScript', () => {
  const library = shareWith('text');
  const NAMES = 'toJSON then constructor valueOf hasOwnProperty __defineGetter__ stringify'.split(' ');

  it('changes nothing about how a result is written', async () => {
    const select = (field: string) => NAMES.map((name) => `${name}: ${field}`).join(' ');
    const query = `{ ${select('anything')} books(first: 1) { nodes { ${select('title')} } } }`;
    const response = await post(library.url, { query }, { 'x-library-token': 'one' });
    const all = (value: string) => Object.fromEntries(NAMES.map((name) => [name, value]));
    expect(await response.json()).toMatchObject({ data: { ...all('text'), books: { nodes: [all('One')] } } });
  });
});
