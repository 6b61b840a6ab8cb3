// Tests that replicas behind the proxy of `deploy` restart one after the other, and that no client loses anything.
import { setTimeout as pause } from 'node:timers/promises';
import { createClient as createSseClient } from 'graphql-sse';
import { createClient as createWsClient } from 'graphql-ws';
import { expect, test } from 'vitest';
import WebSocket from 'ws';
import { listenSandbox, type Sandbox } from '../../packages/sandbox/src/listen-sandbox.ts';
import { hasProxy, startProxy } from '../helpers/proxy.ts';
import { hasRedis, startRedis } from '../helpers/redis.ts';
import { startReplicaProcess } from '../helpers/replica-process.ts';
import { admin } from '../helpers/sandbox-requests.ts';
import { type Result, TRANSPORTS } from '../helpers/transports.ts';

const QUERY = '{ dataset(id: "dataset/104") { name } }';
const WRITE = `mutation ($label: String!) {
  clusterResourcePackageCreate(input: { label: $label }) { clusterResourcePackage { label } userErrors { message } }
}`;
const BEGIN = `mutation ($dataset: ID!) {
  datasetSnapshotCreate(dataset: $dataset, input: { label: "kept" }) { actionState { id } }
}`;
const PROGRESS = 'subscription ($id: ID!) { actionProgress(id: $id, minInterval: 0.1) { current outcome } }';
/** Milliseconds, longer than the checks of the proxy take. */
const DRAIN = { OPTIONGRAPH_LIMITS_DRAIN_TIME: '2000' };
const DATASETS = ['dataset/104', 'dataset/128'];
const [[, sendOverHttp]] = TRANSPORTS as [(typeof TRANSPORTS)[0]];

interface StartedAction {
  readonly actionState: { readonly id: string };
}

interface ProgressEvent {
  readonly current: number;
  readonly outcome: string;
}

/** A subscription, with the client's own way to try again. */
interface Follower {
  readonly events: readonly ProgressEvent[];
  /** How often the client has connected. */
  readonly connections: number;
  readonly ended: Promise<void>;
}

type Subscribe = (url: string, headers: Record<string, string>, onConnect: () => void) => Subscription;
interface Subscription {
  iterate(payload: { query: string; variables: { id: string } }): AsyncIterable<unknown>;
}

const subscribeOverWebSocket: Subscribe = (url, connectionParams, onConnect) =>
  createWsClient({
    url: url.replace('http', 'ws'),
    webSocketImpl: WebSocket,
    connectionParams,
    on: { connected: onConnect },
  });

const subscribeOverSse: Subscribe = (url, headers, onConnect) =>
  createSseClient({ url, headers, on: { connected: onConnect } });

function follow(subscribe: Subscribe, url: string, headers: Record<string, string>, id: string): Follower {
  const events: ProgressEvent[] = [];
  let connections = 0;
  const read = async (): Promise<void> => {
    const client = subscribe(url, headers, () => {
      connections += 1;
    });
    for await (const result of client.iterate({ query: PROGRESS, variables: { id } })) {
      const { data, errors } = result as { data?: { actionProgress: ProgressEvent }; errors?: unknown };
      if (!data) throw new Error(`expected a state: ${JSON.stringify(errors)}`);
      events.push(data.actionProgress);
    }
  };
  return {
    events,
    get connections() {
      return connections;
    },
    ended: read(),
  };
}

/** The labels of the packages that the sandbox was asked to create. */
function recordWrites(sandbox: Sandbox): readonly string[] {
  const labels: string[] = [];
  sandbox.onRequest(({ scope, body }) => {
    const { cluster_resource_package: created } = (body ?? {}) as Record<string, { readonly label: string }>;
    if (scope === 'cluster_resource_package#create' && created) labels.push(created.label);
  });
  return labels;
}

test.skipIf(!hasProxy || !hasRedis)(
  'two replicas restart without a lost request, a repeated write or a lost subscription',
  async () => {
    await using sandbox = await listenSandbox({ step: 'manual' });
    await using redis = await startRedis();
    await using one = await startReplicaProcess(sandbox.url, redis.url, DRAIN);
    await using two = await startReplicaProcess(sandbox.url, redis.url, DRAIN);
    const replicas = [one, two];
    await using proxy = await startProxy(replicas.map(({ port }) => port));
    const url = `${proxy.url}/graphql`;
    const headers = { [sandbox.tokenHeader]: admin(sandbox).token };
    const created = recordWrites(sandbox);

    const failures: unknown[] = [];
    const send = async (query: string, variables: Record<string, unknown> = {}): Promise<Result> => {
      const result = await sendOverHttp(url, { query, variables }, headers).catch(
        (error: unknown): Result => {
          failures.push(error);
          return {};
        },
      );
      failures.push(...(result.errors ?? []));
      return result;
    };
    const followers: Follower[] = [];
    for (const dataset of DATASETS) {
      const { data } = await send(BEGIN, { dataset });
      const { actionState } = (data?.['datasetSnapshotCreate'] ?? {}) as StartedAction;
      for (const subscribe of [subscribeOverWebSocket, subscribeOverSse])
        followers.push(follow(subscribe, url, headers, actionState.id));
    }
    await expect.poll(() => followers.filter(({ events }) => events.length > 0)).toHaveLength(4);

    let isOver = false;
    let queries = 0;
    const labels: string[] = [];
    const repeatQueries = async (): Promise<void> => {
      for (; !isOver; await pause(5)) {
        const { data } = await send(QUERY);
        if (data?.['dataset']) queries += 1;
      }
    };
    const repeatWrites = async (client: string): Promise<void> => {
      for (let count = 0; !isOver; await pause(20)) {
        count += 1;
        labels.push(`${client} ${count}`);
        await send(WRITE, { label: `${client} ${count}` });
      }
    };
    const load = [repeatQueries(), repeatQueries(), repeatWrites('first'), repeatWrites('second')];
    try {
      for (const replica of replicas) {
        expect(await replica.restart('SIGTERM')).toMatchObject({ code: 0, stderr: '' });
        sandbox.advance();
      }
    } finally {
      isOver = true;
    }
    await Promise.all(load);
    // Some clients are not connected at this moment.
    sandbox.advance(100);
    await Promise.all(followers.map(({ ended }) => ended));

    expect(failures).toEqual([]);
    expect(queries).toBeGreaterThan(100);
    expect(labels.length).toBeGreaterThan(50);
    expect([...created].sort()).toEqual([...labels].sort());
    for (const { events, connections } of followers) {
      expect(connections).toBeGreaterThan(1);
      expect(events.at(-1)).toMatchObject({ outcome: 'SUCCEEDED' });
      const steps = events.map(({ current }) => current);
      expect(steps).toEqual([...steps].sort((a, b) => a - b));
    }
  },
);
