// Makes Relay's environment for a page of another origin: a token in each request, and subscriptions over a WebSocket.
import { createClient } from 'graphql-ws';
import {
  Environment,
  type GraphQLResponse,
  Network,
  Observable,
  RecordSource,
  type RequestParameters,
  Store,
  type Variables,
} from 'relay-runtime';

/**
 * @param url The whole address, such as `new URL('/graphql', location.href).href`.
 * @param credential The token by the name of its header.
 */
export function createEnvironment(url: string, credential: Record<string, string>): Environment {
  const sockets = createClient({ url: url.replace(/^http/, 'ws'), connectionParams: credential });

  async function fetchOperation({ text }: RequestParameters, variables: Variables): Promise<GraphQLResponse> {
    const headers = { 'content-type': 'application/json', ...credential };
    const body = JSON.stringify({ query: text, variables });
    return (await fetch(url, { method: 'POST', headers, body })).json();
  }

  const subscribe = ({ text }: RequestParameters, variables: Variables): Observable<GraphQLResponse> =>
    Observable.create((sink) => {
      const next = (result: unknown): void => sink.next(result as GraphQLResponse);
      const error = (cause: unknown): void => sink.error(new Error('The stream has failed.', { cause }));
      return sockets.subscribe({ query: text ?? '', variables }, { next, error, complete: sink.complete });
    });

  return new Environment({
    network: Network.create(fetchOperation, subscribe),
    store: new Store(new RecordSource()),
  });
}
