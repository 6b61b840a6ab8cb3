// Tests that each plugin can be left out: the rest starts, and serves what the core promises.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { listenSandbox, type Sandbox } from '../../packages/sandbox/src/listen-sandbox.ts';
import { createFacade } from '../../src/facade/facade.ts';
import { PLUGINS } from '../../src/facade/plugins.ts';
import { startServer } from '../../src/server/server.ts';
import { collectLog } from '../helpers/facade.ts';
import { post, STREAMS, TRANSPORTS } from '../helpers/transports.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await listenSandbox({ step: 20 });
});
afterAll(() => sandbox.close());

/** Starts a facade that wants all plugins, of which some are in the list. */
async function start(names: readonly string[]) {
  const facade = await createFacade(
    {
      upstream: new URL(sandbox.url),
      log: collectLog(),
      snippets: { url: new URL('http://127.0.0.1:9/') },
      federation: true,
      trustedDocuments: { mode: 'allow', documents: new Map([['one', '{ __typename }']]) },
      audit: { write: async () => true },
      context: () => ({ added: true }),
    },
    Object.fromEntries(Object.entries(PLUGINS).filter(([name]) => names.includes(name))),
  );
  return startServer(facade, { host: '127.0.0.1', port: 0 });
}

const NAMES = Object.keys(PLUGINS);

it.each([
  ...NAMES.map((name) => [`without ${name}`, NAMES.filter((other) => other !== name)] as const),
  ['without any', []] as const,
])('the facade serves queries, mutations and subscriptions %s', async (_case, names) => {
  await using server = await start(names);
  const headers = { [sandbox.tokenHeader]: sandbox.users[0]?.token ?? '' };
  for (const [, send] of TRANSPORTS) {
    const read = await send(
      server.url,
      { query: '{ datasets(first: 2) { nodes { id user { label } } } }' },
      headers,
    );
    expect(read.errors).toBeUndefined();
    const id = (read.data as { datasets: { nodes: { id: string }[] } }).datasets.nodes[0]?.id;
    const write = `mutation { datasetSnapshotCreate(dataset: "${id}", input: { label: "p" }, wait: 30) { actionState { id finished } userErrors { message } } }`;
    expect((await send(server.url, { query: write }, headers)).data).toMatchObject({
      datasetSnapshotCreate: { userErrors: [] },
    });
  }
  const begun = await post(
    server.url,
    {
      query:
        'mutation { datasetSnapshotCreate(dataset: "dataset/14", input: { label: "q" }) { actionState { id } userErrors { message } } }',
    },
    headers,
  );
  const { data } = (await begun.json()) as {
    data: { datasetSnapshotCreate: { actionState: { id: string } | null } };
  };
  const action = data.datasetSnapshotCreate.actionState?.id ?? '';
  for (const [, sendAll] of STREAMS) {
    const query = `subscription { actionProgress(id: "${action}") { finished } }`;
    expect((await sendAll(server.url, { query }, headers)).at(-1)?.data).toEqual({
      actionProgress: { finished: true },
    });
  }
});
