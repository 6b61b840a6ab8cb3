// Tests the answers that are kept for a credential where the operator says for how long.

import { afterEach, describe, expect, it, vi } from 'vitest';
import { createFacade } from '../../../src/facade/facade.ts';
import { LocalDeployment } from '../../../src/sharing/local-replicas.ts';
import { startServer } from '../../../src/transports/server.ts';
import { collectLog } from '../../helpers/facade.ts';
import { holdAnswersOf } from '../../helpers/held-answers.ts';
import { overWebSocket } from '../../helpers/streams.ts';
import { type Handler, hangUp, ok, refuse } from '../../helpers/stub-upstream.ts';
import { openWorkshop, type Workshop } from '../../helpers/workshop.ts';

const READ = '{ tool(id: 5) { weight } }';
const KEPT = { savings: { keptAnswers: new Map([['tool', 30_000]]) } };

afterEach(() => void vi.useRealTimers());

const countOf = ({ upstream }: Workshop, scope = 'tool#show') =>
  upstream.calls.filter((call) => call.scope === scope).length;

/** A tool whose weight the test sets. */
function createTool() {
  const state = { weight: 7 };
  const show: Handler = () => ok({ tool: { id: 5, name: 'tool 5', weight: state.weight, owner: null } });
  return { state, handlers: { 'tool#show': show } };
}

describe('answers', () => {
  it('are not kept unless the operator says so', async () => {
    await using shop = await openWorkshop();
    await shop.ask(READ);
    await shop.ask(READ);
    expect(countOf(shop)).toBe(2);
  });

  it('are kept for their resource, credential and language, until their time is over', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    vi.advanceTimersByTime(1);
    const { state, handlers } = createTool();
    await using shop = await openWorkshop(handlers, KEPT);
    await shop.ask(READ);
    state.weight = 6;
    const kept = await shop.ask(READ);
    expect(kept.data).toEqual({ tool: { weight: 7 } });
    expect(kept.extensions['upstream']).toMatchObject({ calls: 0, coalesced: 1 });
    expect((await shop.ask(READ, { token: 'two' })).data).toEqual({ tool: { weight: 6 } });
    expect(countOf(shop)).toBe(2);
    for (const _time of [1, 2]) await shop.ask('{ job(id: 1) { label } }');
    expect(countOf(shop, 'job#show')).toBe(2);
    vi.advanceTimersByTime(30_001);
    expect((await shop.ask(READ)).data).toEqual({ tool: { weight: 6 } });
  });

  it('are not kept if they are failures, and are dropped when the API no longer knows the token', async () => {
    const { handlers } = createTool();
    await using shop = await openWorkshop(handlers, KEPT);
    shop.upstream.handlers.set('tool#show', () => refuse('down', null, 500));
    await shop.ask(READ);
    shop.upstream.handlers.set('tool#show', handlers['tool#show']);
    expect((await shop.ask(READ)).data).toEqual({ tool: { weight: 7 } });
    shop.upstream.handlers.set('smith#show', () => refuse('unknown token', null, 401));
    await shop.ask('{ node(id: "smith/3") { id ... on Smith { name } } }');
    await shop.ask(READ);
    expect(countOf(shop)).toBe(3);
  });
});

describe('a write of the credential', () => {
  const UPDATE =
    'mutation { toolUpdate(id: 5, input: { weight: 6 }) { tool { weight } userErrors { code } } }';

  it('drops them, in its own operation too', async () => {
    const { state, handlers } = createTool();
    await using shop = await openWorkshop(
      {
        ...handlers,
        'tool#update': () => {
          state.weight = 6;
          return ok({});
        },
      },
      KEPT,
    );
    await shop.ask(READ);
    expect((await shop.ask(UPDATE)).data).toMatchObject({ toolUpdate: { tool: { weight: 6 } } });
    expect((await shop.ask(READ)).data).toEqual({ tool: { weight: 6 } });
    expect(countOf(shop)).toBe(2);
  });

  it('stops an answer that is on its way from being kept', async () => {
    const { state, handlers } = createTool();
    const show = holdAnswersOf(handlers['tool#show']);
    await using shop = await openWorkshop({ 'tool#show': show.handler }, KEPT);
    const before = shop.ask(READ);
    const first = await show.take(0);
    state.weight = 6;
    await shop.ask('mutation { toolUpdate(id: 5, input: { weight: 6 }) { userErrors { code } } }');
    first.release();
    expect((await before).data).toEqual({ tool: { weight: 7 } });
    const after = shop.ask(READ);
    (await show.take(1)).release();
    expect((await after).data).toEqual({ tool: { weight: 6 } });
  });

  it('does not drop those of others', async () => {
    const { handlers } = createTool();
    await using shop = await openWorkshop({ ...handlers, 'tool#update': () => ok({}) }, KEPT);
    await shop.ask(READ, { token: 'two' });
    await shop.ask('mutation { toolUpdate(id: 5, input: { weight: 6 }) { userErrors { code } } }');
    await shop.ask(READ, { token: 'two' });
    expect(countOf(shop)).toBe(1);
  });
});

describe('an action that a write has started', () => {
  const SHARPEN = 'mutation { toolSharpen(id: 5) { actionState { id } } }';
  const PROGRESS = 'subscription { actionProgress(id: 500) { outcome } }';

  /** Ends the action, which has changed the tool. */
  async function endAction({ actions }: Workshop, state: { weight: number }): Promise<void> {
    await actions.waitForOpenPolls(1);
    state.weight = 6;
    actions.set({ id: 500, current: 10, finished: true, status: true });
  }

  it('stops answers from being kept until its end is seen', async () => {
    const { state, handlers } = createTool();
    await using shop = await openWorkshop(handlers, KEPT);
    await shop.ask(SHARPEN);
    await shop.ask(READ);
    expect((await shop.ask(READ)).data).toEqual({ tool: { weight: 7 } });
    expect(countOf(shop)).toBe(2);
    const { url } = await shop.listen();
    await using stream = overWebSocket(url, PROGRESS, { 'X-Library-Token': 'one' });
    await stream.next();
    await endAction(shop, state);
    expect(await stream.next()).toMatchObject({ actionProgress: { outcome: 'SUCCEEDED' } });
    expect((await shop.ask(READ)).data).toEqual({ tool: { weight: 6 } });
    expect((await shop.ask(READ)).data).toEqual({ tool: { weight: 6 } });
    expect(countOf(shop)).toBe(3);
  });

  it('stops answers from being kept until another replica has seen its end', async () => {
    const deployment = new LocalDeployment();
    const { state, handlers } = createTool();
    const follower = { ...KEPT, shared: { replicas: deployment.join() } };
    await using shop = await openWorkshop(handlers, follower);
    const leader = { log: collectLog(), shared: { replicas: deployment.join() } };
    await using facade = await createFacade({ upstream: shop.upstream.url, ...leader });
    await using server = await startServer(facade, { host: '127.0.0.1', port: 0 });
    const { url } = await shop.listen();
    await shop.ask(SHARPEN);
    await using leading = overWebSocket(server.url, PROGRESS, { 'X-Library-Token': 'one' });
    await leading.next();
    await using following = overWebSocket(url, PROGRESS, { 'X-Library-Token': 'one' });
    await following.next();
    await endAction(shop, state);
    expect(await following.next()).toMatchObject({ actionProgress: { outcome: 'SUCCEEDED' } });
    expect(shop.actions.maxPollsOfOneAction).toBe(1);
    for (const _time of [1, 2]) expect((await shop.ask(READ)).data).toEqual({ tool: { weight: 6 } });
    expect(countOf(shop)).toBe(1);
  });

  it('drops answers when its end is seen by the write that waits for it', async () => {
    const { state, handlers } = createTool();
    await using shop = await openWorkshop(handlers, KEPT);
    await shop.ask(READ);
    const write = shop.ask('mutation { toolSharpen(id: 5, wait: 20) { tool { weight } } }');
    await endAction(shop, state);
    expect((await write).data).toEqual({ toolSharpen: { tool: { weight: 6 } } });
    expect((await shop.ask(READ)).data).toEqual({ tool: { weight: 6 } });
    expect(countOf(shop)).toBe(2);
  });

  it('may have begun when the outcome of the write is unknown', async () => {
    const { handlers } = createTool();
    await using shop = await openWorkshop(handlers, KEPT);
    shop.upstream.handlers.set('tool#sharpen', () => hangUp);
    const { errors } = await shop.ask(SHARPEN);
    expect(errors).toMatchObject([{ extensions: { code: 'OUTCOME_UNKNOWN' } }]);
    for (const _time of [1, 2]) await shop.ask(READ);
    expect(countOf(shop)).toBe(2);
  });
});
