// Tests automatic persisted queries with Apollo's own link.
import { createHash } from 'node:crypto';
import { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseTrustedDocuments } from '../../src/server/documents/trusted-documents.ts';
import { type RunningServer, startServer } from '../../src/server/server.ts';
import { type Pair, startPair } from '../helpers/facade.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const QUERY = gql`
  query Names {
    datasets(first: 1) {
      nodes {
        name
      }
    }
  }
`;

describe.each(['off', 'allow', 'enforce'] as const)('with trusted documents: %s', (mode) => {
  let pair: Pair;
  let server: RunningServer;
  beforeAll(async () => {
    const documents = parseTrustedDocuments({ other: '{ __typename }' });
    pair = await startPair(mode === 'off' ? {} : { facade: { trustedDocuments: { mode, documents } } });
    server = await startServer(pair.facade, { host: '127.0.0.1', port: 0 });
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await pair[Symbol.asyncDispose]();
  });

  it.each([false, true])(
    'a stock Apollo client sends a text at most once, with hashes by GET: %s',
    async (isGet) => {
      const sent: string[] = [];
      const http = new HttpLink({
        uri: server.url,
        headers: pair.headers('user'),
        fetch: (url, init) => {
          const hasText = `${url}${String(init?.body)}`.includes('datasets');
          sent.push(`${init?.method} ${hasText ? 'text' : 'hash'}`);
          return fetch(url, init);
        },
      });
      const link = ApolloLink.from([new PersistedQueryLink({ sha256, useGETForHashedQueries: isGet }), http]);
      const client = new ApolloClient({ link, cache: new InMemoryCache() });
      const ask = () => client.query({ query: QUERY, fetchPolicy: 'no-cache' });
      const method = isGet ? 'GET' : 'POST';
      if (mode === 'enforce') {
        await expect(ask()).rejects.toThrow('executes only the documents');
        return;
      }
      for (let round = 0; round < 2; round++)
        expect((await ask()).data).toMatchObject({ datasets: { nodes: [{ name: expect.any(String) }] } });
      // The second client finds what the first has registered.
      const first = isGet ? [] : ['POST hash', 'POST text'];
      expect(sent).toEqual(isGet ? ['GET hash', 'GET hash'] : [...first, `${method} hash`]);
    },
  );

  it('a hash registers no other text', async () => {
    const send = async (body: object) => {
      const headers = { 'content-type': 'application/json', ...pair.headers('user') };
      return (await fetch(server.url, { method: 'POST', headers, body: JSON.stringify(body) })).json();
    };
    const extensions = { persistedQuery: { version: 1, sha256Hash: sha256('{ node }') } };
    await send({ query: '{ __typename }', extensions });
    expect(await send({ extensions })).toMatchObject({
      errors: [{ extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } }],
    });
  });
});
