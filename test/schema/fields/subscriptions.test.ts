// Tests following actions of the sandbox to their end.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ask, startPair } from '../../helpers/facade.ts';
import { signIn } from '../../helpers/sign-in.ts';
import { overSse, type Stream, SUBSCRIBERS } from '../../helpers/streams.ts';

const operation = (name: string): string =>
  readFileSync(new URL(`../../operations/${name}.graphql`, import.meta.url), 'utf8');
const SNAPSHOT = operation('snapshot-create');
type SnapshotCreateMutation = {
  readonly datasetSnapshotCreate: { readonly actionState: { readonly id: string } };
};

describe('following an action of the sandbox', () => {
  it.each(SUBSCRIBERS)(
    'over %s sends its progress and its end, and closes all connections',
    async (_name, subscribe) => {
      await using pair = await startPair({ sandbox: { step: 'manual' } });
      const { url } = await pair.listen();
      const { data } = await pair.ask<SnapshotCreateMutation>(SNAPSHOT, {
        login: 'user',
        variables: { dataset: 12, wait: 0 },
      });
      const id = data?.datasetSnapshotCreate.actionState.id ?? '';
      const query = operation('action-progress').replace('($id: ID!)', '').replace('$id', JSON.stringify(id));
      await using stream = subscribe(url, query, pair.headers('user'));
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
    },
  );

  it('shows a cancelled action as running while it rolls back, then as failed', async () => {
    await using pair = await startPair({ sandbox: { step: 'manual' } });
    const { url } = await pair.listen();
    const { data } = await pair.ask<SnapshotCreateMutation>(SNAPSHOT, {
      login: 'user',
      variables: { dataset: 12 },
    });
    const id = data?.datasetSnapshotCreate.actionState.id ?? '';
    pair.sandbox.advance(2);
    await using stream = overSse(
      url,
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

  it.each(SUBSCRIBERS)(
    'over %s is rejected for the actions of others, and ends with the token',
    async (_name, subscribe) => {
      await using pair = await startPair({ sandbox: { step: 'manual' } });
      const { url } = await pair.listen();
      const { tokenHeader } = pair.sandbox;
      const headers = { [tokenHeader]: await signIn(pair.sandbox, {}) };
      // A poll that is under way when the token ends may bring one more event.
      const errorOf = (stream: Stream) => stream.rest().then(null, (errors: unknown) => errors);
      const errorLike = (code: string, others = {}) => [
        expect.objectContaining({
          extensions: { code, retryable: false, requestId: expect.any(String), ...others },
        }),
      ];
      await using strange = subscribe(url, 'subscription { actionProgress(id: 111) { outcome } }', headers);
      expect(await errorOf(strange)).toEqual(
        errorLike('NOT_FOUND', { upstream: { action: 'action_state#poll', status: 200 } }),
      );

      const { data } = await pair.ask<SnapshotCreateMutation>(SNAPSHOT, {
        login: 'user',
        variables: { dataset: 12 },
      });
      const id = data?.datasetSnapshotCreate.actionState.id ?? '';
      await using stream = subscribe(
        url,
        `subscription { actionProgress(id: "${id}", minInterval: 0.1) { current } }`,
        headers,
      );
      expect(await stream.next()).toEqual({ actionProgress: { current: 0 } });
      await ask(pair.facade, 'mutation { tokenRevoke { userErrors { code } } }', { headers });
      pair.sandbox.advance();
      expect(await errorOf(stream)).toEqual(errorLike('UNAUTHENTICATED'));
    },
  );
});
