// Tests writes and their actions through GraphQL against the sandbox.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { startServer } from '../../../src/transports/server.ts';
import { ask, startPair } from '../../helpers/facade.ts';
import { signIn } from '../../helpers/sign-in.ts';
import { overSse, overWebSocket, type Stream } from '../../helpers/streams.ts';
import type { SnapshotCreateMutation } from '../../operations/types.ts';

const operation = (name: string): string =>
  readFileSync(new URL(`../../operations/${name}.graphql`, import.meta.url), 'utf8');
const SNAPSHOT = operation('snapshot-create');

describe('writing through GraphQL', () => {
  it('is visible to the next query in the same operation', async () => {
    await using pair = await startPair({ sandbox: { step: 0 } });
    const { data, errors } = await pair.ask<SnapshotCreateMutation>(SNAPSHOT, {
      login: 'user',
      variables: { dataset: 'dataset/12', input: { label: 'před změnou' }, wait: 5 },
    });
    expect(errors).toEqual([]);
    const payload = data?.datasetSnapshotCreate;
    expect(payload?.snapshot).toMatchObject({ labelResource: 'před změnou', dataset: { name: 'atlas' } });
    expect(payload?.actionState).toMatchObject({ outcome: 'SUCCEEDED', progress: 1 });
    expect(payload?.query.dataset?.snapshots?.nodes.map((node) => node?.id)).toContain(payload?.snapshot?.id);
  });

  it('waits for a running action and returns the object as it is afterwards', async () => {
    await using pair = await startPair({ sandbox: { step: 20 } });
    const { data, errors } = await pair.ask(
      `mutation {
        datasetUpdate(id: 12, input: { quota: 99 }, wait: 20) { dataset { quota } actionState { outcome } }
        datasetInherit(id: 15, input: { property: "quota" }, wait: 20) { dataset { quota } userErrors { code } }
        datasetSnapshotDelete(id: "dataset/99999/snapshot/1") { deletedId }
      }`,
      { login: 'user' },
    );
    expect(data).toMatchObject({
      datasetUpdate: { dataset: { quota: 99 }, actionState: { outcome: 'SUCCEEDED' } },
      datasetInherit: { dataset: { quota: 99 }, userErrors: [] },
      datasetSnapshotDelete: null,
    });
    expect(errors.map(({ extensions }) => extensions['code'])).toEqual(['NOT_FOUND']);
  });

  it('returns locks and conflicts as user errors', async () => {
    await using pair = await startPair({ sandbox: { step: 'manual' } });
    const { data, errors } = await pair.ask(
      `mutation {
        a: datasetCreate(input: { name: "attic", dataset: 12 }) { dataset { name } userErrors { code path } }
        b: datasetUpdate(id: "dataset/12", input: { quota: 1 }) { userErrors { code message } }
        c: datasetCreate(input: { name: "bad name" }) { userErrors { code message path parameter } }
        d: datasetCreate(input: { name: "ok", dataset: "dataset/99999" }) { userErrors { code path parameter } }
      }`,
      { login: 'user' },
    );
    expect(errors).toEqual([]);
    expect(data).toMatchObject({
      a: { dataset: { name: 'atlas/attic' }, userErrors: [] },
      b: { userErrors: [{ code: 'RESOURCE_LOCKED', message: expect.stringContaining('locked') }] },
      c: {
        userErrors: [
          {
            code: 'FORMAT',
            path: ['input', 'name'],
            parameter: 'name',
            message: "'bad name' is not a valid dataset name",
          },
        ],
      },
      d: { userErrors: [{ code: 'INVALID', path: ['input', 'dataset'], parameter: 'dataset' }] },
    });
  });

  it('reports an action that fails and rolls back', async () => {
    for (const kind of ['below', 'at-total', 'rollback'] as const) {
      await using pair = await startPair({ sandbox: { step: 5 } });
      const first = await pair.ask<{ dataset: { snapshots: { nodes: [{ id: string }] } } }>(
        '{ dataset(id: 12) { snapshots(first: 1) { nodes { id } } } }',
      );
      pair.sandbox.failNext(kind);
      const { data, errors } = await pair.ask(
        'mutation ($id: ID!) { datasetSnapshotRollback(id: $id, wait: 20) { actionState { outcome } userErrors { code } } }',
        { login: 'user', variables: { id: first.data?.dataset.snapshots.nodes[0].id } },
      );
      expect(errors).toEqual([]);
      expect(data).toEqual({
        datasetSnapshotRollback: {
          actionState: { outcome: 'FAILED' },
          userErrors: [{ code: 'ACTION_FAILED' }],
        },
      });
    }
  });

  it('logs in and out with the described token actions', async () => {
    await using pair = await startPair();
    const signIn = `mutation ($input: TokenRequestInput!) {
      tokenRequest(input: $input) { token: result { token validTo complete } userErrors { code message path } }
    }`;
    const input = { user: 'user', password: 'sandbox', lifetime: 'FIXED' };
    const { data, errors } = await pair.ask<{ tokenRequest: { token: { token: string } } }>(signIn, {
      login: null,
      variables: { input },
    });
    expect(errors).toEqual([]);
    const headers = {
      [pair.sandbox.tokenHeader]: data?.tokenRequest.token.token ?? '',
      'content-type': 'application/json',
    };
    const run = async (query: string) =>
      (
        await pair.facade.yoga.fetch('http://facade.test/graphql', {
          method: 'POST',
          headers,
          body: JSON.stringify({ query }),
        })
      ).json();
    expect(await run('{ userCurrent { login } }')).toMatchObject({
      data: { userCurrent: { login: 'user' } },
    });
    expect(await run('mutation { tokenRevoke { userErrors { code } } }')).toMatchObject({
      data: { tokenRevoke: { userErrors: [] } },
    });
    expect(await run('{ userCurrent { login } }')).toMatchObject({
      errors: [{ extensions: { code: 'UNAUTHENTICATED' } }],
    });
    const wrong = await pair.ask(signIn, {
      login: null,
      variables: { input: { ...input, password: 'canary-password' } },
    });
    expect(wrong.data).toMatchObject({ tokenRequest: { token: null, userErrors: [{ code: 'REFUSED' }] } });
    expect(JSON.stringify(wrong)).not.toContain('canary-password');
  });
});

describe('following an action of the sandbox', () => {
  it.each([
    ['WebSocket', overWebSocket],
    ['SSE', overSse],
  ])('over %s sends its progress and its end, and closes all connections', async (_name, subscribe) => {
    await using pair = await startPair({ sandbox: { step: 'manual' } });
    await using server = await startServer(pair.facade, { host: '127.0.0.1', port: 0 });
    const { data } = await pair.ask<SnapshotCreateMutation>(SNAPSHOT, {
      login: 'user',
      variables: { dataset: 12, wait: 0 },
    });
    const id = data?.datasetSnapshotCreate?.actionState?.id ?? '';
    const query = operation('action-progress').replace('($id: ID!)', '').replace('$id', JSON.stringify(id));
    await using stream = subscribe(server.url, query, pair.headers('user'));
    const seen: unknown[] = [];
    for (let event = await stream.next(); event !== undefined; event = await stream.next()) {
      const { current, outcome } = (event as { actionProgress: { current: number; outcome: string } })
        .actionProgress;
      seen.push([current, outcome]);
      pair.sandbox.advance();
    }
    expect(seen).toEqual([
      [0, 'RUNNING'],
      [1, 'RUNNING'],
      [2, 'RUNNING'],
      [3, 'RUNNING'],
      [4, 'RUNNING'],
      [5, 'SUCCEEDED'],
    ]);
    await expect.poll(() => pair.sandbox.openRequests).toBe(0);
    expect(pair.facade.watcher.watched).toBe(0);
  });

  it('shows a cancelled action as running while it rolls back, then as failed', async () => {
    await using pair = await startPair({ sandbox: { step: 'manual' } });
    await using server = await startServer(pair.facade, { host: '127.0.0.1', port: 0 });
    const { data } = await pair.ask<SnapshotCreateMutation>(SNAPSHOT, {
      login: 'user',
      variables: { dataset: 12 },
    });
    const id = data?.datasetSnapshotCreate?.actionState?.id ?? '';
    pair.sandbox.advance(2);
    await using stream = overSse(
      server.url,
      `subscription { actionProgress(id: "${id}", minInterval: 0.1) { outcome status } }`,
      pair.headers('user'),
    );
    expect(await stream.next()).toEqual({ actionProgress: { outcome: 'RUNNING', status: true } });
    const cancel =
      'mutation ($id: ID!) { actionStateCancel(id: $id) { target { id } actionState { id } userErrors { code } } }';
    const cancelled = await pair.ask(cancel, { login: 'user', variables: { id } });
    expect(cancelled.data).toEqual({
      actionStateCancel: { target: { id }, actionState: null, userErrors: [] },
    });
    expect(await stream.next()).toEqual({ actionProgress: { outcome: 'RUNNING', status: false } });
    pair.sandbox.advance(4);
    expect((await stream.rest()).at(-1)).toEqual({ actionProgress: { outcome: 'FAILED', status: false } });
    const again = await pair.ask(cancel, { login: 'user', variables: { id } });
    expect(again.data).toMatchObject({ actionStateCancel: { userErrors: [{ code: 'NOT_CANCELLABLE' }] } });
  });

  it.each([
    ['WebSocket', overWebSocket],
    ['SSE', overSse],
  ])('over %s is rejected for the actions of others, and ends with the token', async (_name, subscribe) => {
    await using pair = await startPair({ sandbox: { step: 'manual' } });
    await using server = await startServer(pair.facade, { host: '127.0.0.1', port: 0 });
    const { tokenHeader } = pair.sandbox;
    const headers = { [tokenHeader]: await signIn(pair.sandbox, {}) };
    const errorOf = (stream: Stream) => stream.next().then(null, (errors: unknown) => errors);
    const errorLike = (code: string, others = {}) => [
      expect.objectContaining({
        extensions: { code, retryable: false, requestId: expect.any(String), ...others },
      }),
    ];
    await using strange = subscribe(
      server.url,
      'subscription { actionProgress(id: 111) { outcome } }',
      headers,
    );
    expect(await errorOf(strange)).toEqual(
      errorLike('NOT_FOUND', { upstream: { action: 'action_state#poll', status: 200 } }),
    );

    const { data } = await pair.ask<SnapshotCreateMutation>(SNAPSHOT, {
      login: 'user',
      variables: { dataset: 12 },
    });
    const id = data?.datasetSnapshotCreate?.actionState?.id ?? '';
    await using stream = subscribe(
      server.url,
      `subscription { actionProgress(id: "${id}", minInterval: 0.1) { current } }`,
      headers,
    );
    expect(await stream.next()).toEqual({ actionProgress: { current: 0 } });
    await ask(pair.facade, 'mutation { tokenRevoke { userErrors { code } } }', { headers });
    pair.sandbox.advance();
    expect(await errorOf(stream)).toEqual(errorLike('UNAUTHENTICATED'));
  });
});
