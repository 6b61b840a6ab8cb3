// Tests what running actions may cost the management API, and that callers with many of them get every event.
import { describe, expect, it } from 'vitest';
import { startServer } from '../../../src/server/server.ts';
import type { Abortable } from '../../../src/upstream/abortable.ts';
import { findActionStates } from '../../../src/upstream/actions/action-state-api.ts';
import { Watcher } from '../../../src/upstream/actions/watcher.ts';
import { parseDescription } from '../../../src/upstream/description/parse-description.ts';
import type { ActionClient } from '../../../src/upstream/http/action-client.ts';
import { createCaller } from '../../../src/upstream/http/caller.ts';
import type { JsonObject } from '../../../src/upstream/json.ts';
import { action, describeApi } from '../../helpers/describe-api.ts';
import { startPair } from '../../helpers/facade.ts';
import { ACTION_STATE } from '../../helpers/running-actions.ts';
import { shareWorkshop } from '../../helpers/shared-api.ts';
import { errorCodes, overSse, overWebSocket, SUBSCRIBERS } from '../../helpers/streams.ts';
import { ok } from '../../helpers/stub-upstream.ts';
import { openWorkshop } from '../../helpers/workshop.ts';

const shop = shareWorkshop();

const HOUR = 3_600_000;
const range = (length: number, first: number) => Array.from({ length }, (_, index) => first + index);
const many = (ids: readonly number[]) =>
  `subscription { actionProgressMany(ids: ${JSON.stringify(ids)}) { id outcome } }`;
const token = (value: string) => ({ 'X-Library-Token': value });
const state = (id: number, outcome: string) => ({ id: `action_state/${id}`, outcome });

describe('a stream of many actions', () => {
  it('has at most 100 ids', async () => {
    await using stream = overWebSocket(shop.url, many(range(101, 1)), token('one'));
    expect(await errorCodes(stream.next())).toEqual(['BAD_USER_INPUT']);
    expect(shop.upstream.calls).toEqual([]);
  });

  it.each(SUBSCRIBERS)(
    'over %s goes on after an unknown id, which is read once and ends in NOT_FOUND',
    async (_name, subscribe) => {
      await using shop = await openWorkshop({}, { watch: { interval: 20 } });
      const running = range(8, 600);
      for (const id of running) shop.actions.set({ id });
      const { url } = await shop.listen();
      const unknown = range(20, 1);
      await using stream = subscribe(url, many([...running, ...unknown]), token('one'));
      const codes: unknown[] = [];
      const events: unknown[] = [];
      while (codes.length + events.length < 28)
        await stream.next().then(
          (event) => events.push(event),
          (errors) =>
            codes.push(...errors.map(({ extensions }: { extensions: { code: string } }) => extensions.code)),
        );
      expect(codes).toEqual(unknown.map(() => 'NOT_FOUND'));
      expect(events).toHaveLength(8);
      for (const id of running) shop.actions.set({ id, current: 10, finished: true });
      expect(await stream.rest()).toHaveLength(8);
      const reads = shop.upstream.calls
        .map(({ path: [id] }) => Number(id))
        .filter((id) => unknown.includes(id));
      expect(reads.toSorted((a, b) => a - b)).toEqual(unknown);
    },
  );
});

describe('the calls of one caller', () => {
  it('slow no other caller down, however many streams and ids there are', async () => {
    await using shop = await openWorkshop({}, { watch: { interval: 20 } });
    const { url } = await shop.listen();
    const streams = range(20, 1).map((index) =>
      overWebSocket(url, many(range(100, 1_000 * index)), token('one')),
    );
    const events = streams.map((stream) => stream.next().catch(() => undefined));
    await expect.poll(() => shop.upstream.calls.length, { timeout: 10_000 }).toBeGreaterThan(50);
    await using other = overWebSocket(url, many([500]), token('two'));
    expect(await other.next()).toEqual({ actionProgressMany: state(500, 'RUNNING') });
    shop.actions.set({ id: 500, current: 10, finished: true });
    expect(await other.rest()).toEqual([{ actionProgressMany: state(500, 'SUCCEEDED') }]);
    for (const stream of streams) await stream.leave();
    await Promise.all(events);
    await expect.poll(() => shop.facade.watcher.watched).toBe(0);
  });

  it('are for a limited number of actions', async () => {
    await using shop = await openWorkshop({}, { watch: { actions: 150 } });
    for (const id of range(100, 1_000)) shop.actions.set({ id });
    const { url } = await shop.listen();
    await using one = overWebSocket(url, many(range(100, 1_000)), token('one'));
    await one.next();
    await using two = overWebSocket(url, many(range(100, 2_000)), token('one'));
    expect(await errorCodes(two.next())).toEqual(['SUBSCRIPTION_LIMIT']);
  });

  it('are long polls for eight actions and reads for the others where the API has no list', async () => {
    const { index: _index, ...rest } = ACTION_STATE['actions'] as Record<string, unknown>;
    await using shop = await openWorkshop({}, { watch: { interval: 20 } });
    for (const id of range(12, 1)) shop.actions.set({ id });
    shop.upstream.onOptions = () => ok(describeApi({ action_state: { ...ACTION_STATE, actions: rest } }));
    await shop.facade.refresh();
    const { url } = await shop.listen();
    await using stream = overWebSocket(url, many(range(12, 1)), token('one'));
    for (let event = 0; event < 12; event += 1) await stream.next();
    await shop.actions.waitForOpenPolls(8);
    await expect
      .poll(() => shop.upstream.calls.some(({ scope }) => scope === 'action_state#show'))
      .toBe(true);
    for (const id of range(12, 1)) shop.actions.set({ id, current: 10, finished: true });
    expect(await stream.rest()).toHaveLength(12);
    expect(shop.actions.maxOpenPolls).toBe(8);
  });
});

/** The actions of a caller whose lists are read only when the watcher is hurried. */
function watchThrough(answer: (...call: Parameters<ActionClient['call']>) => Promise<unknown>) {
  const { resources } = parseDescription(describeApi({ action_state: ACTION_STATE }));
  const client: ActionClient = {
    call: async (...call) => ({ status: 200, output: (await answer(...call)) as JsonObject, meta: {} }),
  };
  const watcher = new Watcher({ interval: HOUR });
  const actions = watcher.actionsFor('one', createCaller(null), client, findActionStates(resources));
  return { watcher, actions };
}

/** Never answers: rejects when the call is aborted. */
const untilAborted = ({ signal }: { readonly signal?: Abortable | undefined }): Promise<never> =>
  new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(new Error('aborted'))));

describe('a stream whose client has left before it opens', () => {
  it.each(['watch', 'pending'] as const)('ends without a call: %s', async (kind) => {
    const client = { call: () => Promise.reject(new Error('called')) };
    const watcher = new Watcher();
    const actions = watcher.actionsFor('one', createCaller(null), client, findActionStates([]));
    const signal = AbortSignal.abort();
    const stream = kind === 'watch' ? actions.watch(['1'], 0, signal) : actions.pending(signal);
    expect(await stream.next()).toEqual({ done: true, value: undefined });
    expect(watcher.watched).toBe(0);
  });
});

describe('a stream of unfinished actions', () => {
  it('does not begin with one that could not be read any more', async () => {
    let listed = range(2, 6);
    const { resources } = parseDescription(describeApi({ action_state: ACTION_STATE }));
    const stateOf = (id: number) => ({ id, finished: false });
    const client: ActionClient = {
      call: async ({ action: { name } }) => {
        if (name !== 'index') throw new Error('gone');
        return { status: 200, output: listed.map(stateOf), meta: {} };
      },
    };
    const watcher = new Watcher({ interval: 20 });
    const open = () =>
      watcher.actionsFor('one', createCaller(null), client, findActionStates(resources)).pending();
    const first = open();
    expect((await first.next()).value).toEqual(stateOf(6));
    expect((await first.next()).value).toEqual(stateOf(7));
    for (const next of [8, 9]) {
      listed = [6, 8, 9].slice(0, next - 6);
      expect((await first.next()).value).toEqual(stateOf(next));
    }
    const second = open();
    for (const id of [6, 8, 9]) expect((await second.next()).value).toEqual(stateOf(id));
    const end = second.next();
    watcher.close();
    await expect(end).rejects.toThrow('shutting down');
  });

  it('has the end of one soon that was read alone before, and then listed', async () => {
    const unfinished = [{ id: 6, finished: false }];
    let listed: readonly object[] = unfinished;
    let shown = { id: 6, finished: false };
    const calls = { index: 0, show: 0 };
    const { watcher, actions } = watchThrough(({ action: { name } }) => {
      calls[name === 'index' ? 'index' : 'show'] += 1;
      return Promise.resolve(name === 'index' ? listed : shown);
    });
    const stream = actions.pending();
    expect((await stream.next()).value).toEqual(shown);
    listed = [];
    watcher.hurry('one');
    await expect.poll(() => calls.show).toBe(1);
    listed = unfinished;
    const before = calls.index;
    watcher.hurry('one');
    await expect.poll(() => calls.index).toBe(before + 1);
    listed = [];
    shown = { id: 6, finished: true };
    watcher.hurry('one');
    expect((await stream.next()).value).toEqual(shown);
    watcher.close();
  });

  it('ends the read of an action that no other stream reads', async () => {
    let listed = [6, 7];
    let signal: Abortable | undefined;
    const { watcher, actions } = watchThrough(({ action: { name } }, options) => {
      if (name === 'index') return Promise.resolve(listed.map((id) => ({ id, finished: false })));
      signal = options.signal;
      return untilAborted(options);
    });
    const first = actions.pending();
    await first.next();
    listed = [7];
    watcher.hurry('one');
    await expect.poll(() => signal?.aborted).toBe(false);
    const second = actions.pending();
    await second.next();
    await first.return();
    expect(signal?.aborted).toBe(true);
    expect(watcher.watched).toBe(1);
    watcher.close();
  });
});

describe('anonymous callers', () => {
  it('share limits with their network only', async () => {
    await using pair = await startPair({ facade: { watch: { streams: 1 } } });
    const server = await startServer(pair.facade, { host: '127.0.0.1', port: 0 });
    const open = (address: string) =>
      overSse(server.url, 'subscription { pendingActions { id } }', { 'X-Forwarded-For': address });
    const one = open('192.0.2.1');
    const events = [one.next()];
    await expect.poll(() => pair.facade.watcher.watched).toBe(1);
    expect(await errorCodes(open('192.0.2.1').next())).toEqual(['SUBSCRIPTION_LIMIT']);
    const other = open('192.0.2.2');
    events.push(other.next());
    await expect.poll(() => pair.facade.watcher.watched).toBe(2);
    for (const stream of [one, other]) await stream.leave();
    await Promise.all(events);
    await server.close();
  });
});

describe('a caller with more unfinished actions than a page of the list holds', () => {
  it('gets every event of pendingActions', async () => {
    const running = range(2_500, 1);
    const unfinished = new Set(running);
    const number = (max: number) => ({ type: 'Integer', validators: { number: { min: 0, max } } });
    const order = { type: 'String', validators: { include: { values: ['newest', 'oldest'] } } };
    const index = action({
      path: '/action_states',
      namespace: 'action_state',
      input: { limit: number(1_000), from_id: 'Integer', order },
      outputNamespace: 'action_states',
      output: { id: 'Integer', label: 'String', finished: 'Boolean', status: 'Boolean' },
      layout: 'hash_list',
    });
    // Newest first, unless asked otherwise, but `from_id` lists higher ids.
    const listPage = ({ query }: { readonly query: URLSearchParams }) => {
      const from = Number(query.get('action_state[from_id]') ?? 0);
      const limit = Number(query.get('action_state[limit]') ?? Number.POSITIVE_INFINITY);
      const ids = [...unfinished].filter((id) => id > from);
      if (query.get('action_state[order]') !== 'oldest') ids.reverse();
      const rows = ids.slice(0, limit).map((id) => ({ id, label: 'x', finished: false, status: true }));
      return ok({ action_states: rows });
    };
    await using shop = await openWorkshop({ 'action_state#index': listPage }, { watch: { interval: 20 } });
    const described = { ...(ACTION_STATE['actions'] as object), index };
    shop.upstream.onOptions = () =>
      ok(describeApi({ action_state: { ...ACTION_STATE, actions: described } }));
    await shop.facade.refresh();
    const { url } = await shop.listen();
    await using stream = overWebSocket(url, 'subscription { pendingActions { id outcome } }', token('one'));
    const begun: unknown[] = [];
    while (begun.length < running.length) begun.push(await stream.next());
    expect(begun).toEqual(running.map((id) => ({ pendingActions: state(id, 'RUNNING') })));
    for (const id of [1, 1_200, 2_500]) {
      unfinished.delete(id);
      shop.actions.set({ id, current: 10, finished: true });
      expect(await stream.next()).toEqual({ pendingActions: state(id, 'SUCCEEDED') });
    }
  });
});
