// Tests the clients of graphql-ws and graphql-sse, which connect again by themselves, through lost connections and floods of operations.
import { createClient as createSseClient } from 'graphql-sse';
import { createClient as createWsClient } from 'graphql-ws';
import { describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { startCuttingProxy } from '../helpers/cutting-proxy.ts';
import { holdAnswers } from '../helpers/held-answers.ts';
import { shareWorkshop } from '../helpers/shared-api.ts';
import { ok } from '../helpers/stub-upstream.ts';

const shop = shareWorkshop();

const TOKEN = { 'x-library-token': 'one' };
const TOTAL = 8;
/** Queries of a connection at a time, and those beyond. */
const LIMIT = 200;
const BEYOND = 50;
const PROGRESS = 'subscription { actionProgress(id: 500, minInterval: 0.1) { current outcome } }';
const STAMP = 'mutation { toolStamp(id: 5) { tool { name } } }';
const TOOL = '{ tool(id: 5) { name } }';

interface Payload {
  readonly query: string;
  readonly extensions?: Record<string, unknown>;
}

/** What both clients have. */
interface StockClient {
  iterate(payload: Payload): AsyncIterableIterator<unknown>;
  dispose(): void | Promise<void>;
}

/** How a client connects again: at once, after any loss, as often as a proxy cuts it. */
const AGAIN = { retryAttempts: Number.POSITIVE_INFINITY, retry: async () => undefined };

const CLIENTS: readonly (readonly [string, (url: string) => StockClient])[] = [
  [
    'graphql-ws',
    (url) =>
      createWsClient({
        url: url.replace('http', 'ws'),
        webSocketImpl: WebSocket,
        connectionParams: TOKEN,
        retryAttempts: AGAIN.retryAttempts,
        retryWait: AGAIN.retry,
        shouldRetry: () => true,
      }),
  ],
  ['graphql-sse', (url) => createSseClient({ url, headers: TOKEN, ...AGAIN })],
];

/** The results of an operation that has one. */
async function resultsOf(client: StockClient, payload: Payload): Promise<readonly Record<string, unknown>[]> {
  const results: Record<string, unknown>[] = [];
  for await (const result of client.iterate(payload)) results.push(result as Record<string, unknown>);
  return results;
}

describe.each(CLIENTS)('the client of %s', (name, createClient) => {
  it('follows an action to its end, in order, while its connection is lost at each state', async () => {
    await using proxy = await startCuttingProxy(Number(new URL(shop.url).port));
    const client = createClient(`${proxy.origin}/graphql`);
    shop.actions.set({ id: 500, current: 0, total: TOTAL });
    const seen: number[] = [];
    let last = '';
    for await (const { data } of client.iterate({ query: PROGRESS }) as AsyncIterableIterator<{
      data: { actionProgress: { current: number; outcome: string } };
    }>) {
      const { current, outcome } = data.actionProgress;
      // A new connection begins with the state that the last one has sent.
      if (current !== seen.at(-1) || outcome !== last) seen.push(current);
      last = outcome;
      if (outcome !== 'RUNNING') continue;
      proxy.cut();
      const isLast = current === TOTAL - 1;
      shop.actions.set({ id: 500, current: current + 1, total: TOTAL, finished: isLast, status: true });
    }
    expect(seen).toEqual(Array.from({ length: TOTAL + 1 }, (_, state) => state));
    expect(last).toBe('SUCCEEDED');
    await client.dispose();
  });

  it('gets one result of a write with a key, whose connection is lost before and after the answer of the API', async () => {
    shop.answer({
      'tool#stamp': () => {
        proxy.cut();
        return ok({ tool: { id: 5, name: 'stamped', weight: 1, owner: null, secret: 's' } });
      },
    });
    await using proxy = await startCuttingProxy(Number(new URL(shop.url).port));
    const client = createClient(`${proxy.origin}/graphql`);
    for (const bytes of [0, 100, 300]) {
      proxy.plan({ direction: 'up', bytes });
      const extensions = { idempotencyKey: `${name} after ${bytes}` };
      const sent = resultsOf(client, { query: STAMP, extensions });
      await expect.poll(() => proxy.passed.up).toBeGreaterThanOrEqual(bytes);
      proxy.plan(null);
      expect(await sent).toMatchObject([{ data: { toolStamp: { tool: { name: 'stamped' } } } }]);
    }
    expect(shop.upstream.calls.filter(({ scope }) => scope === 'tool#stamp')).toHaveLength(3);
    await client.dispose();
  });
});

it('the client of graphql-ws is told of operations beyond the limit, and its connection stays', async () => {
  const shows = holdAnswers(ok({ tool: { id: 5, name: 'saw', weight: 1, owner: null } }));
  shop.answer({ 'tool#show': shows.handler });
  let connections = 0;
  const client = createWsClient({
    url: shop.url.replace('http', 'ws'),
    webSocketImpl: WebSocket,
    connectionParams: TOKEN,
    lazy: false,
    on: { connected: () => (connections += 1) },
  });
  // Operations that arrive before the credential is verified count for the anonymous callers.
  await resultsOf(client, { query: '{ __typename }' });
  const refused: unknown[] = [];
  const flood = Array.from({ length: LIMIT + BEYOND }, () =>
    resultsOf(client, { query: TOOL }).catch((reason: unknown) => {
      refused.push(reason);
      return null;
    }),
  );
  await expect.poll(() => refused.length, { timeout: 30_000 }).toBe(BEYOND);
  for (const reason of refused)
    expect(reason).toMatchObject([{ extensions: { code: 'COST_LIMIT_EXCEEDED', retryable: true } }]);
  // All read the same object, for which there is one call.
  (await shows.take(0)).release();
  const answers = (await Promise.all(flood)).filter((results) => results !== null);
  expect(answers).toEqual(Array(LIMIT).fill([expect.objectContaining({ data: { tool: { name: 'saw' } } })]));
  expect(connections).toBe(1);
  await client.dispose();
});
