// Tests the number of upstream calls of one operation.

import { describe, expect, it } from 'vitest';
import { startPair } from '../helpers/facade.ts';

const scopes = (calls: readonly { readonly scope: string | null }[]) =>
  calls.map((call) => call.scope).sort();

describe('the number of upstream calls of one operation', () => {
  it('is one for a list with the labels of its associations', async () => {
    await using pair = await startPair();
    const { data, errors, calls } = await pair.ask<{ datasets: { nodes: readonly unknown[] } }>(
      '{ datasets(first: 25) { nodes { id name user { id label } environment { id label } parent { id label } } } }',
    );
    expect(errors).toEqual([]);
    expect(data?.datasets.nodes).toHaveLength(25);
    expect(data?.datasets.nodes[1]).toEqual({
      id: 'dataset/103',
      name: 'archive/data',
      user: { id: 'user/4', label: 'novak' },
      environment: { id: 'environment/1', label: 'Production' },
      parent: { id: 'dataset/101', label: 'archive' },
    });
    expect(calls).toBe(1);
    expect(pair.calls[0]?.query).not.toContain('includes');
  });

  it('is one for an object with its associations, which are included', async () => {
    await using pair = await startPair();
    const { data, errors, calls } = await pair.ask(
      '{ dataset(id: 108) { name user { fullName info } environment { description } parent { user { info } } } }',
    );
    expect(errors).toEqual([]);
    expect(data).toMatchObject({
      dataset: {
        name: 'archive/www/logs',
        environment: { description: 'Environment 1' },
        parent: { user: {} },
      },
    });
    expect(calls).toBe(1);
    expect(decodeURIComponent(pair.calls[0]?.query ?? '')).toBe(
      '_meta[includes]=environment,parent__user,user',
    );
  });

  it('reads includes from fragments and aliases, and ignores fields that @skip and @include omit', async () => {
    await using pair = await startPair();
    const query = `
      query ($no: Boolean!) {
        dataset(id: 108) { owner: user { ...Owner } environment @include(if: $no) { description } ... @skip(if: true) { parent { quota } } }
      }
      fragment Owner on User { login ... on Node { id } ...More }
      fragment More on User { info }
    `;
    const { errors, calls } = await pair.ask(query, { variables: { no: false } });
    expect(errors).toEqual([]);
    expect(calls).toBe(1);
    expect(decodeURIComponent(pair.calls[0]?.query ?? '')).toBe('_meta[includes]=user');
  });

  it('is one for each distinct object if includes are not supported', async () => {
    await using pair = await startPair({ sandbox: { offerIncludes: false } });
    const { data, errors, calls } = await pair.ask<{ datasets: { nodes: { user: { id: string } }[] } }>(
      '{ datasets(first: 25) { nodes { user { id info } } } }',
    );
    const owners = new Set(data?.datasets.nodes.map(({ user }) => user.id));
    expect(errors).toEqual([]);
    expect(owners.size).toBeGreaterThan(1);
    expect(owners.size).toBeLessThanOrEqual(5);
    expect(calls).toBe(1 + owners.size);
  });

  it('is one for each nested list', async () => {
    await using pair = await startPair();
    const { errors, calls } = await pair.ask(
      '{ datasets(first: 25) { nodes { name snapshots(first: 5) { nodes { name createdAt } } } } }',
    );
    expect(errors).toEqual([]);
    expect(calls).toBe(26);
  });

  it('is one for the same object under aliases and as a node', async () => {
    await using pair = await startPair();
    const { data, errors, calls } = await pair.ask(`{
      a: dataset(id: 12) { name }
      b: dataset(id: "12") { user { info } }
      c: dataset(id: "dataset/12") { quota }
      node(id: "dataset/12") { id ... on Dataset { environment { description } } }
    }`);
    expect(errors).toEqual([]);
    expect(data).toMatchObject({ a: { name: 'atlas' }, node: { id: 'dataset/12' } });
    expect(calls).toBe(1);
    expect(decodeURIComponent(pair.calls[0]?.query ?? '')).toBe('_meta[includes]=environment,user');
  });

  it('is at most four for an object with its lists and those of its association', async () => {
    await using pair = await startPair();
    const { data, errors, calls } = await pair.ask<{
      dataset: { datasetExpansion: { histories: { nodes: readonly unknown[] } } };
    }>(
      '{ dataset(id: 12) { snapshots { nodes { name } } datasetExpansion { state histories { nodes { addedSpace admin { label } } } } } }',
    );
    expect(errors).toEqual([]);
    expect(data?.dataset.datasetExpansion.histories.nodes).toHaveLength(5);
    expect(calls).toBeLessThanOrEqual(4);
  });

  it('is one for a list that is selected twice, and the sharing is reported', async () => {
    await using pair = await startPair();
    const { calls, extensions } = await pair.ask(
      '{ a: components { nodes { id } } b: components { nodes { name } } }',
    );
    expect(calls).toBe(1);
    expect(extensions).toMatchObject({ upstream: { calls: 1, coalesced: 1 } });
  });

  it('is none for an object that a list contains completely', async () => {
    await using pair = await startPair({ sandbox: { offerIncludes: false } });
    const { errors, calls } = await pair.ask('{ datasets(first: 100) { nodes { parent { quota } } } }');
    expect(errors).toEqual([]);
    // The first hundred rows by name are whole trees, so they contain nearly all parents.
    expect(calls).toBeLessThanOrEqual(2);
  });

  it('includes the loader’s calls for an association that ignores includes', async () => {
    await using pair = await startPair();
    const { data, errors } = await pair.ask<{ dataset: { datasetExpansion: { originalRefquota: number } } }>(
      '{ dataset(id: 12) { datasetExpansion { originalRefquota vps { hostname cpu: id } } export { path enabled } } }',
    );
    expect(errors).toEqual([]);
    expect(data?.dataset.datasetExpansion.originalRefquota).toBeGreaterThan(0);
    expect(scopes(pair.calls)[0]).toBe('dataset#show');
  });

  it('is in the extensions, which list each call if X-Trace is set', async () => {
    await using pair = await startPair();
    const plain = await pair.ask('{ dataset(id: 12) { snapshots(first: 1) { nodes { id } } } }');
    expect(plain.extensions).toEqual({ upstream: { calls: 2, ms: expect.any(Number), coalesced: 0 } });
    const response = await pair.facade.yoga.fetch('http://facade.test/graphql', {
      method: 'POST',
      headers: { ...pair.headers('admin'), 'content-type': 'application/json', 'x-trace': '1' },
      body: JSON.stringify({ query: '{ dataset(id: 12) { snapshots(first: 1) { nodes { id } } } }' }),
    });
    const { extensions } = (await response.json()) as { extensions: { upstream: { trace: unknown } } };
    const times = { start: expect.any(Number), ms: expect.any(Number) };
    expect(extensions.upstream.trace).toEqual([
      {
        action: 'dataset#show',
        path: '/v7.0/datasets/{dataset_id}',
        status: 200,
        ...times,
        reason: 'OBJECT',
        fields: ['Query.dataset'],
      },
      {
        action: 'dataset.snapshot#index',
        path: '/v7.0/datasets/{dataset_id}/snapshots',
        status: 200,
        ...times,
        reason: 'PAGE',
        fields: ['Dataset.snapshots'],
        early: true,
      },
    ]);
  });
});
