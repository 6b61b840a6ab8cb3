// Lists all datasets and creates a snapshot with operations whose types are generated.
import { graphql } from './__generated__/gql.ts';
import type { DatasetsQuery } from './__generated__/graphql.ts';
import { execute } from './execute.ts';

const DATASETS = graphql(`
  query Datasets($after: String) {
    datasets(first: 25, after: $after) {
      nodes { id name user { label } }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

const CREATE_SNAPSHOT = graphql(`
  mutation CreateSnapshot($dataset: ID!, $input: DatasetSnapshotCreateInput) {
    datasetSnapshotCreate(dataset: $dataset, input: $input, wait: 50) {
      snapshot { id }
      actionState { outcome }
      userErrors { message }
    }
  }
`);

const datasets: DatasetsQuery['datasets']['nodes'] = [];
let after: string | null = null;
do {
  const page: DatasetsQuery = await execute(DATASETS, { after });
  datasets.push(...page.datasets.nodes);
  after = page.datasets.pageInfo.hasNextPage ? page.datasets.pageInfo.endCursor : null;
} while (after !== null);
for (const { id, name, user } of datasets) console.log(`${id}  ${name}  ${user?.label}`);

const [dataset] = datasets;
if (dataset === undefined) throw new Error('There is no dataset to make a snapshot of.');
const { datasetSnapshotCreate: created } = await execute(CREATE_SNAPSHOT, {
  dataset: dataset.id,
  input: { label: 'from generated operations' },
});
for (const { message } of created.userErrors) console.error(message);
console.log(`${created.snapshot?.id}: ${created.actionState?.outcome}`);
