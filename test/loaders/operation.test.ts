// Tests which upstream calls an operation makes, and which are counted for it.

import { describe, expect, it } from 'vitest';
import { SignInLimit } from '../../src/callers/sign-in-limit.ts';
import { Operation } from '../../src/loaders/operation.ts';
import { DEFAULT_UPSTREAM_LIMITS } from '../../src/loaders/operation-cost.ts';
import { createSharedState } from '../../src/loaders/shared-state.ts';
import { Shutdown } from '../../src/server/under-way.ts';
import { joinAlone } from '../../src/sharing/local-replicas.ts';
import { parseDescription } from '../../src/upstream/description/parse-description.ts';
import { type ActionClient, createCallAction } from '../../src/upstream/http/action-client.ts';
import { createCaller } from '../../src/upstream/http/caller.ts';
import { createTransport } from '../../src/upstream/http/transport.ts';
import { ask, startPair } from '../helpers/facade.ts';
import { LIBRARY, openLibrary } from '../helpers/library.ts';
import { shareWorkshop } from '../helpers/shared-api.ts';
import { sharePair } from '../helpers/shared-pair.ts';
import { silence, startStub } from '../helpers/stub-upstream.ts';
import type { Workshop } from '../helpers/workshop.ts';

interface Cost {
  readonly calls: number;
  readonly ms: number;
  readonly coalesced: number;
  readonly trace?: readonly object[];
}

const costOf = ({ extensions }: { readonly extensions: Record<string, unknown> }): Cost =>
  extensions['upstream'] as Cost;

const sharpen = (wait: number) =>
  `mutation { toolSharpen(id: 5, wait: ${wait}) { tool { weight } actionState { outcome } } }`;

/** Advances action 500 each time its poll is open, then finishes it. */
async function runToEnd({ actions }: Workshop): Promise<void> {
  for (const current of [2, 4, 6]) {
    await actions.waitForOpenPolls(1);
    actions.set({ id: 500, current });
  }
  await actions.waitForOpenPolls(1);
  actions.set({ id: 500, current: 10, finished: true });
}

const pair = sharePair();

const shop = shareWorkshop();

describe('a mutation that waits', () => {
  it('counts and traces its polls', async () => {
    const headers = { 'x-library-token': 'one', 'x-trace': '1' };
    const answer = ask(shop.facade, sharpen(20), { headers });
    await runToEnd(shop);
    const { calls, trace } = costOf(await answer);
    const path = '/action_states/{action_state_id}/poll';
    const poll = {
      action: 'action_state#poll',
      path,
      status: 200,
      start: expect.any(Number),
      ms: expect.any(Number),
      reason: 'ACTION_STATE',
      fields: [],
    };
    expect(trace).toEqual([
      expect.objectContaining({ action: 'tool#sharpen' }),
      ...Array.from({ length: 5 }, () => poll),
      expect.objectContaining({ action: 'tool#show' }),
    ]);
    expect(calls).toBe(shop.upstream.calls.length);
  });

  it('counts the poll that is open at its timeout', async () => {
    const answer = await shop.ask('mutation { toolSharpen(id: 5, wait: 0.2) { userErrors { code } } }');
    expect(shop.upstream.calls.map(({ scope }) => scope)).toEqual([
      'tool#sharpen',
      'action_state#poll',
      'action_state#poll',
    ]);
    expect(costOf(answer)).toMatchObject({ calls: 3, coalesced: 0 });
  });

  it('shares polls with another mutation: each counts as one call and one coalesced call', async () => {
    const first = shop.ask(sharpen(20));
    await shop.actions.waitForOpenPolls(1);
    const second = shop.ask(sharpen(20));
    await expect
      .poll(() => shop.upstream.calls.filter(({ scope }) => scope === 'tool#sharpen'))
      .toHaveLength(2);
    await runToEnd(shop);
    const [one, other] = [costOf(await first), costOf(await second)];
    expect(one.calls + other.calls).toBe(shop.upstream.calls.length);
    expect(one.coalesced).toBe(0);
    // The call of the write. That of `show` may be shared, too.
    expect(other.calls).toBeLessThanOrEqual(2);
    expect(other.coalesced).toBeGreaterThanOrEqual(4);
  });
});

describe('a call that was not sent is not counted', () => {
  it('after too many login attempts', async () => {
    await using pair = await startPair({
      facade: { shared: { signIns: new SignInLimit(joinAlone(), { user: 1 }) } },
    });
    const input = '{ user: "user", password: "wrong", lifetime: FIXED }';
    const query = `mutation { tokenRequest(input: ${input}) { userErrors { code } } }`;
    expect(costOf(await ask(pair.facade, query))).toMatchObject({ calls: 1 });
    const rejected = await ask(pair.facade, query);
    expect(rejected.errors).toMatchObject([{ extensions: { code: 'COST_LIMIT_EXCEEDED' } }]);
    expect(costOf(rejected)).toEqual({ calls: 0, ms: 0, coalesced: 0 });
    expect(pair.calls).toHaveLength(1);
  });

  it('if a request logs in twice', async () => {
    const input = '{ user: "user", password: "sandbox", lifetime: FIXED }';
    const again = `tokenRequest(input: ${input}) { userErrors { code } }`;
    const answer = await ask(pair.facade, `mutation { one: ${again} two: ${again} }`);
    expect(answer.errors).toMatchObject([{ path: ['two'], extensions: { code: 'BAD_USER_INPUT' } }]);
    expect(costOf(answer)).toMatchObject({ calls: 1 });
  });

  it('if the API is unreachable', async () => {
    await using library = await openLibrary();
    await library.ask('{ shelves { nodes { id } } }');
    await library.upstream[Symbol.asyncDispose]();
    // The first request may still be sent on the old connection.
    await library.ask('{ shelves { nodes { id } } }');
    const answer = await library.ask('{ shelves { nodes { id } } }');
    expect(answer.errors).toMatchObject([{ extensions: { code: 'UPSTREAM_UNAVAILABLE' } }]);
    expect(answer.extensions).toMatchObject({ upstream: { calls: 0 } });
  });

  it('if it is aborted before a connection is free', async () => {
    const description = parseDescription(LIBRARY);
    await using upstream = await startStub(LIBRARY, { 'author#show': () => silence });
    const { send, close } = createTransport(upstream.url.origin, { connections: 2 });
    const callAction = createCallAction({ send, close }, description.metaNamespace);
    const leave = new AbortController();
    const memory = createSharedState({
      limits: DEFAULT_UPSTREAM_LIMITS,
      shutdown: new Shutdown(),
      observer: {},
    });
    const caller = createCaller(null);
    const client: ActionClient = { call: (call, options) => callAction(call, caller, options) };
    const operation = new Operation(client, caller, memory, leave.signal);
    const action = description.resources
      .flatMap(({ actions }) => actions)
      .find(({ scope }) => scope === 'author#show');
    if (action === undefined) throw new TypeError('expected the library to describe author#show');
    const reads = Array.from({ length: 5 }, (_, id) =>
      operation.calls
        .read({ action, path: [String(id)], input: {}, meta: {} }, { reason: 'READ', fields: [] })
        .catch(() => null),
    );
    await expect.poll(() => upstream.calls.length).toBe(2);
    leave.abort();
    expect(await Promise.all(reads)).toEqual([null, null, null, null, null]);
    expect(operation.cost.calls).toHaveLength(2);
    expect(upstream.calls).toHaveLength(2);
    await close();
  });
});

const scopes = (calls: readonly { readonly scope: string | null }[]) =>
  calls.map((call) => call.scope).sort();

describe('the number of upstream calls of one operation', () => {
  it('is one for a list with the labels of its associations', async () => {
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
    const { errors, calls } = await pair.ask(
      '{ datasets(first: 25) { nodes { name snapshots(first: 5) { nodes { name createdAt } } } } }',
    );
    expect(errors).toEqual([]);
    expect(calls).toBe(26);
  });

  it('is one for the same object under aliases and as a node', async () => {
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
    const { calls, extensions } = await pair.ask(
      '{ a: components { nodes { id } } b: components { nodes { name } } }',
    );
    expect(calls).toBe(1);
    expect(extensions).toMatchObject({ upstream: { calls: 1, coalesced: 1 } });
  });

  it('includes the loader’s calls for an association that ignores includes', async () => {
    const { data, errors } = await pair.ask<{ dataset: { datasetExpansion: { originalRefquota: number } } }>(
      '{ dataset(id: 12) { datasetExpansion { originalRefquota vps { hostname cpu: id } } export { path enabled } } }',
    );
    expect(errors).toEqual([]);
    expect(data?.dataset.datasetExpansion.originalRefquota).toBeGreaterThan(0);
    expect(scopes(pair.calls)[0]).toBe('dataset#show');
  });

  it('is in the extensions, which list each call if X-Trace is set', async () => {
    const plain = await pair.ask('{ dataset(id: 12) { snapshots(first: 1) { nodes { id } } } }');
    expect(plain.extensions['upstream']).toEqual({ calls: 2, ms: expect.any(Number), coalesced: 0 });
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
      },
    ]);
  });
});
