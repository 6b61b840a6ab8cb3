// Creates two snapshots and follows both in one stream of server-sent events, with graphql-sse.
import { createClient } from 'graphql-sse';

const client = createClient({
  url: process.env['GRAPHQL_URL'] ?? 'http://127.0.0.1:4000/graphql',
  headers: { authorization: `Basic ${btoa('user:sandbox')}` },
});

interface CreatedSnapshot {
  readonly snapshot: { readonly id: string } | null;
  readonly actionState: { readonly id: string } | null;
  readonly userErrors: readonly { readonly message: string }[];
}

interface ProgressData {
  readonly actionProgressMany: {
    readonly id: string;
    readonly label: string | null;
    readonly outcome: 'RUNNING' | 'SUCCEEDED' | 'FAILED' | null;
    readonly progress: number | null;
  };
}

/** Yields the data of each event of a subscription; a mutation has one. */
async function* execute<Data>(query: string, variables: Record<string, unknown> = {}): AsyncGenerator<Data> {
  for await (const { data, errors = [] } of client.iterate<Data>({ query, variables })) {
    if (errors.length > 0 || !data) throw new Error(errors.map(({ message }) => message).join('\n'));
    yield data;
  }
}

/** Creates snapshots of two datasets of the sandbox. */
async function createSnapshots(): Promise<readonly CreatedSnapshot[]> {
  const mutation = `
    mutation CreateSnapshots {
      home: datasetSnapshotCreate(dataset: "dataset/104", input: { label: "from graphql-sse" }) { ...Created }
      files: datasetSnapshotCreate(dataset: "dataset/128", input: { label: "from graphql-sse" }) { ...Created }
    }
    fragment Created on DatasetSnapshotCreatePayload {
      snapshot { id }
      actionState { id }
      userErrors { message }
    }`;
  for await (const created of execute<Record<string, CreatedSnapshot>>(mutation))
    return Object.values(created);
  throw new Error('The mutation has no result.');
}

function watchActions(ids: readonly string[]): AsyncGenerator<ProgressData> {
  const subscription = `
    subscription ActionProgressMany($ids: [ID!]!) {
      actionProgressMany(ids: $ids) { id label outcome progress }
    }`;
  return execute(subscription, { ids });
}

const snapshots = new Map<string, string>();
for (const { snapshot, actionState, userErrors } of await createSnapshots()) {
  for (const { message } of userErrors) console.error(message);
  if (snapshot && actionState) snapshots.set(actionState.id, snapshot.id);
}
for await (const { actionProgressMany } of watchActions([...snapshots.keys()])) {
  const { id, label, outcome, progress } = actionProgressMany;
  if (outcome === 'RUNNING')
    console.log(`${label} of ${snapshots.get(id)}: ${Math.round((progress ?? 0) * 100)} %`);
  else console.log(`${snapshots.get(id)}: ${outcome}`);
}
