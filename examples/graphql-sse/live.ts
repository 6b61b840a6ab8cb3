// Prints the number of a dataset's snapshots whenever it changes, by a live query with graphql-sse.
import { createClient } from 'graphql-sse';

const client = createClient({
  url: process.env['GRAPHQL_URL'] ?? 'http://127.0.0.1:4000/graphql',
  headers: { authorization: `Basic ${btoa('user:sandbox')}` },
});

interface SnapshotCount {
  readonly dataset: { readonly snapshots: { readonly totalCount: number | null } };
}

const query = `
  query SnapshotCount($dataset: ID!) @live {
    dataset(id: $dataset) {
      snapshots(first: 0) { totalCount }
    }
  }`;

// The client connects again after a lost connection, and the query then begins with a whole result.
for await (const { data, errors = [] } of client.iterate<SnapshotCount>({
  query,
  variables: { dataset: 'dataset/104' },
})) {
  for (const { message } of errors) console.error(message);
  if (data) console.log(`${data.dataset.snapshots.totalCount} snapshots`);
}
