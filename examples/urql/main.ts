// Lists all datasets, creates a snapshot and follows its action with urql.
import { type AnyVariables, Client, cacheExchange, fetchExchange, type OperationResult } from '@urql/core';
import { graphql } from './__generated__/gql.ts';
import type { DatasetsQuery } from './__generated__/graphql.ts';

const DATASETS = graphql(`
  query Datasets($after: String) {
    datasets(first: 25, after: $after) {
      nodes { id name }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

const CREATE_SNAPSHOT = graphql(`
  mutation CreateSnapshot($dataset: ID!, $input: DatasetSnapshotCreateInput) {
    datasetSnapshotCreate(dataset: $dataset, input: $input) {
      snapshot { id }
      actionState { id }
      userErrors { message }
    }
  }
`);

const ACTION_PROGRESS = graphql(`
  subscription ActionProgress($id: ID!) {
    actionProgress(id: $id) { id label outcome progress }
  }
`);

const client = new Client({
  url: process.env['GRAPHQL_URL'] ?? 'http://127.0.0.1:4000/graphql',
  exchanges: [cacheExchange, fetchExchange],
  fetchOptions: { headers: { authorization: `Basic ${btoa('user:sandbox')}` } },
  // Subscriptions arrive as server-sent events, with the same headers.
  fetchSubscriptions: true,
});

/** The data of a result. Throws if any part of the operation failed. */
function dataOf<Data>({ data, error }: OperationResult<Data, AnyVariables>): Data {
  if (error || !data) throw error ?? new Error('The result has no data.');
  return data;
}

const rows: DatasetsQuery['datasets']['nodes'] = [];
let after: string | null = null;
do {
  const { datasets }: DatasetsQuery = dataOf(await client.query(DATASETS, { after }));
  rows.push(...datasets.nodes);
  after = datasets.pageInfo.hasNextPage ? datasets.pageInfo.endCursor : null;
} while (after !== null);
for (const { id, name } of rows) console.log(`${id}  ${name}`);

const [dataset] = rows;
if (dataset === undefined) throw new Error('There is no dataset to make a snapshot of.');
const { datasetSnapshotCreate: created } = dataOf(
  await client.mutation(CREATE_SNAPSHOT, { dataset: dataset.id, input: { label: 'from urql' } }),
);
if (!created.actionState) throw new Error(created.userErrors.map(({ message }) => message).join('\n'));

client.subscription(ACTION_PROGRESS, { id: created.actionState.id }).subscribe((result) => {
  const { label, outcome, progress } = dataOf(result).actionProgress;
  // urql repeats the last event when the stream has ended.
  console.log(
    result.hasNext
      ? `${label}: ${Math.round((progress ?? 0) * 100)} %`
      : `${created.snapshot?.id}: ${outcome}`,
  );
});
