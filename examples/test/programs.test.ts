// Runs the examples of clients without a page, and the example of a server.
import { beforeAll, describe, expect, it } from 'vitest';
import { CostBudget } from '../../src/server/cost/cost-limit.ts';
import { joinAlone } from '../../src/sharing/local-replicas.ts';
import { startPair } from '../../test/helpers/facade.ts';
import { type RunningProcess, runNode } from '../../test/helpers/running-process.ts';
import { sharePair } from '../../test/helpers/shared-pair.ts';
import { overWebSocket } from '../../test/helpers/streams.ts';

interface Dataset {
  readonly id: string;
  readonly name: string;
}

const pair = sharePair({ sandbox: { step: 'manual' } });
let datasets: readonly Dataset[];
beforeAll(async () => {
  // Whoever reads the state of an action sees each of its steps, however slow this machine is.
  pair.sandbox.onRequest(({ path }) => {
    if (path.includes('/action_states')) pair.sandbox.advance();
  });
  const { data } = await pair.ask<{ datasets: { nodes: Dataset[] } }>(
    '{ datasets(first: 1000) { nodes { id name } } }',
    { login: 'user' },
  );
  datasets = data?.datasets.nodes ?? [];
});
const runExample = (file: string, env: Readonly<Record<string, string>>): RunningProcess =>
  runNode(['--import', 'tsx', `examples/${file}`], {
    // Names the source where an example imports the package.
    env: { TSX_TSCONFIG_PATH: 'examples/tsconfig.json', ...env },
  });

/** Runs an example to its end, and returns the lines that it prints. */
async function linesOf(example: string): Promise<readonly string[]> {
  await using program = runExample(`${example}/main.ts`, { GRAPHQL_URL: pair.url });
  const { code, stdout, stderr } = await program.ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout.trimEnd().split('\n');
}

/** The label of the snapshot of a line such as `dataset/104/snapshot/9: SUCCEEDED`. */
async function labelOf(line: string | undefined): Promise<string | null> {
  const [, id, outcome] = /^(dataset\/\d+\/snapshot\/\d+): (\w+)$/.exec(line ?? '') ?? [];
  expect(outcome).toBe('SUCCEEDED');
  const { data } = await pair.ask<{ node: { labelValue: string | null } }>(
    'query ($id: ID!) { node(id: $id) { ... on DatasetSnapshot { labelValue } } }',
    { login: 'user', variables: { id } },
  );
  return data?.node.labelValue ?? null;
}

describe.each([
  ['fetch', 'from fetch'],
  ['codegen', 'from generated operations'],
  ['apollo-client', 'from Apollo Client'],
  ['urql', 'from urql'],
])('%s', (example, label) => {
  it('reads all pages of the list, and creates a snapshot', async () => {
    const lines = await linesOf(example);
    const rows = lines.filter((line) => /^dataset\/\d+ /.test(line));
    expect(datasets.length).toBeGreaterThan(2 * 25);
    expect(rows.map((row) => row.split('  ').slice(0, 2))).toEqual(
      datasets.map(({ id, name }) => [id, name]),
    );
    expect(await labelOf(lines.at(-1))).toBe(label);
  });
});

describe('a client with a small budget', () => {
  it('slows down by itself, and is never refused', async () => {
    const costBudget = new CostBudget(
      { credentialCost: 340, addressCost: 10_000, anonymousCost: 100_000 },
      joinAlone(),
    );
    await using small = await startPair({ facade: { shared: { costBudget } } });
    const { url } = await small.listen();
    await using program = runExample('fetch/within-budget.ts', { GRAPHQL_URL: url });
    const { code, stdout, stderr } = await program.ended;
    expect(code).toBe(0);
    expect(stdout.trimEnd().split('\n')).toHaveLength(datasets.length);
    expect(stderr).toMatch(/^The budget is low: waiting \d+ s\.$/m);
  });
});

describe('subscriptions', () => {
  it('follow an action over a WebSocket', async () => {
    const lines = await linesOf('graphql-ws');
    expect(lines[0]).toMatch(/^Snapshot: \d+ %$/);
    expect(await labelOf(lines.at(-1))).toBe('from graphql-ws');
  });

  it('follow several actions over server-sent events', async () => {
    const lines = await linesOf('graphql-sse');
    expect(lines[0]).toMatch(/^Snapshot of dataset\/\d+\/snapshot\/\d+: \d+ %$/);
    const ends = lines.filter((line) => line.endsWith('SUCCEEDED'));
    expect(await Promise.all(ends.map(labelOf))).toEqual(['from graphql-sse', 'from graphql-sse']);
  });
});

describe.each(['apollo-client', 'graphql-sse', 'graphql-ws', 'urql'])('a live query with %s', (example) => {
  it('prints each change', async () => {
    await using program = runExample(`${example}/live.ts`, { GRAPHQL_URL: pair.url });
    const [, before] = await program.waitForOutput(/^(\d+) snapshots$/m);
    // The action of the snapshot ends with its first reads.
    const { data } = await pair.ask<{ datasetSnapshotCreate: { actionState: { outcome: string } } }>(
      'mutation { datasetSnapshotCreate(dataset: "dataset/104", wait: 30) { actionState { outcome } } }',
      { login: 'user' },
    );
    expect(data?.datasetSnapshotCreate.actionState.outcome).toBe('SUCCEEDED');
    await program.waitForOutput(new RegExp(`^${Number(before) + 1} snapshots$`, 'm'));
    expect(program.stderr).toBe('');
  });
});

describe('a server of one’s own', () => {
  it('adds fields, computed from objects and by calls', async () => {
    await using program = runExample('embedded/server.ts', { UPSTREAM_URL: pair.sandbox.url, PORT: '0' });
    const [url] = await program.waitForOutput(/^http\S+/);
    const body = JSON.stringify({
      query: `{
        price
        datasets(first: 1000) { nodes { used price } }
        dataset(id: "dataset/104") { price snapshots(first: 1) { nodes { dataset { price } } } }
      }`,
    });
    const headers = { 'content-type': 'application/json', ...pair.headers('user') };
    const { data } = await (await fetch(url, { method: 'POST', headers, body })).json();
    const nodes: readonly { used: number; price: number }[] = data.datasets.nodes;
    expect(nodes.map(({ price }) => price)).toEqual(nodes.map(({ used }) => (used / 1024) * 0.05));
    expect(nodes).toHaveLength(datasets.length);
    expect(data.dataset.snapshots.nodes).toEqual([{ dataset: { price: data.dataset.price } }]);
    expect(data.price).toBeCloseTo(nodes.reduce((sum, { price }) => sum + price, 0));

    await using events = overWebSocket(url, '{ price }', pair.headers('user'));
    expect(await events.next()).toEqual({ price: data.price });
    program.signal('SIGTERM');
    expect((await program.ended).code).toBe(0);
  });
});
