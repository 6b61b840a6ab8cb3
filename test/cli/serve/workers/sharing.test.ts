// Tests what workers share through their primary, and that the others go on when one of them dies.
import { createClient as createSseClient } from 'graphql-sse';
import { createClient as createWsClient } from 'graphql-ws';
import { expect, test } from 'vitest';
import WebSocket from 'ws';
import { listenSandbox } from '../../../../packages/sandbox/src/listen-sandbox.ts';
import { AUTHENTICATED_QUERY, CLIENT, createBrowser } from '../../../helpers/browser.ts';
import { holdAnswersOf } from '../../../helpers/held-answers.ts';
import { signInAt } from '../../../helpers/oauth.ts';
import { hasRedis, REPLICAS_SECRET, startRedis } from '../../../helpers/redis.ts';
import { ok, startStub } from '../../../helpers/stub-upstream.ts';
import {
  OWN_CONNECTION,
  startWorkers,
  WAIT,
  type WorkerProcesses,
} from '../../../helpers/worker-processes.ts';
import { openWorkshop, WORKSHOP } from '../../../helpers/workshop.ts';

const headers = { 'x-library-token': 'one' };
const PROGRESS = 'subscription { actionProgress(id: 500, minInterval: 0.1) { current outcome } }';
const OAUTH = ['--oauth-client-id', CLIENT.id];
const SECRET = { OAUTH_CLIENT_SECRET: CLIENT.secret };

interface Follower {
  /** How often the client has connected. */
  readonly connections: number;
  readonly events: readonly { readonly current: number; readonly outcome: string }[];
  readonly ended: Promise<void>;
}

/** Subscribes with a client that connects again by itself. */
function follow(url: string, overWebSocket: boolean): Follower {
  let connections = 0;
  const on = {
    connected: (): void => {
      connections += 1;
    },
  };
  const client = overWebSocket
    ? createWsClient({
        url: url.replace('http', 'ws'),
        webSocketImpl: WebSocket,
        connectionParams: headers,
        shouldRetry: () => true,
        on,
      })
    : createSseClient({ url, headers: { ...headers, ...OWN_CONNECTION }, on });
  const events: Follower['events'][number][] = [];
  const read = async (): Promise<void> => {
    for await (const result of client.iterate({ query: PROGRESS }))
      events.push((result as { data: { actionProgress: Follower['events'][number] } }).data.actionProgress);
  };
  return {
    events,
    get connections() {
      return connections;
    },
    ended: read(),
  };
}

/** Subscribes over both transports until each worker has subscriptions. */
async function followAtEach(workers: WorkerProcesses): Promise<readonly Follower[]> {
  const followers: Follower[] = [];
  for (;;) {
    for (const overWebSocket of [true, false, true]) followers.push(follow(workers.url, overWebSocket));
    await expect.poll(() => followers.every(({ events }) => events.length > 0), WAIT).toBe(true);
    const counts = await workers.metric('optiongraph_subscriptions');
    if (counts.get('1') && counts.get('2')) return followers;
  }
}

test('workers ask the API for no description that another one has', async () => {
  await using upstream = await startStub(WORKSHOP, {
    'tool#show': () => ok({ tool: { id: 5, name: 'saw', weight: 1, owner: null } }),
  });
  const described: string[] = [];
  upstream.onOptions = ({ 'x-library-token': token }, { search }) => {
    if (!search.startsWith('?method=')) described.push(String(token ?? 'operator'));
    return ok(WORKSHOP);
  };
  await using workers = await startWorkers(upstream.url);
  for (const { data } of await workers.askEach('{ tool(id: 5) { name } }', headers))
    expect(data).toEqual({ tool: { name: 'saw' } });
  expect(described).toEqual(['operator', 'one']);
  await workers.kill(1);
  await workers.askEach('{ tool(id: 5) { name } }', headers);
  expect(described).toEqual(['operator', 'one']);
});

test('one worker polls for all, and when it dies another one does, and all subscriptions go on', async () => {
  await using shop = await openWorkshop();
  await using workers = await startWorkers(shop.upstream.url);
  const followers = await followAtEach(workers);
  const until = async (current: number): Promise<void> => {
    for (const { events } of followers) await expect.poll(() => events.at(-1)?.current, WAIT).toBe(current);
  };
  for (const current of [1, 2]) {
    await shop.actions.waitForOpenPolls(1);
    shop.actions.set({ id: 500, current });
    await until(current);
  }
  expect(shop.actions.maxPollsOfOneAction).toBe(1);
  const pollers = await workers.metric('optiongraph_pollers');
  const leader = [...pollers].find(([, count]) => count > 0)?.[0];
  const lost = (await workers.metric('optiongraph_subscriptions')).get(String(leader)) ?? 0;
  await workers.kill(Number(leader));
  shop.actions.set({ id: 500, current: 3 });
  await until(3);
  shop.actions.set({ id: 500, current: 10, finished: true });
  await Promise.all(followers.map(({ ended }) => ended));
  // Those of the other worker have not connected again.
  expect(followers.filter(({ connections }) => connections > 1)).toHaveLength(lost);
  for (const { events } of followers) {
    expect(events.at(-1)).toEqual({ current: 10, outcome: 'SUCCEEDED' });
    const steps = events.map(({ current }) => current);
    expect(steps).toEqual([...steps].sort((a, b) => a - b));
  }
  expect(workers.primary.stdout).toContain(`worker ${leader} has ended (SIGKILL); another one starts now`);
});

test('each worker reads what a client has just written at one of them', async () => {
  let weight = 7;
  const tool = () => ok({ tool: { id: 5, name: 'saw', weight, owner: null } });
  const held = holdAnswersOf(tool);
  await using upstream = await startStub(WORKSHOP, {
    'tool#show': (call) => (weight === 7 ? held.handler(call) : tool()),
    'tool#update': () => {
      weight = 6;
      return ok({});
    },
  });
  await using workers = await startWorkers(upstream.url);
  const read = '{ tool(id: 5) { weight } }';
  const before = [workers.ask(read, headers), workers.ask(read, headers)];
  const older = [await held.take(0), await held.take(1)];
  await workers.ask('mutation { toolUpdate(id: 5, input: { weight: 6 }) { userErrors { code } } }', headers);
  for (const { data } of await workers.askEach(read, headers)) expect(data).toEqual({ tool: { weight: 6 } });
  for (const { release } of older) release();
  const results = await Promise.all(before);
  expect(results.map(({ data }) => data)).toEqual([{ tool: { weight: 7 } }, { tool: { weight: 7 } }]);
});

test('workers count attempts to sign in together', async () => {
  await using sandbox = await listenSandbox();
  await using workers = await startWorkers(sandbox.url);
  const attempt = `mutation { tokenRequest(input: { user: "nobody", password: "wrong", lifetime: FIXED }) { userErrors { code } } }`;
  const codes: unknown[] = [];
  const reached = new Set<number>();
  for (let time = 1; time <= 12; time += 1) {
    const { errors, worker } = await workers.ask(attempt);
    codes.push(errors?.[0]?.extensions['code'] ?? null);
    reached.add(worker);
  }
  expect(reached.size).toBe(2);
  expect(codes).toEqual([...Array(10).fill(null), ...Array(2).fill('COST_LIMIT_EXCEEDED')]);
});

test('a browser signed in at one worker is known to all without SESSION_SECRET, and signed out of all', async () => {
  await using sandbox = await listenSandbox({ oauthClients: [CLIENT] });
  await using workers = await startWorkers(sandbox.url, OAUTH, SECRET);
  const browser = createBrowser(workers.url);
  const redirect = await browser.visit('/auth/login');
  const callback = await signInAt(sandbox, redirect.headers.get('location') ?? '', 'user');
  await browser.visit(callback.pathname + callback.search);
  const cookie = browser.jar.header;
  const askEach = () => workers.askEach(AUTHENTICATED_QUERY, { cookie, 'sec-fetch-site': 'same-origin' });
  for (const { data } of await askEach()) expect(data).toEqual({ session: { authenticated: true } });
  expect((await browser.logout()).status).toBe(204);
  await expect.poll(async () => (await askEach()).map(({ status }) => status), WAIT).toEqual([401, 401]);
});

test.skipIf(!hasRedis)('workers with --redis share through Redis, each as a replica', async () => {
  await using redis = await startRedis();
  await using upstream = await startStub(WORKSHOP, {});
  const env = { REDIS_URL: redis.url, SESSION_SECRET: REPLICAS_SECRET };
  await using workers = await startWorkers(upstream.url, [], env);
  expect(upstream.options).toBe(1);
  const alone = await workers.metric('optiongraph_sharing_alone');
  expect(Object.fromEntries(alone)).toEqual({ 1: 0, 2: 0 });
  await redis.stop();
  await expect
    .poll(async () => Object.fromEntries(await workers.metric('optiongraph_sharing_alone')), WAIT)
    .toEqual({ 1: 1, 2: 1 });
  await workers.askEach('{ __typename }');
});
