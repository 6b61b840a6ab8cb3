// Tests the endpoints of the reference that have no test of their own.
import { expect, test } from 'vitest';
import { type Json, readObject, send } from '../helpers/sandbox-requests.ts';
import { sharePair } from '../helpers/shared-pair.ts';
import { mutate, READS, WRITES } from './calls.ts';
import { ENDPOINTS, type Endpoint, namespaceOf } from './rows.ts';

const pair = sharePair({ sandbox: { step: 0 } });

/** The input of reads, where it is more than a limit. */
const INPUTS: Readonly<Record<string, string>> = {
  'action_state#index': 'action_state[limit]=2&action_state[order]=oldest',
  'dataset#find_by_name': 'dataset[name]=atlas&dataset[user]=2',
  'dataset.property_history#index': 'property_history[limit]=2&property_history[name]=used',
};

const titleOf = ({ action, method, template }: Endpoint): string =>
  `[${action}] the facade calls ${method} ${template}, and the sandbox carries it out`;

/** Of an action with a call here. */
function endpointOf(action: string): Endpoint {
  const endpoint = ENDPOINTS.get(action);
  if (endpoint === undefined) throw new Error(`the reference has no ${action}`);
  return endpoint;
}

/** The path of a call: its ids are those in the operation. */
function pathOf({ template }: Endpoint, ids: readonly string[]): string {
  const left = [...ids];
  return template.replaceAll(/\{\w+\}/g, () => left.shift() ?? '');
}

/** Looks at what the sandbox received, and whether it answers anonymous callers. */
async function proveCall(endpoint: Endpoint, path: string, query: string, body?: object) {
  const { action, method, isOpen } = endpoint;
  const call = pair.calls.find(({ scope }) => scope === action);
  expect(call).toMatchObject({ method, path, status: 200 });
  expect(decodeURIComponent(call?.query ?? '')).toBe(query);
  expect(call?.body).toEqual(body);
  const headers = { 'content-type': 'application/json' };
  const init = { method, ...(body && { headers, body: JSON.stringify(body) }) };
  const anonymous = await send(pair.sandbox, query === '' ? path : `${path}?${encodeURI(query)}`, null, init);
  expect(anonymous.status === 401).toBe(!isOpen);
}

for (const [action, [field, answer]] of Object.entries(READS)) {
  const endpoint = endpointOf(action);
  test(titleOf(endpoint), async () => {
    const namespace = namespaceOf(action);
    const [, first] = /\(first: (\d+)/.exec(field) ?? [];
    const [, limit = Number(first) + 1] = /\(limit: (\d+)/.exec(field) ?? [];
    const query = INPUTS[action] ?? (Number.isNaN(limit) ? '' : `${namespace}[limit]=${limit}`);
    const { data, errors } = await pair.ask<{ it: Json }>(`{ it: ${field} }`);
    expect(errors).toEqual([]);
    expect(data?.it).toMatchObject(answer as object);
    const ids = [...field.matchAll(/\(id: (\d+)/g)].map(([, id = '']) => id);
    const body = endpoint.method === 'GET' ? undefined : { [namespace]: { value: 'novak' } };
    await proveCall(endpoint, pathOf(endpoint, ids), query, body);
  });
}

for (const [action, write] of Object.entries(WRITES).filter(([name]) => ENDPOINTS.has(name))) {
  const endpoint = endpointOf(action);
  test(titleOf(endpoint), async () => {
    const { field, input = {}, made, answer, holds, place } = write;
    const isDelete = holds === null;
    // Every package has all resources.
    if (action === 'cluster_resource_package.item#create')
      await pair.ask(
        'mutation { clusterResourcePackageItemDelete(id: "cluster_resource_package/3/item/14") { deletedId } }',
      );
    pair.calls.length = 0;
    const more = `${endpoint.isBlocking ? 'actionState { databaseId }' : ''} ${isDelete ? 'deletedId' : ''}`;
    const { data, errors } = await mutate<{ it: Json }>(pair, write, { more });
    const ids = [...field.matchAll(/\d+/g)].map(String);
    const global = /"(.+)"/.exec(field)?.[1] ?? `${namespaceOf(action)}/${ids[0]}`;
    expect([errors, data?.it['userErrors']]).toEqual([[], []]);
    expect(data?.it).toMatchObject({
      ...(answer?.[1] as object | undefined),
      ...(isDelete && { deletedId: global }),
      ...(endpoint.isBlocking && { actionState: { databaseId: expect.any(Number) } }),
    });

    const path = pathOf(endpoint, ids);
    if (holds !== undefined) {
      const own = action.endsWith('#create') ? path : path.replace(/\/[a-z_]+$/, '');
      const below = made === undefined ? '' : `/${data?.it['made']?.['databaseId']}`;
      const held = await readObject(pair.sandbox, place ?? own + below);
      if (isDelete) expect(held).toBeUndefined();
      else expect(held).toMatchObject(holds);
    }
    const [[name, value] = []] = Object.entries(input);
    if (endpoint.method === 'GET') await proveCall(endpoint, path, `${endpoint.namespace}[${name}]=${value}`);
    else await proveCall(endpoint, path, '', { [endpoint.namespace]: input });
  });
}
