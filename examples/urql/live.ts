// Prints the number of a dataset's snapshots whenever it changes, by a live query with urql.
import { Client, cacheExchange, fetchExchange } from '@urql/core';
import { graphql } from './__generated__/gql.ts';

const SNAPSHOT_COUNT = graphql(`
  query SnapshotCount($dataset: ID!) @live {
    dataset(id: $dataset) {
      snapshots(first: 0) { totalCount }
    }
  }
`);

const client = new Client({
  url: process.env['GRAPHQL_URL'] ?? 'http://127.0.0.1:4000/graphql',
  // This exchange accepts server-sent events for every query.
  exchanges: [cacheExchange, fetchExchange],
  fetchOptions: { headers: { authorization: `Basic ${btoa('user:sandbox')}` } },
});

client.query(SNAPSHOT_COUNT, { dataset: 'dataset/104' }).subscribe(({ data, error }) => {
  if (error) throw error;
  console.log(`${data?.dataset.snapshots.totalCount} snapshots`);
});
