// Makes an urql client for a person who signs in.
import { Client, cacheExchange, fetchExchange } from 'urql';

export function createApiClient(token: string): Client {
  return new Client({
    url: '/graphql',
    // The API describes the name of this header, and yours may have another one.
    fetchOptions: { headers: { 'X-Service-Auth-Token': token } },
    exchanges: [cacheExchange, fetchExchange],
    // Subscriptions arrive as server-sent events.
    fetchSubscriptions: true,
  });
}
