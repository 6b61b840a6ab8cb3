// Makes Relay's environment: a store, and a network that sends operations by fetch.
import { Environment, type FetchFunction, Network, RecordSource, Store } from 'relay-runtime';

const fetchOperation: FetchFunction = async ({ text }, variables) => {
  const response = await fetch('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: text, variables }),
  });
  return response.json();
};

export const environment = new Environment({
  network: Network.create(fetchOperation),
  store: new Store(new RecordSource()),
});
