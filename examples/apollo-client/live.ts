// Prints the number of a dataset's snapshots whenever it changes, by a live query with Apollo Client.
import { gql, type TypedDocumentNode } from '@apollo/client';
import type { SnapshotCountQuery, SnapshotCountQueryVariables } from './__generated__/graphql.ts';
import { createApolloClient } from './client.ts';

const SNAPSHOT_COUNT: TypedDocumentNode<SnapshotCountQuery, SnapshotCountQueryVariables> = gql`
  query SnapshotCount($dataset: ID!) @live {
    dataset(id: $dataset) {
      id
      snapshots(first: 0) { totalCount }
    }
  }
`;

const client = createApolloClient(process.env['GRAPHQL_URL'] ?? 'http://127.0.0.1:4000/graphql', {
  authorization: `Basic ${btoa('user:sandbox')}`,
});

// Each result updates the cache, and with it all queries that show the same objects.
client
  .watchQuery({ query: SNAPSHOT_COUNT, variables: { dataset: 'dataset/104' } })
  .subscribe(({ data, dataState, error }) => {
    if (error) throw error;
    if (dataState === 'complete') console.log(`${data.dataset.snapshots.totalCount} snapshots`);
  });
