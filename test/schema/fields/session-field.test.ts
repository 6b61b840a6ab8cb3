// Tests the field `session`, also for callers who cannot read the current user, and WebSockets whose credential ends.

import { assertObjectType } from 'graphql';
import { createClient } from 'graphql-ws';
import { describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { CredentialVerifier } from '../../../src/callers/credential-verifier.ts';
import { createFacade } from '../../../src/facade/facade.ts';
import type { FacadeOptions } from '../../../src/facade/facade-options.ts';
import { assembleSchema } from '../../../src/schema/assemble.ts';
import { startServer } from '../../../src/server/server.ts';
import { joinAlone } from '../../../src/sharing/local-replicas.ts';
import { parseDescription } from '../../../src/upstream/description/parse-description.ts';
import { createCredential } from '../../../src/upstream/http/caller.ts';
import { action, describeApi, list, type Raw, refersTo, resource, show } from '../../helpers/describe-api.ts';
import { ask, collectLog, type Pair, startPair } from '../../helpers/facade.ts';
import { ok, startStub } from '../../helpers/stub-upstream.ts';

const SESSION = '{ session { authenticated method expiresAt } }';
const SIGN_IN = `mutation ($input: TokenRequestInput!) {
  tokenRequest(input: $input) { nextMutation token: result { token validTo complete } userErrors { code } }
}`;

interface SignedIn {
  readonly tokenRequest: {
    readonly nextMutation: string | null;
    readonly token: { readonly token: string; readonly validTo: string };
  };
}

async function signIn(pair: Pair, user = 'user'): Promise<SignedIn['tokenRequest']> {
  const input = { user, password: 'sandbox', lifetime: 'RENEWABLE_MANUAL', interval: 600 };
  const { data, errors } = await pair.ask<SignedIn>(SIGN_IN, { login: null, variables: { input } });
  expect(errors).toEqual([]);
  if (data === null) throw new Error('expected to be signed in');
  return data.tokenRequest;
}

const CURRENT = action({
  path: '/users/current',
  namespace: 'user',
  output: { id: 'Integer', name: 'String' },
});
const step = (...inputs: string[]) => ({
  ...action({
    path: '/_auth/request',
    method: 'POST',
    namespace: 'token',
    input: Object.fromEntries(inputs.map((name) => [name, { type: 'String', required: true }])),
    output: { token: 'String' },
  }),
  auth: false,
});

/** The field `session.user` of an API with these resources, to whose objects those of `item` refer. */
function userField(resources: Record<string, Readonly<Record<string, Raw>>>, request: Raw) {
  const described = Object.entries(resources).map(([name, actions]) => [
    name,
    resource({ ...actions, show: show(name, `${name}s`, { id: 'Integer', name: 'String' }) }),
  ]);
  const references = Object.fromEntries(Object.keys(resources).map((name) => [name, refersTo([name])]));
  const item = resource({
    index: action({ path: '/items', namespace: 'items', layout: 'object_list', output: references }),
  });
  const raw = describeApi({ ...Object.fromEntries(described), item });
  const token = { http_header: 'X-Token', query_parameter: 't', resources: { token: resource({ request }) } };
  const { schema } = assembleSchema(parseDescription({ ...raw, authentication: { token } }));
  return assertObjectType(schema.getType('CallerSession')).getFields()['user'];
}

describe('the session', () => {
  it('describes the caller without a call', async () => {
    await using pair = await startPair();
    expect(await pair.ask(SESSION, { login: null })).toMatchObject({
      calls: 0,
      data: { session: { authenticated: false, method: null, expiresAt: null } },
    });
    expect(await pair.ask(SESSION, { login: 'user' })).toMatchObject({
      calls: 0,
      data: { session: { authenticated: true, method: 'TOKEN', expiresAt: null } },
    });
    const basic = { authorization: `Basic ${Buffer.from('user:sandbox').toString('base64')}` };
    expect((await ask(pair.facade, SESSION, { headers: basic })).data).toMatchObject({
      session: { method: 'BASIC' },
    });
  });

  it('says who is signed in, where the API describes an action for that', async () => {
    await using pair = await startPair();
    const query = '{ session { user { id label fullName } } }';
    expect(await pair.ask(query, { login: 'user' })).toMatchObject({
      calls: 1,
      errors: [],
      data: { session: { user: { id: 'user/2', label: 'user' } } },
    });
    expect(await pair.ask('{ session { authenticated } }', { login: 'user' })).toMatchObject({ calls: 0 });
    expect(await pair.ask(query, { login: null })).toMatchObject({
      status: 200,
      calls: 0,
      errors: [],
      data: { session: { user: null } },
    });
  });

  it('has a user only where the description tells which action answers it', () => {
    const user = { current: CURRENT };
    expect(String(userField({ user }, step('user'))?.type)).toBe('User');
    expect(String(userField({ user }, step('name'))?.type), 'by its label').toBe('User');
    expect(userField({ user }, step('pin')), 'signing in names no user').toBeUndefined();
    expect(userField({ user: { current: { ...CURRENT, auth: false } } }, step('user'))).toBeUndefined();
    expect(String(userField({ user: { whoami: CURRENT } }, step('user'))?.type), 'any name').toBe('User');
    expect(
      userField({ user: { ...user, whoami: CURRENT } }, step('user')),
      'two such actions',
    ).toBeUndefined();
    expect(userField({ user, guest: user }, step('user', 'guest')), 'two such resources').toBeUndefined();
  });

  it('has the expiry of a token that was issued through the facade, also after its renewal', async () => {
    await using pair = await startPair();
    const { token, nextMutation } = await signIn(pair);
    expect(nextMutation).toBeNull();
    const headers = { [pair.sandbox.tokenHeader]: token.token };
    const readEnd = async () =>
      (await ask<{ session: { expiresAt: string } }>(pair.facade, SESSION, { headers })).data?.session
        .expiresAt;
    expect(await readEnd()).toBe(token.validTo);
    const renewed = await ask<{ tokenRenew: { token: { validTo: string } } }>(
      pair.facade,
      'mutation { tokenRenew { token: result { validTo } userErrors { message } } }',
      { headers },
    );
    expect(renewed.errors).toEqual([]);
    expect(await readEnd()).toBe(renewed.data?.tokenRenew.token.validTo);
  });
});

describe('a WebSocket whose credential ends', () => {
  it('sends the error to each running operation and closes with 4403, so that graphql-ws reconnects with new params', async () => {
    await using pair = await startPair({
      facade: { shared: { verifier: new CredentialVerifier(joinAlone(), 50) } },
    });
    await using server = await startServer(pair.facade, { host: '127.0.0.1', port: 0 });
    const tokens = [(await signIn(pair)).token.token, (await signIn(pair)).token.token];
    const given: string[] = [];
    const closed: unknown[] = [];
    const client = createClient({
      url: server.url.replace('http', 'ws'),
      webSocketImpl: WebSocket,
      lazy: false,
      retryAttempts: 1,
      retryWait: async () => undefined,
      connectionParams: () => {
        given.push(tokens[given.length] ?? '');
        return { [pair.sandbox.tokenHeader]: given.at(-1) ?? '' };
      },
      on: { closed: (event) => closed.push((event as { code: number }).code) },
    });
    const codes: unknown[] = [];
    const ended = [1, 2].map(
      () =>
        new Promise<void>((resolve) => {
          client.subscribe(
            { query: 'subscription { pendingActions { id } }' },
            {
              next: () => undefined,
              complete: resolve,
              error: (errors) => {
                codes.push(
                  ...(errors as readonly { extensions: { code: string } }[]).map((e) => e.extensions.code),
                );
                resolve();
              },
            },
          );
        }),
    );
    await expect.poll(() => pair.facade.watcher.watched).toBe(2);
    const headers = { [pair.sandbox.tokenHeader]: tokens[0] ?? '' };
    await fetch(`${pair.sandbox.url}/_auth/token/tokens/revoke`, { method: 'POST', headers });
    await Promise.all(ended);
    expect(codes).toEqual(['UNAUTHENTICATED', 'UNAUTHENTICATED']);
    await expect.poll(() => closed).toEqual([4403]);
    await expect.poll(() => given.length).toBe(2);
    await client.dispose();
  });
});

const MEMBER = {
  id: 'Integer',
  name: 'String',
  email: 'String',
  team: refersTo(['team']),
} as const;
const current = action({ path: '/members/current', namespace: 'member', output: MEMBER });
const member = resource({ current, show: show('member', 'members', MEMBER) });
const team = resource({ show: show('team', 'teams', { id: 'Integer', name: 'String', secret: 'String' }) });
const notice = resource({ index: list('notice', 'notices', { id: 'Integer' }, { auth: false }) });
const loan = resource({ index: list('loan', 'loans', { id: 'Integer', member: refersTo(['member']) }) });
const request = action({
  path: '/_auth/request',
  method: 'POST',
  namespace: 'token',
  input: { member: 'String' },
  output: { token: 'String' },
  auth: false,
});

const describeAll = (resources: Raw): Raw => ({
  ...describeApi(resources),
  authentication: {
    token: {
      http_header: 'X-Library-Token',
      query_parameter: 'token',
      resources: { token: resource({ request }) },
    },
  },
});
const WHOLE = describeAll({ member, team, notice, loan });

const ID = '{ session { user { id databaseId label __typename } } }';
const MORE = '{ session { user { name email team { id label } } } }';

/** Opens a facade over an API that describes something else to each caller: to the operator, who has the token `operator`, all. */
async function open(described: Readonly<Record<string, Raw>>, options: Partial<FacadeOptions> = {}) {
  const stub = await startStub(WHOLE, {
    'member#current': () => ok({ member: { id: 7, name: 'Ann', email: 'a@b', team: null, role: 'guest' } }),
  });
  const descriptions = new Map<string, Raw>(Object.entries({ operator: WHOLE, ...described }));
  stub.onOptions = ({ 'x-library-token': token = 'anonymous' }, { search }) =>
    ok(search.startsWith('?method=') ? {} : (descriptions.get(String(token)) ?? WHOLE));
  const facade = await createFacade({
    upstream: stub.url,
    descriptionCredential: createCredential('token', 'x-library-token', 'operator'),
    log: collectLog(),
    ...options,
  });
  return {
    stub,
    facade,
    descriptions,
    ask: (query: string, token?: string) =>
      ask(facade, query, token === undefined ? {} : { headers: { 'x-library-token': token } }),
    async [Symbol.asyncDispose]() {
      await facade.close();
      await stub[Symbol.asyncDispose]();
    },
  };
}

const NOBODY = { status: 200, errors: [], data: { session: { user: null } } };

describe('session.user of an anonymous caller', () => {
  it('is null, with the fields that the API describes to anonymous callers', async () => {
    await using at = await open({});
    for (const query of [ID, MORE]) expect(await at.ask(query)).toMatchObject(NOBODY);
    expect(at.stub.calls).toEqual([]);
    expect((await at.ask(ID, 'ann')).data).toEqual({
      session: { user: { id: 'member/7', databaseId: 7, label: 'Ann', __typename: 'Member' } },
    });
  });

  it('is null, with id and label alone, where the API hides users from anonymous callers', async () => {
    await using at = await open({ anonymous: describeAll({ notice }) });
    expect(await at.ask(ID)).toMatchObject(NOBODY);
    const { errors } = await at.ask(MORE);
    expect(errors.map(({ message }) => message)).toEqual([
      expect.stringContaining('"name"'),
      expect.stringContaining('"email"'),
      expect.stringContaining('"team"'),
    ]);
    expect((await at.ask(MORE, 'ann')).errors).toEqual([]);
  });

  it('has the enums that other callers have, though only they see the input with the values', async () => {
    const role = { type: 'String', label: 'Role', validators: { include: { values: ['clerk', 'guest'] } } };
    const output = { ...MEMBER, role: 'String' } as const;
    const update = action({
      path: '/members/{member_id}',
      method: 'PUT',
      namespace: 'member',
      input: { role },
      output,
    });
    const users = {
      current: action({ path: '/members/current', namespace: 'member', output }),
      show: show('member', 'members', output),
    };
    const operator = describeAll({ member: resource({ ...users, update }), team, notice, loan });
    const anonymous = describeAll({ member: resource(users), team, notice, loan });
    await using at = await open({ operator, anonymous, ann: anonymous });
    const TYPE = '{ __type(name: "Member") { fields { name type { name kind } } } }';
    for (const caller of [undefined, 'ann', 'operator']) {
      const { data } = await at.ask(TYPE, caller);
      const role = { name: 'role', type: { name: 'MemberRole', kind: 'ENUM' } };
      expect(data?.['__type']).toMatchObject({ fields: expect.arrayContaining([role]) });
      expect((await at.ask('{ session { user { role } } }', caller)).data).toEqual({
        session: { user: caller === undefined ? null : { role: 'GUEST' } },
      });
    }
  });

  it('opens no field of another resource that needs a credential', async () => {
    await using at = await open({});
    const types =
      '{ team: __type(name: "Team") { fields { name } } query: __type(name: "Query") { fields { name } } }';
    const { data } = await at.ask(types);
    const names = (type: unknown) => (type as { fields: { name: string }[] }).fields.map(({ name }) => name);
    expect(names(data?.['team'])).toEqual(['id', 'databaseId', 'label']);
    expect(names(data?.['query'])).toEqual(['notices', 'session']);
  });

  it('does not exist where the operator hides the action', async () => {
    await using at = await open({}, { hide: ['member#*'] });
    expect((await at.ask(ID)).errors[0]?.message).toContain('Cannot query field "user"');
  });

  it('follows a description of the operator that changes', async () => {
    const without = describeAll({ team, notice, loan });
    await using at = await open({ operator: without, anonymous: describeAll({ notice }) });
    expect((await at.ask(ID)).errors[0]?.message).toContain('Cannot query field "user"');
    at.descriptions.set('operator', WHOLE);
    await at.facade.refresh();
    expect(await at.ask(ID)).toMatchObject(NOBODY);
  });
});

describe('session.user of a caller with a credential who has no action for it', () => {
  it('is FORBIDDEN, and null', async () => {
    await using at = await open({ limited: describeAll({ notice, loan }) });
    const { data, errors } = await at.ask(ID, 'limited');
    expect(data).toEqual({ session: { user: null } });
    expect(errors).toMatchObject([{ path: ['session', 'user'], extensions: { code: 'FORBIDDEN' } }]);
  });
});
