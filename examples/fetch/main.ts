// Lists all datasets and creates a snapshot, with nothing but fetch.
const ENDPOINT = process.env['GRAPHQL_URL'] ?? 'http://127.0.0.1:4000/graphql';
const CREDENTIAL = { authorization: `Basic ${btoa('user:sandbox')}` };

interface Result<Data> {
  readonly data?: Data | null;
  readonly errors?: readonly { readonly message: string; readonly extensions: { readonly code: string } }[];
}

/** Sends an operation and returns its data. Throws if any part of it failed. */
async function request<Data>(query: string, variables: object): Promise<Data> {
  const response = await fetch(ENDPOINT, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...CREDENTIAL },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors = [] } = (await response.json()) as Result<Data>;
  if (errors.length > 0 || !data) {
    throw new Error(errors.map(({ message, extensions }) => `${extensions.code}: ${message}`).join('\n'));
  }
  return data;
}

interface Dataset {
  readonly id: string;
  readonly name: string | null;
}

interface DatasetsData {
  readonly datasets: {
    readonly nodes: readonly Dataset[];
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
  };
}

/** Reads the list page by page. */
async function* readDatasets(): AsyncGenerator<Dataset> {
  const query = `
    query Datasets($after: String) {
      datasets(first: 25, after: $after) {
        nodes { id name }
        pageInfo { hasNextPage endCursor }
      }
    }`;
  let after: string | null = null;
  do {
    const { datasets }: DatasetsData = await request(query, { after });
    yield* datasets.nodes;
    after = datasets.pageInfo.hasNextPage ? datasets.pageInfo.endCursor : null;
  } while (after !== null);
}

interface CreateSnapshotData {
  readonly datasetSnapshotCreate: {
    readonly snapshot: { readonly id: string } | null;
    readonly actionState: { readonly outcome: 'RUNNING' | 'SUCCEEDED' | 'FAILED' | null } | null;
    readonly userErrors: readonly { readonly message: string }[];
  };
}

/** Creates a snapshot. The server answers when the action has finished, or after 50 seconds with its latest state. */
async function createSnapshot(dataset: string): Promise<CreateSnapshotData['datasetSnapshotCreate']> {
  const query = `
    mutation CreateSnapshot($dataset: ID!, $input: DatasetSnapshotCreateInput) {
      datasetSnapshotCreate(dataset: $dataset, input: $input, wait: 50) {
        snapshot { id }
        actionState { outcome }
        userErrors { message }
      }
    }`;
  const data: CreateSnapshotData = await request(query, { dataset, input: { label: 'from fetch' } });
  return data.datasetSnapshotCreate;
}

const datasets: Dataset[] = [];
for await (const dataset of readDatasets()) {
  console.log(`${dataset.id}  ${dataset.name}`);
  datasets.push(dataset);
}
if (datasets[0] === undefined) throw new Error('There is no dataset to make a snapshot of.');
const { snapshot, actionState, userErrors } = await createSnapshot(datasets[0].id);
// The API refuses with messages for people; `errors`, which `request` throws, are for programs.
for (const { message } of userErrors) console.error(message);
console.log(`${snapshot?.id}: ${actionState?.outcome}`);
