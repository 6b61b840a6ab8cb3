// Tests the operations in test/operations with Apollo Client and urql.
import { readFileSync } from 'node:fs';
import { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache } from '@apollo/client/core';
import { Defer20220824Handler } from '@apollo/client/incremental';
import { GraphQLWsLink } from '@apollo/client/link/subscriptions';
import { Client, fetchExchange, subscriptionExchange } from '@urql/core';
import { OperationTypeNode } from 'graphql';
import { createClient } from 'graphql-ws';
import { describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { startServer } from '../../src/transports/server.ts';
import { startPair } from '../helpers/facade.ts';
import type {
  ActionProgressSubscription,
  DatasetsQuery,
  SnapshotCreateMutation,
} from '../operations/types.ts';

const operation = (name: string): string =>
  readFileSync(new URL(`../operations/${name}.graphql`, import.meta.url), 'utf8');

/** Starts a facade with a sandbox whose actions the test advances, and returns what a client needs to reach it. */
async function serve() {
  const pair = await startPair({ sandbox: { step: 'manual' } });
  const server = await startServer(pair.facade, { host: '127.0.0.1', port: 0 });
  const headers = pair.headers('user');
  const sockets = createClient({
    url: server.url.replace('http', 'ws'),
    webSocketImpl: WebSocket,
    connectionParams: headers,
  });
  const dispose = async (): Promise<void> => {
    await sockets.dispose();
    await server.close();
    await pair[Symbol.asyncDispose]();
  };
  return { pair, url: server.url, headers, sockets, [Symbol.asyncDispose]: dispose };
}

type Told = ActionProgressSubscription['actionProgress'];

/** Follows an action to its end. Each event advances it by one step. */
function follow(advance: () => void) {
  const outcomes: unknown[] = [];
  const { promise, resolve, reject } = deferred();
  return {
    promise: promise.then(() => outcomes),
    next(state: Told | undefined, error: unknown): void {
      if (error !== undefined && error !== null) reject(error);
      outcomes.push(state?.outcome);
      advance();
    },
    end: resolve,
  };
}

function deferred() {
  let resolve: () => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const promise = new Promise<void>((done, failed) => {
    resolve = done;
    reject = failed;
  });
  return { promise, resolve, reject };
}

const OUTCOMES = [...Array(5).fill('RUNNING'), 'SUCCEEDED'];

describe('the same documents', () => {
  it('run in Apollo Client', async () => {
    await using at = await serve();
    const client = new ApolloClient({
      cache: new InMemoryCache(),
      link: ApolloLink.split(
        ({ operationType }) => operationType === OperationTypeNode.SUBSCRIPTION,
        new GraphQLWsLink(at.sockets),
        new HttpLink({ uri: at.url, headers: at.headers }),
      ),
    });
    const list = await client.query<DatasetsQuery>({
      query: gql(operation('datasets')),
      variables: { first: 3 },
    });
    expect(list.data?.datasets?.nodes).toHaveLength(3);
    expect(client.cache.extract()).toHaveProperty(`Dataset:${list.data?.datasets?.nodes[0]?.id}`);
    const created = await client.mutate<SnapshotCreateMutation>({
      mutation: gql(operation('snapshot-create')),
      variables: { dataset: 'dataset/12', input: { label: 'apollo' } },
    });
    expect(created.data?.datasetSnapshotCreate?.userErrors).toEqual([]);
    const id = created.data?.datasetSnapshotCreate?.actionState?.id;
    const seen = follow(() => at.pair.sandbox.advance());
    client
      .subscribe<ActionProgressSubscription>({ query: gql(operation('action-progress')), variables: { id } })
      .subscribe({
        next: ({ data, error }) => seen.next(data?.actionProgress, error),
        complete: seen.end,
      });
    expect(await seen.promise).toEqual(OUTCOMES);
    client.stop();
  });

  it('arrive in parts in Apollo Client', async () => {
    await using at = await serve();
    const client = new ApolloClient({
      cache: new InMemoryCache(),
      link: new HttpLink({ uri: at.url, headers: at.headers }),
      incrementalHandler: new Defer20220824Handler(),
    });
    const query = gql(
      '{ datasets(first: 1) { nodes { id ... @defer { name snapshots { nodes { id } } } } } }',
    );
    const states = await new Promise<readonly string[]>((resolve, reject) => {
      const seen: string[] = [];
      client.watchQuery({ query }).subscribe({
        next: ({ dataState }) => {
          seen.push(dataState);
          if (dataState === 'complete') resolve(seen);
        },
        error: reject,
      });
    });
    expect(states).toContain('streaming');
    client.stop();
  });

  it('run in urql', async () => {
    await using at = await serve();
    const client = new Client({
      url: at.url,
      preferGetMethod: false,
      fetchOptions: { headers: at.headers },
      exchanges: [
        fetchExchange,
        subscriptionExchange({
          forwardSubscription: ({ query = '', variables }) => ({
            subscribe: (sink) => ({
              unsubscribe: at.sockets.subscribe(
                { query, variables: variables as Record<string, unknown> },
                sink as never,
              ),
            }),
          }),
        }),
      ],
    });
    const list = await client.query<DatasetsQuery>(operation('datasets'), { first: 3 }).toPromise();
    expect(list.error).toBeUndefined();
    expect(list.data?.datasets?.nodes).toHaveLength(3);
    const created = await client
      .mutation<SnapshotCreateMutation>(operation('snapshot-create'), {
        dataset: 12,
        input: { label: 'urql' },
      })
      .toPromise();
    expect(created.data?.datasetSnapshotCreate?.userErrors).toEqual([]);
    const id = created.data?.datasetSnapshotCreate?.actionState?.id;
    const seen = follow(() => at.pair.sandbox.advance());
    const subscription = client
      .subscription<ActionProgressSubscription>(operation('action-progress'), { id })
      .subscribe(({ data, error }) => {
        seen.next(data?.actionProgress, error);
        if (data?.actionProgress.outcome !== 'RUNNING') seen.end();
      });
    expect(await seen.promise).toEqual(OUTCOMES);
    subscription.unsubscribe();
  });
});
