// Tests the endpoints of the reference that have no test of their own.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Pair, startPair } from '../helpers/facade.ts';
import { type Json, send } from '../helpers/sandbox-requests.ts';
import type { Endpoint } from './endpoint.ts';
import { clusterEndpoints } from './endpoints-cluster.ts';
import { datasetEndpoints } from './endpoints-dataset.ts';
import { dnsEndpoints } from './endpoints-dns.ts';
import { expansionEndpoints } from './endpoints-expansion.ts';

const endpoints = [...clusterEndpoints, ...datasetEndpoints, ...expansionEndpoints, ...dnsEndpoints];

/** For endpoints that change nothing; each other gets a sandbox of its own. */
let shared: Pair;
beforeAll(async () => {
  shared = await startPair({ sandbox: { step: 'manual' } });
});
afterAll(() => shared[Symbol.asyncDispose]());

for (const endpoint of endpoints) {
  test(`[${endpoint.action}] the facade calls ${endpoint.path}, and the sandbox carries it out`, async () => {
    if (endpoint.operation.startsWith('{')) {
      await proveEndpoint(shared, endpoint);
    } else {
      await using own = await startPair({ sandbox: { step: 0 } });
      await proveEndpoint(own, endpoint);
    }
  });
}

/** Asks for it as the administrator, and looks at what the sandbox received and holds. */
async function proveEndpoint(pair: Pair, endpoint: Endpoint): Promise<void> {
  const { action, at = [], operation, query = '', answer, holds, blocking = false } = endpoint;
  const [method = '', template = ''] = endpoint.path.split(' ');
  const namespace = /(\w+)#/.exec(action)?.[1] ?? '';
  const body = endpoint.body ?? (method === 'GET' ? undefined : { [namespace]: {} });
  const ids = [...at];
  const path = template.replaceAll(/\{\w+\}/g, () => String(ids.shift()));

  pair.calls.length = 0;
  const { data, errors } = await pair.ask<{ it: Json }>(operation);
  expect(errors).toEqual([]);
  expect(data?.it).toMatchObject(answer as object);
  const call = pair.calls.find(({ scope }) => scope === action);
  expect(call).toMatchObject({ method, path, status: 200 });
  expect(decodeURIComponent(call?.query ?? '')).toBe(query);
  expect(call?.body).toEqual(body);
  expect('actionState' in (data?.it ?? {})).toBe(blocking);
  if (blocking) expect(data?.it['actionState']).toMatchObject({ databaseId: expect.any(Number) });

  if (holds) {
    const [place, object] = holds;
    const made = String(data?.it['made']?.['databaseId']);
    const { envelope } = await send(pair.sandbox, place.replace('{made}', made));
    const held = Object.entries(envelope['response'] ?? {}).find(([name]) => name !== '_meta')?.[1];
    if (object === null) expect(held).toBeUndefined();
    else expect(held).toMatchObject(object);
  }

  const init = body === undefined ? {} : { body: JSON.stringify(body) };
  const headers = body === undefined ? {} : { headers: { 'content-type': 'application/json' } };
  const target = query === '' ? path : `${path}?${encodeURI(query)}`;
  const anonymous = await send(pair.sandbox, target, null, { method, ...headers, ...init });
  expect(anonymous.status === 401).toBe(endpoint.open !== true);
}
