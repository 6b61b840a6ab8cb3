// Tests the generated files and runs each operation of test/operations against the sandbox.

import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generate } from '../../codegen.ts';
import { type Pair, startPair } from '../helpers/facade.ts';

const OPERATIONS = new URL('../operations/', import.meta.url);
const operation = (name: string): string => readFileSync(new URL(`${name}.graphql`, OPERATIONS), 'utf8');

/** A list of a result. */
interface Listed {
  readonly nodes: readonly { readonly id: string }[];
  readonly pageInfo: { readonly endCursor: string };
}

let pair: Pair;
beforeAll(async () => {
  pair = await startPair();
});
afterAll(() => pair[Symbol.asyncDispose]());

describe('generated files', () => {
  it('are up to date (`npm run codegen` updates them)', async () => {
    for (const [file, text] of await generate()) expect(readFileSync(file, 'utf8')).toBe(text);
  });
});

describe('each operation of test/operations', () => {
  it('has a test', () => {
    const tests = ['./sandbox-schema.test.ts', './fields/subscriptions.test.ts'].map((file) =>
      readFileSync(new URL(file, import.meta.url), 'utf8'),
    );
    const files = readdirSync(OPERATIONS).filter((file) => file.endsWith('.graphql'));
    const idle = files.filter(
      (file) => !tests.some((text) => text.includes(`operation('${file.replace('.graphql', '')}')`)),
    );
    expect(files.length).toBeGreaterThan(5);
    expect(idle).toEqual([]);
  });

  it('datasets: pages through a filtered list', async () => {
    const variables = { first: 4, filter: { user: 'user/2', toDepth: 1 } };
    const { data, errors } = await pair.ask<{ datasets: Listed }>(operation('datasets'), { variables });
    expect(errors).toEqual([]);
    expect(data?.datasets.nodes).toMatchObject(Array(4).fill({ user: { label: 'user' } }));
    const next = await pair.ask<{ datasets: Listed }>(operation('datasets'), {
      variables: { ...variables, after: data?.datasets.pageInfo.endCursor },
    });
    expect(next.errors).toEqual([]);
    expect(next.data?.datasets.nodes.length).toBeGreaterThan(0);
  });

  it('dataset-tree: follows associations, nested lists and reverse edges', async () => {
    const { data, errors } = await pair.ask<{ dataset: { snapshots: Listed } }>(operation('dataset-tree'), {
      variables: { id: '19' },
    });
    expect(errors).toEqual([]);
    expect(data?.dataset.snapshots.nodes[0]?.id).toMatch(/^dataset\/19\/snapshot\/\d+$/);
    expect(data?.dataset).toMatchObject({
      id: 'dataset/19',
      databaseId: 19,
      label: 'atlas/data/files',
      parent: { label: 'atlas/data' },
      datasetExpansion: { histories: { nodes: Array(5).fill({}) } },
    });
  });

  it('nodes: fetches objects of several types in the requested order', async () => {
    const tree = await pair.ask<{ dataset: { snapshots: Listed } }>(operation('dataset-tree'), {
      variables: { id: '12' },
    });
    const snapshot = tree.data?.dataset.snapshots.nodes[0]?.id ?? '';
    const ids = ['user/2', snapshot, 'dataset/12', 'cluster', 'user/2'];
    const { data, errors, calls } = await pair.ask(operation('nodes'), { variables: { ids } });
    expect(errors).toEqual([]);
    expect(data?.['nodes']).toMatchObject(ids.map((id) => ({ id })));
    // One call for each object, and one for the reverse edge, which both selections of the user share.
    expect(calls).toBe(5);
  });

  it('cluster: reads a singleton, its statistics and a search', async () => {
    const { data, errors } = await pair.ask(operation('cluster'), { variables: { value: 'media' } });
    expect(errors).toEqual([]);
    expect(data).toMatchObject({ cluster: { id: 'cluster' }, clusterPublicStats: { userCount: 20 } });
    expect(data?.['clusterSearchResults']).toContainEqual(
      expect.objectContaining({ resource: 'vps', databaseId: 1, object: { id: 'vps/1' } }),
    );
  });

  it('action-states: lists the caller’s unfinished actions in both orders', async () => {
    await using pair = await startPair({ sandbox: { step: 'manual' } });
    const newest = await pair.ask(operation('action-states'), { login: 'user' });
    expect(newest.errors).toEqual([]);
    expect(newest.data?.['actionStates']).toMatchObject({
      nodes: [{ id: 'action_state/114' }, { id: 'action_state/110' }, { id: 'action_state/106' }],
      pageInfo: { hasNextPage: true },
    });
    const variables = { order: 'OLDEST' };
    const oldest = await pair.ask<{ actionStates: Listed }>(operation('action-states'), {
      login: 'user',
      variables,
    });
    expect(oldest.data?.actionStates.nodes[0]?.id).toBe('action_state/104');
  });
});
