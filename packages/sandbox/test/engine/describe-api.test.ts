// Tests the answers to OPTIONS.
import { afterAll, describe, expect, test } from 'vitest';
import {
  admin,
  type Json,
  ordinaryUser,
  send,
  sharedJson,
} from '../../../../test/helpers/sandbox-requests.ts';
import { listenSandbox } from '../../src/listen-sandbox.ts';

const sandbox = await listenSandbox();
afterAll(() => sandbox.close());

async function version(user: Parameters<typeof send>[2]): Promise<Json> {
  return (await send(sandbox, '/v7.0/', user, { method: 'OPTIONS' })).envelope['response'] as Json;
}

/** Lists the actions of resources and of their nested resources, by scope. */
function actionsOf(resources: Json): readonly (readonly [scope: string, action: Json])[] {
  return Object.values(resources).flatMap((resource) => [
    ...Object.values(resource['actions'] as Json).map((action) => [String(action['scope']), action] as const),
    ...actionsOf(resource['resources'] as Json),
  ]);
}

function resourceAt(resources: Json, path: readonly string[]): Json {
  const [name, ...rest] = path;
  const resource = resources[name ?? ''] as Json;
  return rest.length === 0 ? resource : resourceAt(resource['resources'] as Json, rest);
}

const keys = (object: Json | undefined) => Object.keys(object ?? {});

describe('OPTIONS', () => {
  test('answers 401 for a bad credential on an action, and ignores it on actions that need none', async () => {
    const bad = { method: 'OPTIONS', headers: { [sandbox.tokenHeader]: 'bad' } };
    expect((await send(sandbox, '/v7.0/datasets?method=GET', null, bad)).status).toBe(401);
    expect((await send(sandbox, '/v7.0/components?method=GET', null, bad)).status).toBe(200);
  });

  test('answers 403 for an action that the role may not call, and 404 for an unknown action', async () => {
    const options = { method: 'OPTIONS' };
    expect(
      (await send(sandbox, '/v7.0/cluster/full_stats?method=GET', ordinaryUser(sandbox), options)).status,
    ).toBe(403);
    expect((await send(sandbox, '/v7.0/datasets?method=PATCH', admin(sandbox), options)).status).toBe(404);
    expect((await send(sandbox, '/v6.0/', admin(sandbox), options)).status).toBe(404);
  });
});

describe('the description', () => {
  test('refers only to resources that exist, and to labels that their output has', async () => {
    const { resources } = (await version(null)) as unknown as { resources: Json };
    const faults: string[] = [];
    let seen = 0;
    for (const [scope, action] of actionsOf(resources)) {
      for (const side of ['input', 'output']) {
        for (const [name, parameter] of Object.entries((action[side]?.['parameters'] ?? {}) as Json)) {
          if (String(parameter['type']) !== 'Resource') continue;
          seen += 1;
          const target = resourceAt(resources, parameter['resource'] as unknown as string[]);
          for (const show of ['show', 'index']) {
            const output = keys(target['actions']?.[show]?.['output']?.['parameters']);
            const needed = [parameter['value_id'], parameter['value_label']].map(String);
            if (!needed.every((column) => output.includes(column))) faults.push(`${scope} ${side} ${name}`);
          }
        }
      }
    }
    expect(faults).toEqual([]);
    expect(seen).toBeGreaterThan(60);
  });

  test('offers includes and count on the actions that support them', async () => {
    const actions = new Map(actionsOf((await version(null))['resources'] as Json));
    const offered = (scope: string) =>
      keys(actions.get(scope)?.['meta']?.['global']?.['input']?.['parameters']);
    expect(offered('dataset#index')).toEqual(['no', 'count', 'includes']);
    expect(offered('dataset#show')).toEqual(['no', 'includes']);
    expect(offered('action_state#index')).toEqual(['no', 'count']);
    expect(offered('cluster#show')).toEqual(['no']);
    expect(offered('pool#index')).toEqual([]);
  });

  test('omits includes and count when the server does not offer them', async () => {
    await using plain = await listenSandbox({ offerIncludes: false, offerCount: false });
    const { envelope } = await send(plain, '/v7.0/datasets?method=GET', undefined, { method: 'OPTIONS' });
    expect(keys(envelope['response']?.['meta']?.['global']?.['input']?.['parameters'])).toEqual(['no']);
    expect(envelope['response']?.['meta']?.['global']?.['output']).toBeNull();
    const list = await send(plain, '/v7.0/datasets?dataset[limit]=1&_meta[count]=true&_meta[includes]=user');
    expect(list.envelope['response']?.['_meta']).toEqual({});
    expect(list.envelope['response']?.['datasets']?.[0]?.['user']?.['_meta']?.['resolved']).toBe(false);
  });

  const reference = sharedJson('reference-description-user.json');

  test.skipIf(!reference)('has the keys of the reference server, in the same order', async () => {
    const theirs = reference?.['response']?.['versions']?.['1.0'] as Json;
    const ours = await version(null);
    expect(keys(ours)).toEqual(keys(theirs));
    expect(ours['meta']).toEqual(theirs['meta']);

    const tokens = (description: Json) => description['authentication']?.['token'] as Json;
    expect(keys(tokens(ours))).toEqual(keys(tokens(theirs)));
    expect(keys(ours['authentication'])).toEqual([...keys(theirs['authentication']), 'oauth2']);
    const model = theirs['resources']?.['project'] as Json;
    for (const resource of Object.values(ours['resources'] as Json))
      expect(keys(resource)).toEqual(keys(model));

    const pairs = [
      ['dataset#index', 'project#index'],
      ['dataset#show', 'project#show'],
      ['dataset.snapshot#index', 'project.task#index'],
      ['action_state#index', 'action_state#index'],
      ['action_state#show', 'action_state#show'],
      ['action_state#poll', 'action_state#poll'],
      ['action_state#cancel', 'action_state#cancel'],
    ] as const;
    const [mine, reference_] = [ours, theirs].map((one) => new Map(actionsOf(one['resources'] as Json)));
    for (const [scope, other] of pairs)
      expect(shapeOf(mine?.get(scope)), scope).toEqual(shapeOf(reference_?.get(other)));

    const associations = actionsOf(ours['resources'] as Json).flatMap(([, action]) =>
      Object.values((action['output']?.['parameters'] ?? {}) as Json).filter(
        ({ type }) => String(type) === 'Resource',
      ),
    );
    const association =
      theirs['resources']?.['test']?.['actions']?.['echo_resource']?.['input']?.['parameters']?.['project'];
    for (const one of associations) expect(keys(one)).toEqual(keys(association));

    const request = (description: Json) =>
      tokens(description)['resources']?.['token']?.['actions']?.['request'] as Json;
    expect(shapeOf(request(ours))).toEqual(shapeOf(request(theirs)));
    expect(request(ours)['path']).toBe(request(theirs)['path']);
  });
});

/** Lists the keys in their order, with the keys of values whose names are fixed. */
function shapeOf(action: Json | undefined): unknown {
  const layout = (one: Json | null | undefined) =>
    one && {
      keys: keys(one),
      layout: one['layout'],
      parameter: keys(Object.values(one['parameters'] as Json)[0]),
    };
  const { object, global } = (action?.['meta'] ?? {}) as unknown as Record<string, Json | null>;
  return {
    keys: keys(action),
    types: Object.entries(action ?? {}).map(([key, value]) => (key === 'description' ? key : typeof value)),
    input: layout(action?.['input'])?.keys,
    output: layout(action?.['output']),
    meta: keys(action?.['meta']),
    object: object && [keys(object), layout(object['input']), layout(object['output'])],
    global: global && [keys(global), layout(global['input']), layout(global['output'])],
  };
}
