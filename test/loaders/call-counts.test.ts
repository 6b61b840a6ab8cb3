// Tests which upstream calls are counted for an operation.

import { describe, expect, it } from 'vitest';
import { SignInLimit } from '../../src/callers/sign-in-limit.ts';
import { Operation } from '../../src/loaders/operation.ts';
import { DEFAULT_UPSTREAM_LIMITS } from '../../src/loaders/operation-cost.ts';
import { createSharedState, DEFAULT_CALL_SAVINGS } from '../../src/loaders/shared-state.ts';
import { Shutdown } from '../../src/operation/shutdown.ts';
import { parseDescription } from '../../src/upstream/description/parse-description.ts';
import { type ActionClient, createCallAction } from '../../src/upstream/http/action-client.ts';
import { createCaller } from '../../src/upstream/http/caller.ts';
import { createTransport } from '../../src/upstream/http/transport.ts';
import { ask, startPair } from '../helpers/facade.ts';
import { LIBRARY, openLibrary } from '../helpers/library.ts';
import { overWebSocket } from '../helpers/streams.ts';
import { silence, startStub } from '../helpers/stub-upstream.ts';
import { openWorkshop, type Workshop } from '../helpers/workshop.ts';

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

describe('a mutation that waits', () => {
  it('counts and traces its polls', async () => {
    await using shop = await openWorkshop();
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
    await using shop = await openWorkshop();
    const answer = await shop.ask('mutation { toolSharpen(id: 5, wait: 0.2) { userErrors { code } } }');
    expect(shop.upstream.calls.map(({ scope }) => scope)).toEqual([
      'tool#sharpen',
      'action_state#poll',
      'action_state#poll',
    ]);
    expect(costOf(answer)).toMatchObject({ calls: 3, coalesced: 0 });
  });

  it('shares polls with another mutation: each counts as one call and one coalesced call', async () => {
    await using shop = await openWorkshop({}, { savings: { sharedReads: false } });
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
    // The calls of the write and of show.
    expect(other.calls).toBe(2);
    expect(other.coalesced).toBeGreaterThanOrEqual(4);
  });

  it('counts polls that a subscription makes as coalesced', async () => {
    await using shop = await openWorkshop();
    const { url } = await shop.listen();
    const query = 'subscription { actionProgress(id: 500) { current } }';
    await using stream = overWebSocket(url, query, { 'X-Library-Token': 'one' });
    await stream.next();
    await shop.actions.waitForOpenPolls(1);
    const answer = shop.ask(sharpen(20));
    await expect.poll(() => shop.upstream.calls.some(({ scope }) => scope === 'tool#sharpen')).toBe(true);
    await runToEnd(shop);
    const { calls, coalesced } = costOf(await answer);
    expect(calls).toBe(2);
    expect(coalesced).toBeGreaterThanOrEqual(4);
  });

  it('counts reads of the list of unfinished actions if no long poll is available', async () => {
    await using shop = await openWorkshop({}, { watch: { interval: 50 } });
    const { url } = await shop.listen();
    for (let id = 600; id < 608; id += 1) shop.actions.set({ id });
    const ids = JSON.stringify(Array.from({ length: 8 }, (_, index) => 600 + index));
    const query = `subscription { actionProgressMany(ids: ${ids}) { id } }`;
    await using stream = overWebSocket(url, query, { 'X-Library-Token': 'one' });
    await stream.next();
    await shop.actions.waitForOpenPolls(8);
    const answer = shop.ask(sharpen(20));
    const scopes = () => shop.upstream.calls.map(({ scope }) => scope);
    await expect.poll(() => scopes().includes('action_state#index')).toBe(true);
    shop.actions.set({ id: 500, current: 10, finished: true });
    const { calls, coalesced } = costOf(await answer);
    const own = scopes().filter((scope) => scope !== 'action_state#poll');
    expect([calls, coalesced]).toEqual([own.length, 0]);
    expect(own).toContain('action_state#show');
  });
});

describe('a call that was not sent is not counted', () => {
  it('after too many login attempts', async () => {
    await using pair = await startPair({ facade: { shared: { signIns: new SignInLimit({ user: 1 }) } } });
    const input = '{ user: "user", password: "wrong", lifetime: FIXED }';
    const query = `mutation { tokenRequest(input: ${input}) { userErrors { code } } }`;
    expect(costOf(await ask(pair.facade, query))).toMatchObject({ calls: 1 });
    const rejected = await ask(pair.facade, query);
    expect(rejected.errors).toMatchObject([{ extensions: { code: 'COST_LIMIT_EXCEEDED' } }]);
    expect(costOf(rejected)).toEqual({ calls: 0, ms: 0, coalesced: 0 });
    expect(pair.calls).toHaveLength(1);
  });

  it('if a request logs in twice', async () => {
    await using pair = await startPair();
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
      savings: DEFAULT_CALL_SAVINGS,
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
      operation
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
