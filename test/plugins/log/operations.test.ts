// Tests what observers learn of operations and of their calls.
import { describe, expect, it } from 'vitest';
import { combineObservers } from '../../../src/observer.ts';
import { DEPARTURES } from '../../helpers/departures.ts';
import { holdAnswers } from '../../helpers/held-answers.ts';
import { ok } from '../../helpers/stub-upstream.ts';
import { observe } from '../../helpers/telemetry.ts';
import { openWorkshop } from '../../helpers/workshop.ts';

const token = { 'x-library-token': 'one' };
const TOOL = 'query Tool { tool(id: 5) { name } }';

describe('an observer', () => {
  it('sees each request to the upstream, with the operation that needs it, and may add headers', async () => {
    const operations = observe('operation');
    const calls = observe('upstreamCall');
    const tracing = combineObservers([
      operations.observer,
      calls.observer,
      {
        upstreamCall: ({ extraHeaders }) => {
          extraHeaders['traceparent'] = 'here';
          return undefined;
        },
      },
    ]);
    await using shop = await openWorkshop({}, { observer: tracing });
    await shop.ask(TOOL);
    const [operation] = operations.reports;
    expect(calls.reports.filter(({ told }) => told.action !== null)).toEqual([
      {
        told: {
          cause: { cause: operation?.told, action: 'tool#show', size: 1 },
          origin: shop.upstream.url.origin,
          action: 'tool#show',
          method: 'GET',
          template: '/tools/{tool_id}',
          extraHeaders: { traceparent: 'here' },
        },
        end: { status: 200, failure: null, duration: expect.any(Number) },
        hasEnded: true,
      },
    ]);
    expect(shop.upstream.calls.map(({ headers }) => headers['traceparent'])).toEqual(['here']);
  });

  it.each(DEPARTURES)(
    'sees no error of an operation whose client has left over %s',
    async (_name, depart) => {
      const { observer, reports } = observe('operation');
      const held = holdAnswers(ok({}));
      await using shop = await openWorkshop({ 'tool#show': held.handler }, { observer });
      const { url } = await shop.listen();
      const client = await depart(url, TOOL, token);
      await held.take(0);
      await client.leave();
      await expect
        .poll(() => reports.map(({ end }) => [end?.outcome, end?.codes]), { timeout: 10_000 })
        .toEqual([['left', []]]);
    },
  );
});
