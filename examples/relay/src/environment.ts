// Makes Relay's environment: a store, and a network that sends operations by fetch, and live queries as streams.
import { createClient } from 'graphql-sse';
import {
  Environment,
  type FetchFunction,
  type GraphQLResponse,
  Network,
  Observable,
  RecordSource,
  Store,
} from 'relay-runtime';
import { isLive } from './live-query.ts';

const streams = createClient({ url: '/graphql' });

const fetchOperation: FetchFunction = (request, variables) =>
  isLive(request) ? streamResults(request.text ?? '', variables) : fetchResult(request.text, variables);

async function fetchResult(query: string | null, variables: object): Promise<GraphQLResponse> {
  const response = await fetch('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  });
  return response.json();
}

function streamResults(query: string, variables: Record<string, unknown>): Observable<GraphQLResponse> {
  return Observable.create((sink) =>
    streams.subscribe(
      { query, variables },
      {
        next: (result) => sink.next(result as GraphQLResponse),
        error: (cause) =>
          sink.error(cause instanceof Error ? cause : new Error('The stream has failed.', { cause })),
        complete: () => sink.complete(),
      },
    ),
  );
}

export const environment = new Environment({
  network: Network.create(fetchOperation),
  store: new Store(new RecordSource()),
});
