import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Pair, startPair } from '../helpers/facade.ts';
import { admin, type Json, type Reply, send } from '../helpers/sandbox-requests.ts';

let pair: Pair;
beforeAll(async () => {
  pair = await startPair();
});
afterAll(() => pair[Symbol.asyncDispose]());

const options = (target: string): Promise<Reply> =>
  send(pair.sandbox, target, admin(pair.sandbox), { method: 'OPTIONS' });
const told = async (target: string): Promise<Json> => (await options(target)).envelope['response'] as Json;
const post = (target: string, body: string, type = 'application/json'): Promise<Reply> =>
  send(pair.sandbox, target, admin(pair.sandbox), {
    method: 'POST',
    headers: { 'content-type': type },
    body,
  });
const keys = (object: Json | undefined): readonly string[] => Object.keys(object ?? {});

describe('a request', () => {
  it('carries JSON, and nothing else', async () => {
    const search = '/v7.0/cluster/search';
    expect((await post(search, '{"cluster":{"value":"x"}}')).status).toBe(200);
    expect((await post(search, 'value=x', 'application/x-www-form-urlencoded')).status).toBe(415);
    expect((await post(search, '{"cluster"')).status).toBe(400);
    pair.calls.length = 0;
    await pair.ask('{ clusterSearch(value: "x") { id } }');
    expect(pair.calls[0]?.headers['content-type']).toMatch(/^application\/json/);
  });

  it('wraps its parameters in the namespace of its action', async () => {
    expect((await told('/v7.0/cluster/search?method=POST'))['input']?.['namespace']).toBe('cluster');
    pair.calls.length = 0;
    await pair.ask('{ clusterSearch(value: "novak") { id } }');
    expect(pair.calls[0]?.body).toEqual({ cluster: { value: 'novak' } });
    expect((await post('/v7.0/cluster/search', '{"value":"novak"}')).envelope['status']).toBe(false);
  });

  it('asks for JSON, the one format', async () => {
    pair.calls.length = 0;
    await pair.ask('{ cluster { maintenanceLock } }');
    expect(pair.calls[0]?.headers['accept']).toMatch(/^application\/json/);
    const headers = { accept: 'application/json' };
    const reply = await send(pair.sandbox, '/v7.0/cluster', undefined, { headers });
    expect(reply.headers.get('content-type')).toBe('application/json;charset=utf-8');
  });

  it('with no body has its input in the query, in brackets', async () => {
    pair.calls.length = 0;
    await pair.ask('{ debugArrayTop(limit: 3) { size } }');
    expect(pair.calls).toMatchObject([{ method: 'GET', query: 'debug%5Blimit%5D=3', body: undefined }]);
  });
});

describe('an answer', () => {
  it('that went well has its value under the output’s namespace, and no message', async () => {
    const { status, headers, envelope } = await send(pair.sandbox, '/v7.0/components/2');
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json;charset=utf-8']);
    expect(envelope).toMatchObject({
      status: true,
      response: { component: { id: 2 } },
      message: null,
      errors: null,
    });
    expect(keys(envelope)).toEqual(['status', 'response', 'message', 'errors']);
  });

  it('that went wrong has a message, and errors by parameter', async () => {
    const { envelope } = await post('/v7.0/cluster/search', '{"cluster":{"value":" "}}');
    expect(envelope).toEqual({
      status: false,
      response: null,
      message: 'input parameters are not valid',
      errors: { value: ['must be present and non-empty'] },
    });
    const { errors } = await pair.ask('{ clusterSearch(value: " ") { id } }');
    expect(errors[0]?.extensions['userErrors']).toMatchObject([
      { message: 'must be present and non-empty', parameter: 'value' },
    ]);
  });

  it('that went wrong without bad input has a message alone', async () => {
    const { envelope } = await send(pair.sandbox, '/v7.0/components/999');
    expect(envelope).toEqual({ status: false, response: null, message: expect.any(String), errors: null });
    const { data, errors } = await pair.ask('{ component(id: 999) { name } }');
    expect([data, errors]).toEqual([{ component: null }, expect.any(Array)]);
  });

  it('to OPTIONS says the version of the protocol', async () => {
    expect((await options('/')).envelope['version']).toMatch(/^\d+\.\d+$/);
    expect((await send(pair.sandbox, '/v7.0/cluster')).envelope).not.toHaveProperty('version');
  });

  it('with an association has its identifier and label', async () => {
    const { envelope } = await send(pair.sandbox, '/v7.0/datasets/12');
    expect(envelope['response']?.['dataset']?.['user']).toMatchObject({ id: 2, login: 'user' });
    const { data } = await pair.ask('{ dataset(id: 12) { user { databaseId login } } }');
    expect(data).toEqual({ dataset: { user: { databaseId: 2, login: 'user' } } });
  });

  it('about an association names where its choices are', async () => {
    const { input } = await told('/v7.0/datasets?method=GET');
    const { type, resource, value_id, value_label, value, choices } = input?.['parameters']?.['user'] ?? {};
    expect([type, resource, value_id, value_label]).toEqual(['Resource', ['user'], 'id', 'login']);
    expect(value).toBeNull();
    expect(choices).toEqual({ path: '/v7.0/users', method: 'GET', help: '/v7.0/users?method=GET' });
  });
});

describe('a layout', () => {
  it.each([
    ['object', '/v7.0/datasets/{dataset_id}', 'GET', 'dataset'],
    ['object_list', '/v7.0/datasets', 'GET', 'datasets'],
    ['hash', '/v7.0/cluster/full_stats', 'GET', 'cluster'],
    ['hash_list', '/v7.0/cluster/search', 'POST', 'clusters'],
  ])('%s is described, with its namespace', async (layout, path, method, namespace) => {
    const { output } = await told(`${path.replace('{dataset_id}', '12')}?method=${method}`);
    expect(output).toMatchObject({ layout, namespace });
    const input = method === 'POST' ? '{"cluster":{"value":"novak"}}' : '';
    const target = path.replace('{dataset_id}', '12');
    const { envelope } = input === '' ? await send(pair.sandbox, target) : await post(target, input);
    expect(Array.isArray(envelope['response']?.[namespace])).toBe(layout.endsWith('list'));
  });

  it('of the public statistics is an object', async () => {
    expect((await told('/v7.0/cluster/public_stats?method=GET'))['output']).toMatchObject({
      layout: 'object',
    });
  });
});

describe('OPTIONS', () => {
  it('of the root describes all versions', async () => {
    const all = await told('/');
    expect(all['default_version']).toBe('7.0');
    expect(keys(all['versions'])).toEqual(['default', '7.0', '5.0']);
    expect(all['versions']?.['default']).toEqual(all['versions']?.['7.0']);
  });

  it('of a version describes it', async () => {
    const version = await told('/v7.0/');
    expect(keys(version)).toEqual(expect.arrayContaining(['authentication', 'resources', 'meta', 'help']));
    expect([version['meta']?.['namespace'], version['help']]).toEqual(['_meta', '/v7.0/']);
    expect((await told('/'))['versions']?.['7.0']).toEqual(version);
  });

  it('lists the versions when asked', async () => {
    expect(await told('/?describe=versions')).toEqual({ versions: ['7.0', '5.0'], default: '7.0' });
  });

  it('describes the default version when asked', async () => {
    expect(await told('/?describe=default')).toEqual(await told('/v7.0/'));
  });

  it('of an action’s path describes it, told apart by method', async () => {
    const [index, create] = [
      await told('/v7.0/datasets?method=GET'),
      await told('/v7.0/datasets?method=POST'),
    ];
    expect([index['method'], create['method'], create['blocking']]).toEqual(['GET', 'POST', true]);
    const dataset = (await told('/v7.0/'))['resources']?.['dataset']?.['actions'];
    expect([index, create]).toEqual([dataset?.['index'], dataset?.['create']]);
  });

  it('describes a resource by description, actions and nested resources', async () => {
    const dataset = (await told('/v7.0/'))['resources']?.['dataset'];
    expect(keys(dataset)).toEqual(expect.arrayContaining(['description', 'actions', 'resources']));
    expect(keys(dataset?.['resources'])).toEqual(
      expect.arrayContaining(['snapshot', 'plan', 'property_history']),
    );
  });

  it('describes an action by its keys', async () => {
    const action = await told('/v7.0/datasets?method=POST');
    const named = [
      'auth',
      'description',
      'aliases',
      'blocking',
      'input',
      'output',
      'examples',
      'meta',
      'path',
      'method',
      'help',
    ];
    expect(keys(action)).toEqual(expect.arrayContaining(named));
    expect(keys(action['input'])).toEqual(expect.arrayContaining(['layout', 'namespace', 'parameters']));
    expect((await options(String(action['help']))).envelope['response']).toEqual(action);
  });

  it('names the aliases of actions', async () => {
    const actions = (await told('/v7.0/'))['resources']?.['dataset']?.['actions'];
    const names = ['index', 'show', 'create', 'delete'].map((name) => actions?.[name]?.['aliases']);
    expect(names).toEqual([['list'], ['find'], ['new'], ['destroy']]);
  });

  it('describes a parameter by its keys', async () => {
    const { input } = await told('/_auth/token/tokens?method=POST');
    const password = input?.['parameters']?.['password'];
    const named = ['required', 'label', 'description', 'type', 'validators', 'default', 'protected'];
    expect(keys(password)).toEqual(expect.arrayContaining(named));
    expect(password).toMatchObject({ type: 'String', required: true, protected: true });
  });

  it('knows the types of the document', async () => {
    const types = new Set(
      [...JSON.stringify(await told('/v7.0/')).matchAll(/"type":"(\w+)"/g)].map(([, type]) => type),
    );
    expect([...types].sort()).toEqual([
      'Boolean',
      'Custom',
      'Datetime',
      'Float',
      'Integer',
      'Resource',
      'String',
      'Text',
    ]);
  });

  it('shows examples by their keys', async () => {
    const { examples } = await told('/v7.0/components/2?method=GET');
    const [shown] = examples as unknown as readonly Json[];
    const named = [
      'title',
      'path_params',
      'request',
      'response',
      'status',
      'message',
      'errors',
      'http_status',
      'comment',
    ];
    expect(keys(shown)).toEqual(expect.arrayContaining(named));
  });

  it('announces the methods of authentication, tokens by header and query parameter', async () => {
    const { authentication } = await told('/v7.0/');
    expect(authentication).toMatchObject({
      basic: {},
      token: { http_header: 'X-Service-Auth-Token', query_parameter: '_auth_token' },
    });
    expect(keys(authentication?.['token']?.['resources']?.['token']?.['actions'])).toEqual(
      expect.arrayContaining(['request', 'renew', 'revoke', 'totp']),
    );
  });
});

describe('versions', () => {
  it('are in the paths of actions, and not in those of tokens', async () => {
    const described = JSON.stringify((await told('/v7.0/'))['resources']);
    const paths = [...described.matchAll(/"path":"(\/[^"]+)"/g)].map(([, path]) => path ?? '');
    expect(paths.filter((path) => !path.startsWith('/v7.0/'))).toEqual([]);
    expect((await told('/_auth/token/tokens?method=POST'))['path']).toBe('/_auth/token/tokens');
  });
});
