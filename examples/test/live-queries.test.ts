// Tests that stock clients take several results of a live query, which stays a query for them.
import { ApolloClient, gql, InMemoryCache } from '@apollo/client/core';
import { GraphQLWsLink } from '@apollo/client/link/subscriptions';
import { Client, subscriptionExchange } from '@urql/core';
import { createClient } from 'graphql-ws';
import {
  Environment,
  fetchQuery,
  type GraphQLTaggedNode,
  Network,
  Observable,
  RecordSource,
  Store,
} from 'relay-runtime';
import { describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { openLiveLibrary } from '../../test/helpers/live-library.ts';

const QUERY = 'query Titles @live(interval: 3600) { books { nodes { id title } } }';
const WRITE = 'mutation { bookUpdate(id: 1, input: { title: "Uno" }) { userErrors { code } } }';

/** Sends the query by a client over a WebSocket. Calls back with the titles of each result, and returns what ends it. */
type SendQuery = (
  socket: ReturnType<typeof createClient>,
  onTitles: (titles: readonly string[]) => void,
) => () => void;

const titlesIn = (data: unknown): readonly string[] =>
  (data as { books: { nodes: { title: string }[] } }).books.nodes.map(({ title }) => title);

const byApollo: SendQuery = (socket, onTitles) => {
  const client = new ApolloClient({ link: new GraphQLWsLink(socket), cache: new InMemoryCache() });
  const subscription = client
    .watchQuery({ query: gql(QUERY) })
    .subscribe(({ data, dataState }) => dataState === 'complete' && onTitles(titlesIn(data)));
  return () => {
    subscription.unsubscribe();
    client.stop();
  };
};

const byUrql: SendQuery = (socket, onTitles) => {
  const exchange = subscriptionExchange({
    enableAllOperations: true,
    forwardSubscription: ({ query = '', variables }) => ({
      subscribe: (sink) => ({
        unsubscribe: socket.subscribe({ query, variables: { ...variables } }, sink as never),
      }),
    }),
  });
  const client = new Client({ url: 'http://unused.test', preferGetMethod: false, exchanges: [exchange] });
  return client.query(QUERY, {}).subscribe(({ data }) => data && onTitles(titlesIn(data))).unsubscribe;
};

const scalar = (name: string) => ({ alias: null, args: null, kind: 'ScalarField', name, storageKey: null });
const linked = (name: string, concreteType: string, plural: boolean, selections: readonly object[]) => ({
  ...scalar(name),
  kind: 'LinkedField',
  concreteType,
  plural,
  selections,
});
const selections = [
  linked('books', 'BookConnection', false, [linked('nodes', 'Book', true, [scalar('id'), scalar('title')])]),
];

/** What Relay's compiler makes of the query. */
const COMPILED = {
  kind: 'Request',
  fragment: {
    kind: 'Fragment',
    name: 'Titles',
    type: 'Query',
    metadata: null,
    argumentDefinitions: [],
    selections,
  },
  operation: { kind: 'Operation', name: 'Titles', argumentDefinitions: [], selections },
  params: { id: null, cacheID: 'titles', name: 'Titles', operationKind: 'query', text: QUERY, metadata: {} },
};

const byRelay: SendQuery = (socket, onTitles) => {
  const network = Network.create(({ text }, variables) =>
    Observable.create((sink) => socket.subscribe({ query: text ?? '', variables }, sink as never)),
  );
  const environment = new Environment({ network, store: new Store(new RecordSource()) });
  const subscription = fetchQuery(environment, COMPILED as unknown as GraphQLTaggedNode, {}).subscribe({
    next: (data) => onTitles(titlesIn(data)),
  });
  return () => subscription.unsubscribe();
};

describe.each([
  ['Apollo Client', byApollo],
  ['urql', byUrql],
  ['Relay', byRelay],
])('%s', (_name, send) => {
  it('takes each result of a live query', async () => {
    await using library = await openLiveLibrary();
    const { url } = await library.listen();
    const socket = createClient({
      url: url.replace('http', 'ws'),
      webSocketImpl: WebSocket,
      connectionParams: { 'x-library-token': 'one' },
    });
    const results: (readonly string[])[] = [];
    const end = send(socket, (titles) => results.push(titles));
    await expect.poll(() => results, { timeout: 30_000 }).toEqual([['One', 'Two', 'Three']]);
    await library.ask(WRITE);
    await expect.poll(() => results.at(-1), { timeout: 30_000 }).toEqual(['Uno', 'Two', 'Three']);
    end();
    await socket.dispose();
  });
});
