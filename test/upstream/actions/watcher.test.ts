// Tests how subscriptions and waiting mutations follow running actions.
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { shareWorkshop } from '../../helpers/shared-api.ts';
import { errorCodes, overSse, overWebSocket, SUBSCRIBERS } from '../../helpers/streams.ts';
import { refuse, reply } from '../../helpers/stub-upstream.ts';
import { openWorkshop, type Workshop } from '../../helpers/workshop.ts';

const shop = shareWorkshop();

const PROGRESS = 'subscription { actionProgress(id: 500, minInterval: 0.1) { id outcome progress current } }';
const event = (current: number, outcome = 'RUNNING') => ({
  actionProgress: { id: 'action_state/500', outcome, progress: current / 10, current },
});
const token = (value: string) => ({ 'X-Library-Token': value });
const polls = ({ upstream }: Workshop) => upstream.calls.filter(({ scope }) => scope === 'action_state#poll');

describe.each(SUBSCRIBERS)('progress over %s', (_name, subscribe) => {
  it('starts with the current state, and has each change up to the finished state', async () => {
    shop.actions.set({ id: 500, current: 2 });
    await using stream = subscribe(shop.url, PROGRESS, token('one'));
    expect(await stream.next()).toEqual(event(2));
    await shop.actions.waitForOpenPolls(1);
    shop.actions.set({ id: 500, current: 5 });
    expect(await stream.next()).toEqual(event(5));
    await shop.actions.waitForOpenPolls(1);
    shop.actions.set({ id: 500, current: 5, status: false });
    expect(await stream.next()).toEqual(event(5));
    await shop.actions.waitForOpenPolls(1);
    shop.actions.set({ id: 500, current: 5, status: false, finished: true });
    expect(await stream.rest()).toEqual([event(5, 'FAILED')]);
  });

  it('of a finished action has one event', async () => {
    shop.actions.set({ id: 500, current: 10, finished: true });
    await using stream = subscribe(shop.url, PROGRESS, token('one'));
    expect(await stream.rest()).toEqual([event(10, 'SUCCEEDED')]);
    expect(polls(shop)).toHaveLength(1);
  });

  it('stops polling as soon as the last subscriber disconnects', async () => {
    const one = subscribe(shop.url, PROGRESS, token('one'));
    const other = subscribe(shop.url, PROGRESS, token('one'));
    await one.next();
    await other.next();
    await shop.actions.waitForOpenPolls(1);
    await one.leave();
    expect(shop.actions.openPolls).toBe(1);
    const stopped = shop.actions.waitForOpenPolls(0);
    await other.leave();
    await stopped;
    expect(shop.facade.watcher.watched).toBe(0);
  });

  it('of an unknown action is an error, and ends with an error when the action disappears', async () => {
    await using unknown = subscribe(shop.url, PROGRESS.replace('500', '404'), token('one'));
    expect(await errorCodes(unknown.next())).toEqual(['NOT_FOUND']);
    await using vanishing = subscribe(shop.url, PROGRESS, token('one'));
    await vanishing.next();
    await shop.actions.waitForOpenPolls(1);
    shop.actions.remove(500);
    expect(await errorCodes(vanishing.next())).toEqual(['NOT_FOUND']);
    expect(polls(shop).length).toBeLessThanOrEqual(4);
  });

  it('refuses invalid intervals, ids and credentials', async () => {
    const query = (text: string) => errorCodes(subscribe(shop.url, text, token('one')).next());
    expect(await query(PROGRESS.replace('0.1', '0'))).toEqual(['BAD_USER_INPUT']);
    expect(await query(PROGRESS.replace('500', '"tool/5"'))).toEqual(['BAD_USER_INPUT']);
    const two = subscribe(shop.url, PROGRESS, { ...token('one'), Authorization: 'Basic abc' });
    expect(await errorCodes(two.next())).not.toEqual([]);
    expect(shop.upstream.calls).toEqual([]);
  });
});

describe('one action of one caller', () => {
  it('is polled once for all its subscribers and waiting mutations', async () => {
    const streams = Array.from({ length: 100 }, (_, index) =>
      (index % 2 === 0 ? overWebSocket : overSse)(shop.url, PROGRESS, token('one')),
    );
    await Promise.all(streams.map((stream) => stream.next()));
    const waits = Array.from({ length: 5 }, () =>
      shop.ask('mutation { toolSharpen(id: 5, wait: 20) { actionState { outcome } } }'),
    );
    await shop.actions.waitForOpenPolls(1);
    shop.actions.set({ id: 500, current: 10, finished: true });
    for (const { data } of await Promise.all(waits)) {
      expect(data).toEqual({ toolSharpen: { actionState: { outcome: 'SUCCEEDED' } } });
    }
    for (const stream of streams) expect(await stream.rest()).toEqual([event(10, 'SUCCEEDED')]);
    expect(shop.actions.maxPollsOfOneAction).toBe(1);
    expect(shop.facade.watcher.watched).toBe(0);
    await Promise.all(streams.map((stream) => stream.leave()));
  });

  it('is polled separately for each caller', async () => {
    await using one = overWebSocket(shop.url, PROGRESS, token('one'));
    await using other = overWebSocket(shop.url, PROGRESS, token('two'));
    await one.next();
    await other.next();
    await shop.actions.waitForOpenPolls(2);
    expect(new Set(polls(shop).map(({ headers }) => headers['x-library-token']))).toEqual(
      new Set(['one', 'two']),
    );
  });

  it('resumes with a new subscription: the current state first, no state twice, the final state once', async () => {
    const first = overWebSocket(shop.url, PROGRESS, token('one'));
    expect(await first.next()).toEqual(event(0));
    await first.leave();
    shop.actions.set({ id: 500, current: 6 });
    await using again = overWebSocket(shop.url, PROGRESS, token('one'));
    expect(await again.next()).toEqual(event(6));
    await shop.actions.waitForOpenPolls(1);
    shop.actions.set({ id: 500, current: 10, finished: true });
    expect(await again.rest()).toEqual([event(10, 'SUCCEEDED')]);
  });

  it('is polled with the values of the last known state', async () => {
    await using stream = overWebSocket(shop.url, PROGRESS, token('one'));
    await stream.next();
    await shop.actions.waitForOpenPolls(1);
    const [first, second] = polls(shop).map(({ query }) => Object.fromEntries(query));
    expect(first).toEqual({ 'action_state[timeout]': '15', 'action_state[update_in]': '1' });
    expect(second).toEqual({
      'action_state[timeout]': '15',
      'action_state[update_in]': '1',
      'action_state[status]': 'true',
      'action_state[current]': '0',
      'action_state[total]': '10',
    });
  });
});

describe('many actions of one caller', () => {
  it('take at most eight long polls, and two reads of the list in each interval', async () => {
    const interval = 200;
    await using shop = await openWorkshop({}, { watch: { interval } });
    const ids = Array.from({ length: 100 }, (_, index) => 1000 + index);
    for (const id of ids) shop.actions.set({ id });
    const { url } = await shop.listen();
    const started = Date.now();
    const query = `subscription { actionProgressMany(ids: [${ids.join(',')}]) { id outcome } }`;
    await using stream = overWebSocket(url, query, token('one'));
    const seen = new Set<unknown>();
    while (seen.size < ids.length) seen.add(JSON.stringify(await stream.next()));
    for (const id of ids) shop.actions.set({ id, current: 10, finished: true });
    const rest = await stream.rest();
    const elapsed = Date.now() - started;
    expect(rest).toHaveLength(ids.length);
    expect(shop.actions.maxOpenPolls).toBeLessThanOrEqual(8);
    const looks = shop.upstream.calls.filter(({ scope }) => scope === 'action_state#index').length;
    expect(looks).toBeLessThanOrEqual((2 * elapsed) / interval + 1);
    expect(shop.facade.watcher.watched).toBe(0);
  });

  it('have their first state at once, however rarely the list is read', async () => {
    await using shop = await openWorkshop({}, { watch: { interval: 600_000 } });
    const { url } = await shop.listen();
    const lists = () => shop.upstream.calls.filter(({ scope }) => scope === 'action_state#index').length;
    const open = (id: number) => {
      shop.actions.set({ id });
      return overWebSocket(url, `subscription { actionProgress(id: ${id}) { outcome } }`, token('one'));
    };
    const running = { actionProgress: { outcome: 'RUNNING' } };
    const streams: ReturnType<typeof open>[] = [];
    for (let id = 1000; id < 1012; id += 1) {
      const stream = open(id);
      streams.push(stream);
      expect(await stream.next()).toEqual(running);
    }
    // Those with a long poll need no list, and each of the others has one read for it.
    expect(lists()).toBe(4);
    for (const stream of streams) await stream[Symbol.asyncDispose]();
  });

  it('are listed ever more rarely for pendingActions while nothing changes', async () => {
    await using shop = await openWorkshop({}, { watch: { interval: 20 } });
    const { url } = await shop.listen();
    const lists = () => shop.upstream.calls.filter(({ scope }) => scope === 'action_state#index').length;
    await using stream = overSse(url, 'subscription { pendingActions { id } }', token('one'));
    await stream.next();
    const before = lists();
    await pause(2_000);
    expect(lists() - before).toBeLessThanOrEqual(10);
    expect(polls(shop)).toEqual([]);
  });

  it('are polled ever more rarely when they do not end', async () => {
    await using shop = await openWorkshop({}, { watch: { interval: 20 } });
    const answer = shop.upstream.handlers.get('action_state#show') ?? expect.fail();
    shop.upstream.handlers.set(
      'action_state#poll',
      (call) => (response) => void pause(50).then(() => answer(call)(response)),
    );
    const { url } = await shop.listen();
    await using stream = overWebSocket(url, PROGRESS, token('one'));
    await stream.next();
    await pause(1_500);
    const before = polls(shop).length;
    await pause(3_000);
    // Ten in a second while it changes.
    expect(polls(shop).length - before).toBeLessThanOrEqual(15);
    await shop.ask('mutation { toolStamp(id: 5) { userErrors { code } } }');
    const soon = polls(shop).length;
    await pause(300);
    expect(polls(shop).length).toBeGreaterThan(soon);
  });

  it('are listed soon after a write of their caller', async () => {
    await using shop = await openWorkshop({}, { watch: { interval: 600_000 } });
    const { url } = await shop.listen();
    await using stream = overSse(url, 'subscription { pendingActions { id } }', token('one'));
    await stream.next();
    shop.actions.set({ id: 501 });
    await shop.ask('mutation { toolStamp(id: 5) { userErrors { code } } }');
    expect(await stream.next()).toEqual({ pendingActions: { id: 'action_state/501' } });
  });

  it('appear, advance and finish in pendingActions', async () => {
    await using shop = await openWorkshop({}, { watch: { interval: 20 } });
    const { url } = await shop.listen();
    const query = 'subscription { pendingActions { id outcome progress } }';
    await using stream = overSse(url, query, token('one'));
    const pending = (id: number, outcome: string, progress: number) => ({
      pendingActions: { id: `action_state/${id}`, outcome, progress },
    });
    expect(await stream.next()).toEqual(pending(500, 'RUNNING', 0));
    shop.actions.set({ id: 501 });
    expect(await stream.next()).toEqual(pending(501, 'RUNNING', 0));
    shop.actions.set({ id: 500, current: 5 });
    expect(await stream.next()).toEqual(pending(500, 'RUNNING', 0.5));
    shop.actions.set({ id: 501, current: 10, finished: true });
    expect(await stream.next()).toEqual(pending(501, 'SUCCEEDED', 1));
  });

  it('are limited for each caller, and do not affect other callers', async () => {
    await using shop = await openWorkshop({}, { watch: { streams: 2 } });
    const { url } = await shop.listen();
    await using one = overWebSocket(url, PROGRESS, token('one'));
    await using two = overSse(url, PROGRESS, token('one'));
    await one.next();
    await two.next();
    expect(await errorCodes(overWebSocket(url, PROGRESS, token('one')).next())).toEqual([
      'SUBSCRIPTION_LIMIT',
    ]);
    await using other = overWebSocket(url, PROGRESS, token('two'));
    expect(await other.next()).toEqual(event(0));
    await shop.actions.waitForOpenPolls(2);
    shop.actions.set({ id: 500, current: 1 });
    expect(await one.next()).toEqual(event(1));
  });
});

describe('a failure of the upstream', () => {
  it('is tolerated for a while, and the stream continues', async () => {
    let faults = 0;
    await using shop = await openWorkshop({}, { watch: { retryDelay: [5, 10] } });
    const poll = shop.upstream.handlers.get('action_state#poll');
    shop.upstream.handlers.set('action_state#poll', (call) => {
      faults += 1;
      return faults < 4 ? reply('oops', 502) : (poll?.(call) ?? refuse('no'));
    });
    const { url } = await shop.listen();
    await using stream = overWebSocket(url, PROGRESS, token('one'));
    expect(await stream.next()).toEqual(event(0));
    expect(faults).toBeGreaterThanOrEqual(4);
  });

  it('that lasts ends the stream with an error, and reports no failed action', async () => {
    await using shop = await openWorkshop(
      { 'action_state#poll': () => refuse('server fault', null, 500) },
      { watch: { retryDelay: [5, 10], retryDeadline: 500 } },
    );
    const { url } = await shop.listen();
    await using stream = overWebSocket(url, PROGRESS, token('one'));
    expect(await errorCodes(stream.next())).toEqual(['UPSTREAM_UNAVAILABLE']);
    expect(polls(shop).length).toBeGreaterThan(1);
    await expect.poll(() => shop.facade.watcher.watched).toBe(0);
  });

  it('that answers each poll at once does not make the facade poll at once', async () => {
    await using shop = await openWorkshop({}, { watch: { interval: 10_000 } });
    shop.actions.set({ id: 500, current: null });
    const { url } = await shop.listen();
    await using stream = overWebSocket(url, PROGRESS, token('one'));
    await stream.next();
    await shop.ask('{ tool(id: 5) { name } }');
    expect(polls(shop).length).toBeLessThanOrEqual(2);
  });
});

describe('a facade that closes', () => {
  it('ends streams with SHUTTING_DOWN', async () => {
    await using shop = await openWorkshop();
    const { url } = await shop.listen();
    const stream = overSse(url, PROGRESS, token('one'));
    await stream.next();
    await shop.actions.waitForOpenPolls(1);
    const end = errorCodes(stream.next());
    shop.facade.watcher.close();
    expect(await end).toEqual(['SHUTTING_DOWN']);
    await shop.actions.waitForOpenPolls(0);
  });
});
