// Creates a snapshot and follows its action over one WebSocket, with graphql-ws.
import { createClient } from 'graphql-ws';
import WebSocket from 'ws';

const client = createClient({
  url: (process.env['GRAPHQL_URL'] ?? 'http://127.0.0.1:4000/graphql').replace(/^http/, 'ws'),
  // The names are those of the headers of HTTP requests.
  connectionParams: { authorization: `Basic ${btoa('user:sandbox')}` },
  // Browsers, and Node from version 22 on, have a WebSocket of their own.
  webSocketImpl: WebSocket,
});

interface SnapshotData {
  readonly datasetSnapshotCreate: {
    readonly snapshot: { readonly id: string } | null;
    readonly actionState: { readonly id: string } | null;
    readonly userErrors: readonly { readonly message: string }[];
  };
}

interface ProgressData {
  readonly actionProgress: {
    readonly label: string | null;
    readonly outcome: 'RUNNING' | 'SUCCEEDED' | 'FAILED' | null;
    readonly progress: number | null;
  };
}

/** Yields the data of each event of a subscription; a mutation has one. */
async function* execute<Data>(query: string, variables: Record<string, unknown>): AsyncGenerator<Data> {
  for await (const { data, errors = [] } of client.iterate<Data>({ query, variables })) {
    if (errors.length > 0 || !data) throw new Error(errors.map(({ message }) => message).join('\n'));
    yield data;
  }
}

async function createSnapshot(dataset: string): Promise<SnapshotData['datasetSnapshotCreate']> {
  const mutation = `
    mutation CreateSnapshot($dataset: ID!, $input: DatasetSnapshotCreateInput) {
      datasetSnapshotCreate(dataset: $dataset, input: $input) {
        snapshot { id }
        actionState { id }
        userErrors { message }
      }
    }`;
  const results = execute<SnapshotData>(mutation, { dataset, input: { label: 'from graphql-ws' } });
  for await (const { datasetSnapshotCreate } of results) return datasetSnapshotCreate;
  throw new Error('The mutation has no result.');
}

function watchAction(id: string): AsyncGenerator<ProgressData> {
  const subscription = `
    subscription ActionProgress($id: ID!) {
      actionProgress(id: $id) { label outcome progress }
    }`;
  return execute(subscription, { id });
}

// A dataset of the sandbox.
const { snapshot, actionState, userErrors } = await createSnapshot('dataset/104');
if (!actionState) throw new Error(userErrors.map(({ message }) => message).join('\n'));
for await (const { actionProgress } of watchAction(actionState.id)) {
  const { label, outcome, progress } = actionProgress;
  if (outcome === 'RUNNING') console.log(`${label}: ${Math.round((progress ?? 0) * 100)} %`);
  else console.log(`${snapshot?.id}: ${outcome}`);
}
