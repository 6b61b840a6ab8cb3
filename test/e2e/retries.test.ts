// Tests that a client whose connection breaks anywhere can send its mutation again: it is executed once. RUNS=100 tries more places.
import { describe, expect, test } from 'vitest';
import { ADDRESS, runCli } from '../helpers/cli.ts';
import { type CuttingProxy, startCuttingProxy } from '../helpers/cutting-proxy.ts';
import { holdAnswers } from '../helpers/held-answers.ts';
import { hasRedis, startRedis } from '../helpers/redis.ts';
import { startReplicaProcess } from '../helpers/replica-process.ts';
import { ok, startStub } from '../helpers/stub-upstream.ts';
import { type Send, TRANSPORTS } from '../helpers/transports.ts';
import { WORKSHOP } from '../helpers/workshop.ts';

const POINTS = Number(process.env['RUNS'] ?? 6);
const headers = { 'x-library-token': 'one', connection: 'close' };
const query = 'mutation ($id: ID!) { toolStamp(id: $id) { tool { id name } userErrors { code } } }';

/** A deployment, with the port that a client uses first, and the address of its retries. */
interface Deployment extends AsyncDisposable {
  readonly port: number;
  readonly retryUrl: string;
}

const portOf = (url: string): number => Number(new URL(url).port);

async function startOne(upstream: string): Promise<Deployment> {
  const server = runCli(['serve', '--port', '0', '--upstream', upstream]);
  const [, url = ''] = await server.waitForOutput(ADDRESS);
  return { port: portOf(url), retryUrl: url, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

async function startReplicas(upstream: string): Promise<Deployment> {
  const redis = await startRedis();
  const one = await startReplicaProcess(upstream, redis.url);
  const two = await startReplicaProcess(upstream, redis.url);
  return {
    port: one.port,
    retryUrl: `http://127.0.0.1:${two.port}/graphql`,
    async [Symbol.asyncDispose]() {
      for (const part of [two, one, redis]) await part[Symbol.asyncDispose]();
    },
  };
}

/** Sends a mutation through the proxy, which cuts the connection somewhere, and then again. */
async function breakAndRetry(
  send: Send,
  proxy: CuttingProxy,
  retryUrl: string,
  request: { readonly variables: { readonly id: number }; readonly key: string },
) {
  const { variables, key } = request;
  const sent = { query, variables, extensions: { idempotencyKey: key } };
  const first = await send(`${proxy.origin}/graphql`, sent, headers).catch(() => null);
  return { first, retry: await send(retryUrl, sent, headers) };
}

describe.each([
  ['one process', startOne, false],
  ['two replicas', startReplicas, !hasRedis],
] as const)('with %s', (_name, start, isSkipped) => {
  test.skipIf(isSkipped)(
    `a connection that breaks at one of ${POINTS} points of each transport leaves one write, and the retry gets its answer`,
    async () => {
      const writes: string[] = [];
      let onWrite = (): void => undefined;
      await using upstream = await startStub(WORKSHOP, {
        'tool#stamp': ({ path: [id = ''] }) => {
          writes.push(id);
          onWrite();
          return ok({ tool: { id: Number(id), name: `stamped ${writes.length}`, weight: 1, owner: null } });
        },
      });
      await using deployment = await start(upstream.url.href);
      await using proxy = await startCuttingProxy(deployment.port);
      let id = 0;
      let broken = 0;
      for (const [name, send] of TRANSPORTS.filter(([transport]) => transport !== 'SSE')) {
        const attempt = async (key: string) => {
          id += 1;
          const request = { variables: { id }, key };
          const { first, retry } = await breakAndRetry(send, proxy, deployment.retryUrl, request);
          expect(retry.errors).toBeUndefined();
          expect(writes.filter((written) => written === String(id))).toHaveLength(1);
          const written = writes.indexOf(String(id)) + 1;
          expect(retry.data).toMatchObject({ toolStamp: { tool: { name: `stamped ${written}` } } });
          if (first === null) broken += 1;
          else expect(first.data).toEqual(retry.data);
        };
        proxy.plan(null);
        await attempt(`${name} whole`);
        const { up, down } = proxy.passed;
        for (let point = 0; point < POINTS; point += 1) {
          const part = point / POINTS;
          onWrite = () => undefined;
          if (point % 3 === 0) proxy.plan({ direction: 'up', bytes: Math.floor(up * part) });
          else if (point % 3 === 1) proxy.plan({ direction: 'down', bytes: Math.floor(down * part) });
          else {
            proxy.plan(null);
            onWrite = () => proxy.cut();
          }
          await attempt(`${name} ${point}`);
        }
        onWrite = () => undefined;
      }
      expect(broken).toBeGreaterThan(POINTS);
    },
    180_000 + POINTS * 2_000,
  );
});

test.skipIf(!hasRedis)(
  'a replica that is killed after a write leaves an unknown outcome, and no second write',
  async () => {
    const stamps = holdAnswers(ok({}));
    await using upstream = await startStub(WORKSHOP, { 'tool#stamp': stamps.handler });
    await using redis = await startRedis();
    await using one = await startReplicaProcess(upstream.url.href, redis.url);
    await using two = await startReplicaProcess(upstream.url.href, redis.url);
    const [, send] = TRANSPORTS[0] ?? [];
    if (send === undefined) throw new TypeError('expected a transport');
    const request = { query, variables: { id: 5 }, extensions: { idempotencyKey: 'key' } };
    const first = send(`http://127.0.0.1:${one.port}/graphql`, request, headers).catch(() => null);
    await stamps.take(0);
    await one.restart('SIGKILL');
    expect(await first).toBeNull();
    // The sign of life of the killed process ends first.
    for (const { port } of [two, one]) {
      const retry = await send(`http://127.0.0.1:${port}/graphql`, request, headers);
      expect(retry.errors).toMatchObject([{ extensions: { code: 'OUTCOME_UNKNOWN', retryable: false } }]);
    }
    expect(upstream.calls.filter(({ scope }) => scope === 'tool#stamp')).toHaveLength(1);
  },
  60_000,
);
