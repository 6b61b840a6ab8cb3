// Makes an Apollo Client: operations by HTTP, subscriptions and live queries by a WebSocket, lists joined in the cache.
import { ApolloClient, ApolloLink, HttpLink, InMemoryCache } from '@apollo/client';
import { GraphQLWsLink } from '@apollo/client/link/subscriptions';
import { relayStylePagination } from '@apollo/client/utilities';
import { type DocumentNode, Kind, OperationTypeNode } from 'graphql';
import { createClient } from 'graphql-ws';
import WebSocket from 'ws';

/** @param credential Headers that sign in; on a WebSocket they stand in the connection parameters. */
export function createApolloClient(url: string, credential: Record<string, string>): ApolloClient {
  const sockets = createClient({
    url: url.replace(/^http/, 'ws'),
    connectionParams: credential,
    // Browsers, and Node from version 22 on, have a WebSocket of their own.
    webSocketImpl: WebSocket,
  });
  return new ApolloClient({
    link: ApolloLink.split(
      ({ operationType, query }) => operationType === OperationTypeNode.SUBSCRIPTION || isLive(query),
      new GraphQLWsLink(sockets),
      new HttpLink({ uri: url, headers: credential }),
    ),
    cache: new InMemoryCache({
      // Pages of one list are joined; lists with another filter are other lists.
      typePolicies: { Query: { fields: { datasets: relayStylePagination(['filter']) } } },
    }),
  });
}

/** Whether an operation has the directive `@live`, and therefore several results. */
function isLive({ definitions }: DocumentNode): boolean {
  return definitions.some(
    (node) =>
      node.kind === Kind.OPERATION_DEFINITION && node.directives?.some(({ name }) => name.value === 'live'),
  );
}
