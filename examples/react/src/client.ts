// Makes an urql client for a person who signs in.
import { type DocumentNode, Kind } from 'graphql';
import { createClient as createSocketClient } from 'graphql-ws';
import { Client, cacheExchange, type ExecutionResult, fetchExchange, subscriptionExchange } from 'urql';

export function createApiClient(token: string): Client {
  // The API describes the name of this header, and yours may have another one.
  const credential = { 'X-Service-Auth-Token': token };
  const sockets = createSocketClient({
    url: new URL('/graphql', location.href).href.replace(/^http/, 'ws'),
    connectionParams: credential,
  });
  return new Client({
    url: '/graphql',
    fetchOptions: { headers: credential },
    exchanges: [
      cacheExchange,
      // One WebSocket, which connects again by itself, serves all subscriptions and live queries.
      subscriptionExchange({
        forwardSubscription: ({ query = '', variables }) => ({
          subscribe: ({ next, error, complete }) => ({
            unsubscribe: sockets.subscribe(
              { query, variables: { ...variables } },
              { next: (result) => next(result as ExecutionResult), error, complete },
            ),
          }),
        }),
        isSubscriptionOperation: ({ kind, query }) => kind === 'subscription' || isLive(query),
      }),
      fetchExchange,
    ],
  });
}

/** Whether an operation has the directive `@live`, and therefore several results. */
function isLive({ definitions }: DocumentNode): boolean {
  return definitions.some(
    (node) =>
      node.kind === Kind.OPERATION_DEFINITION && node.directives?.some(({ name }) => name.value === 'live'),
  );
}
