// Tests how a sandbox starts, records requests and closes.
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { post, send } from '../../../test/helpers/sandbox-requests.ts';
import type { RecordedRequest } from '../src/http/sandbox-server.ts';
import { listenSandbox } from '../src/listen-sandbox.ts';

describe('a sandbox', () => {
  test('rejects with Node’s error when its port is taken', async () => {
    await using sandbox = await listenSandbox();
    const port = Number(new URL(sandbox.url).port);
    await expect(listenSandbox({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });

  test('shares only the initial data and the tokens with another sandbox', async () => {
    await using first = await listenSandbox();
    await using second = await listenSandbox();
    expect(second.users).toEqual(first.users);
    expect((await send(first, '/v7.0/datasets')).text).toBe((await send(second, '/v7.0/datasets')).text);
    await post(first, '/_auth/token/tokens/revoke', first.users[0] ?? null, {});
    expect((await send(first, '/v7.0/datasets')).status).toBe(401);
    expect((await send(second, '/v7.0/datasets')).status).toBe(200);
  });

  test('records each request with the scope of its action', async () => {
    await using sandbox = await listenSandbox();
    const seen: RecordedRequest[] = [];
    const stop = sandbox.onRequest((request) => seen.push(request));
    await send(sandbox, '/v7.0/datasets/2/snapshots?snapshot[limit]=1');
    await send(sandbox, '/nothing');
    await send(sandbox, '/v7.0/datasets?method=GET', null, { method: 'OPTIONS' });
    await send(sandbox, '/v7.0/datasets', null);
    await post(sandbox, '/v7.0/cluster/search', sandbox.users[0] ?? null, { cluster: { value: 'jan' } });
    stop();
    await send(sandbox, '/v7.0/components');
    expect(seen.map(({ method, scope, status }) => [method, scope, status])).toEqual([
      ['GET', 'dataset.snapshot#index', 200],
      ['GET', null, 404],
      ['OPTIONS', null, 401],
      ['GET', 'dataset#index', 401],
      ['POST', 'cluster#search', 200],
    ]);
    expect(seen[0]).toMatchObject({
      path: '/v7.0/datasets/2/snapshots',
      query: 'snapshot[limit]=1',
      body: undefined,
    });
    expect(seen[4]?.body).toEqual({ cluster: { value: 'jan' } });
  });

  test('closes idle and half-open connections at once', async () => {
    const sandbox = await listenSandbox();
    const { hostname, port } = new URL(sandbox.url);
    const open = (text: string) => {
      const socket = connect(Number(port), hostname, () => socket.write(text));
      socket.on('error', () => {});
      socket.resume();
      return new Promise<void>((resolve) => socket.once('close', () => resolve()));
    };
    const answered = new Promise<void>((resolve) => sandbox.onRequest(() => resolve()));
    const idle = open('GET /v7.0/components HTTP/1.1\r\nHost: x\r\n\r\n');
    const half = open('POST /v7.0/cluster/search HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{');
    await answered;
    await expect.poll(() => sandbox.openRequests).toBe(1);
    await sandbox.close();
    await Promise.all([idle, half]);
    await expect.poll(() => sandbox.openRequests).toBe(0);
    await expect(fetch(sandbox.url)).rejects.toThrow();
  });
});
