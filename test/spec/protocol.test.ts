// Tests requests, responses, layouts, descriptions and versions of the protocol.
import { describe, expect, it } from 'vitest';
import { admin, type Json, type Reply, send } from '../helpers/sandbox-requests.ts';
import { sharePair } from '../helpers/shared-pair.ts';

const pair = sharePair();

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

describe('requests', () => {
  it('[request/json] a request carries JSON, and the sandbox refuses other bodies', async () => {
    const search = '/v7.0/cluster/search';
    expect((await post(search, '{"cluster":{"value":"x"}}')).status).toBe(200);
    expect((await post(search, 'value=x', 'application/x-www-form-urlencoded')).status).toBe(415);
    expect((await post(search, '{"cluster"')).status).toBe(400);
    pair.calls.length = 0;
    await pair.ask('{ clusterSearchResults(value: "x") { databaseId } }');
    expect(pair.calls[0]?.headers['content-type']).toMatch(/^application\/json/);
  });

  it('[request/namespace] a request wraps its parameters in the namespace of its action', async () => {
    expect((await told('/v7.0/cluster/search?method=POST'))['input']?.['namespace']).toBe('cluster');
    pair.calls.length = 0;
    await pair.ask('{ clusterSearchResults(value: "novak") { databaseId } }');
    expect(pair.calls[0]?.body).toEqual({ cluster: { value: 'novak' } });
    expect((await post('/v7.0/cluster/search', '{"value":"novak"}')).envelope['status']).toBe(false);
  });

  it('[request/accept] a request asks for JSON', async () => {
    await pair.ask('{ cluster { maintenanceLock } }');
    expect(pair.calls[0]?.headers['accept']).toMatch(/^application\/json/);
    const headers = { accept: 'application/json' };
    const reply = await send(pair.sandbox, '/v7.0/cluster', undefined, { headers });
    expect(reply.headers.get('content-type')).toBe('application/json;charset=utf-8');
  });

  it('[get-input] a GET request carries its input in the query, in brackets', async () => {
    await pair.ask('{ debugArrayTops(limit: 3) { size } }');
    expect(pair.calls).toMatchObject([{ method: 'GET', query: 'debug%5Blimit%5D=3', body: undefined }]);
  });
});

describe('responses', () => {
  it('[envelope/ok] a successful response has its value under the output’s namespace and no message', async () => {
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

  it('[envelope/error, error/envelope, cluster#search/value/blank] a failed response has a message and errors by parameter', async () => {
    const { envelope } = await post('/v7.0/cluster/search', '{"cluster":{"value":" "}}');
    expect(envelope).toEqual({
      status: false,
      response: null,
      message: 'input parameters are not valid',
      errors: { value: ['must be present and non-empty'] },
    });
    const { errors } = await pair.ask('{ clusterSearchResults(value: " ") { databaseId } }');
    expect(errors[0]?.extensions['userErrors']).toMatchObject([
      { message: 'must be present and non-empty', parameter: 'value' },
    ]);
  });

  it('[error/message-alone] a failed response without faulty parameters has only a message', async () => {
    const { envelope } = await send(pair.sandbox, '/v7.0/components/999');
    expect(envelope).toEqual({ status: false, response: null, message: expect.any(String), errors: null });
    const { data, errors } = await pair.ask('{ component(id: 999) { name } }');
    expect([data, errors]).toEqual([{ component: null }, expect.any(Array)]);
  });

  it('[envelope/version] a response to OPTIONS contains the version of the protocol, and no other response does', async () => {
    expect((await options('/')).envelope['version']).toMatch(/^\d+\.\d+$/);
    expect((await send(pair.sandbox, '/v7.0/cluster')).envelope).not.toHaveProperty('version');
  });

  it('[association/value] a response has the identifier and label of an association', async () => {
    const { envelope } = await send(pair.sandbox, '/v7.0/datasets/12');
    expect(envelope['response']?.['dataset']?.['user']).toMatchObject({ id: 2, login: 'user' });
    const { data } = await pair.ask('{ dataset(id: 12) { user { databaseId login } } }');
    expect(data).toEqual({ dataset: { user: { databaseId: 2, login: 'user' } } });
  });

  it('[association/choices] a described association names the path of its choices', async () => {
    const { input } = await told('/v7.0/datasets?method=GET');
    const { type, resource, value_id, value_label, value, choices } = input?.['parameters']?.['user'] ?? {};
    expect([type, resource, value_id, value_label]).toEqual(['Resource', ['user'], 'id', 'login']);
    expect(value).toBeNull();
    expect(choices).toEqual({ path: '/v7.0/users', method: 'GET', help: '/v7.0/users?method=GET' });
  });
});

describe('layouts', () => {
  it.each([
    ['object', '/v7.0/datasets/{dataset_id}', 'GET', 'dataset'],
    ['object_list', '/v7.0/datasets', 'GET', 'datasets'],
    ['hash', '/v7.0/cluster/full_stats', 'GET', 'cluster'],
    ['hash_list', '/v7.0/cluster/search', 'POST', 'clusters'],
  ])(
    '[layout/%s] OPTIONS of %s describes the layout and namespace of the answer',
    async (layout, path, method, namespace) => {
      const { output } = await told(`${path.replace('{dataset_id}', '12')}?method=${method}`);
      expect(output).toMatchObject({ layout, namespace });
      const input = method === 'POST' ? '{"cluster":{"value":"novak"}}' : '';
      const target = path.replace('{dataset_id}', '12');
      const { envelope } = input === '' ? await send(pair.sandbox, target) : await post(target, input);
      expect(Array.isArray(envelope['response']?.[namespace])).toBe(layout.endsWith('list'));
    },
  );

  it('[cluster#public_stats/layout] the public statistics have the layout object', async () => {
    expect((await told('/v7.0/cluster/public_stats?method=GET'))['output']).toMatchObject({
      layout: 'object',
    });
  });
});

describe('OPTIONS', () => {
  it('[options/root] OPTIONS of the root describes all versions', async () => {
    const all = await told('/');
    expect(all['default_version']).toBe('7.0');
    expect(keys(all['versions'])).toEqual(['default', '7.0', '5.0']);
    expect(all['versions']?.['default']).toEqual(all['versions']?.['7.0']);
  });

  it('[options/version] OPTIONS of a version describes that version', async () => {
    const version = await told('/v7.0/');
    expect(keys(version)).toEqual(expect.arrayContaining(['authentication', 'resources', 'meta', 'help']));
    expect([version['meta']?.['namespace'], version['help']]).toEqual(['_meta', '/v7.0/']);
    expect((await told('/'))['versions']?.['7.0']).toEqual(version);
  });

  it('[options/versions] OPTIONS lists the versions with describe=versions', async () => {
    expect(await told('/?describe=versions')).toEqual({ versions: ['7.0', '5.0'], default: '7.0' });
  });

  it('[options/default] OPTIONS describes the default version with describe=default', async () => {
    expect(await told('/?describe=default')).toEqual(await told('/v7.0/'));
  });

  it('[request/options, options/action] OPTIONS of a path describes the action of the given method', async () => {
    const [index, create] = [
      await told('/v7.0/datasets?method=GET'),
      await told('/v7.0/datasets?method=POST'),
    ];
    expect([index['method'], create['method'], create['blocking']]).toEqual(['GET', 'POST', true]);
    const dataset = (await told('/v7.0/'))['resources']?.['dataset']?.['actions'];
    expect([index, create]).toEqual([dataset?.['index'], dataset?.['create']]);
  });

  it('[describe/resource] OPTIONS describes a resource by its description, actions and nested resources', async () => {
    const dataset = (await told('/v7.0/'))['resources']?.['dataset'];
    expect(keys(dataset)).toEqual(expect.arrayContaining(['description', 'actions', 'resources']));
    expect(keys(dataset?.['resources'])).toEqual(
      expect.arrayContaining(['snapshot', 'plan', 'property_history']),
    );
  });

  it('[describe/action] OPTIONS describes an action with all its keys', async () => {
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

  it('[aliases] OPTIONS names the aliases of actions', async () => {
    const actions = (await told('/v7.0/'))['resources']?.['dataset']?.['actions'];
    const names = ['index', 'show', 'create', 'delete'].map((name) => actions?.[name]?.['aliases']);
    expect(names).toEqual([['list'], ['find'], ['new'], ['destroy']]);
  });

  it('[describe/parameter] OPTIONS describes a parameter with all its keys', async () => {
    const { input } = await told('/_auth/token/tokens?method=POST');
    const password = input?.['parameters']?.['password'];
    const named = ['required', 'label', 'description', 'type', 'validators', 'default', 'protected'];
    expect(keys(password)).toEqual(expect.arrayContaining(named));
    expect(password).toMatchObject({ type: 'String', required: true, protected: true });
  });

  it('[types] OPTIONS uses exactly the types of the specification', async () => {
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

  it('[describe/example] OPTIONS describes an example with all its keys', async () => {
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

  it('[describe/authentication] OPTIONS describes basic and token authentication, with the header and query parameter of tokens', async () => {
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
  it('[versions/paths] paths of actions contain the version, and those of tokens do not', async () => {
    const described = JSON.stringify((await told('/v7.0/'))['resources']);
    const paths = [...described.matchAll(/"path":"(\/[^"]+)"/g)].map(([, path]) => path ?? '');
    expect(paths.filter((path) => !path.startsWith('/v7.0/'))).toEqual([]);
    expect((await told('/_auth/token/tokens?method=POST'))['path']).toBe('/_auth/token/tokens');
  });
});
