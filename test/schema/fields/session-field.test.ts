// Tests the field `session`, and WebSockets whose credential ends.

import { assertObjectType } from 'graphql';
import { createClient } from 'graphql-ws';
import { describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { CredentialVerifier } from '../../../src/callers/credential-verifier.ts';
import { assembleSchema } from '../../../src/schema/assemble.ts';
import { startServer } from '../../../src/transports/server.ts';
import { parseDescription } from '../../../src/upstream/description/parse-description.ts';
import { action, describeApi, type Raw, refersTo, resource, show } from '../../helpers/describe-api.ts';
import { ask, type Pair, startPair } from '../../helpers/facade.ts';

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
      facade: { shared: { verifier: new CredentialVerifier({ ttl: 50 }) } },
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
