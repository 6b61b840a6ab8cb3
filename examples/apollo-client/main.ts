// Lists all datasets, creates a snapshot and follows its action with Apollo Client.
import { gql, type TypedDocumentNode } from '@apollo/client';
import type {
  ActionProgressSubscription,
  ActionProgressSubscriptionVariables,
  CreateSnapshotMutation,
  CreateSnapshotMutationVariables,
  DatasetsQuery,
  DatasetsQueryVariables,
  OutcomeFragment,
} from './__generated__/graphql.ts';
import { createApolloClient } from './client.ts';

const DATASETS: TypedDocumentNode<DatasetsQuery, DatasetsQueryVariables> = gql`
  query Datasets($after: String) {
    datasets(first: 25, after: $after) {
      edges { node { id name } }
      pageInfo { hasNextPage endCursor }
    }
  }
`;

const CREATE_SNAPSHOT: TypedDocumentNode<CreateSnapshotMutation, CreateSnapshotMutationVariables> = gql`
  mutation CreateSnapshot($dataset: ID!, $input: DatasetSnapshotCreateInput) {
    datasetSnapshotCreate(dataset: $dataset, input: $input) {
      snapshot { id }
      actionState { id outcome }
      userErrors { message }
    }
  }
`;

const ACTION_PROGRESS: TypedDocumentNode<ActionProgressSubscription, ActionProgressSubscriptionVariables> =
  gql`
  subscription ActionProgress($id: ID!) {
    actionProgress(id: $id) { id label outcome progress }
  }
`;

const OUTCOME: TypedDocumentNode<OutcomeFragment> = gql`
  fragment Outcome on ActionState { outcome }
`;

const client = createApolloClient(process.env['GRAPHQL_URL'] ?? 'http://127.0.0.1:4000/graphql', {
  authorization: `Basic ${btoa('user:sandbox')}`,
});

// The cache joins the pages into one list.
const list = client.watchQuery({ query: DATASETS });
let page = await client.query({ query: DATASETS });
while (page.data?.datasets.pageInfo.hasNextPage) {
  page = await list.fetchMore({ variables: { after: page.data.datasets.pageInfo.endCursor } });
}
const datasets = client.readQuery({ query: DATASETS })?.datasets.edges.map(({ node }) => node) ?? [];
for (const { id, name } of datasets) console.log(`${id}  ${name}`);

const [dataset] = datasets;
if (dataset === undefined) throw new Error('There is no dataset to make a snapshot of.');
const { data } = await client.mutate({
  mutation: CREATE_SNAPSHOT,
  variables: { dataset: dataset.id, input: { label: 'from Apollo Client' } },
});
const { snapshot, actionState, userErrors = [] } = data?.datasetSnapshotCreate ?? {};
if (!actionState) throw new Error(userErrors.map(({ message }) => message).join('\n'));

await client
  .subscribe({ query: ACTION_PROGRESS, variables: { id: actionState.id } })
  .forEach(({ data, error }) => {
    if (error) throw error;
    console.log(`${data?.actionProgress.label}: ${Math.round((data?.actionProgress.progress ?? 0) * 100)} %`);
  });

// Ids are global, so each event has updated the object that the mutation put into the cache.
const finished = client.readFragment({ fragment: OUTCOME, from: actionState });
console.log(`${snapshot?.id}: ${finished?.outcome}`);
