// Tests which actions the operator lets clients use, over each transport.
import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FacadeOptions } from '../../src/facade/facade-options.ts';
import { type RunningServer, startServer } from '../../src/server/server.ts';
import { type Pair, startPair } from '../helpers/facade.ts';
import { overSse, overWebSocket } from '../helpers/streams.ts';
import { type Send, TRANSPORTS } from '../helpers/transports.ts';

/** Starts a facade with these options before the tests of a block. */
function serve(facade: Partial<FacadeOptions>) {
  const at = {} as { pair: Pair; server: RunningServer };
  beforeAll(async () => {
    at.pair = await startPair({ facade, sandbox: { step: 'manual' } });
    at.server = await startServer(at.pair.facade, { host: '127.0.0.1', port: 0 });
  });
  afterAll(async () => {
    await at.server.close();
    await at.pair[Symbol.asyncDispose]();
  });
  const ask = (send: Send, query: string, login: 'admin' | 'user' | null = 'admin') =>
    send(at.server.url, { query }, login === null ? {} : at.pair.headers(login));
  const schema = async (send: Send, login: 'admin' | 'user' | null = 'admin') =>
    buildClientSchema(
      (await ask(send, getIntrospectionQuery(), login)).data as unknown as IntrospectionQuery,
    );
  const fields = async (send: Send, type: 'Query' | 'Mutation' | 'Dataset', login?: 'user' | null) => {
    const found = (await schema(send, login)).getType(type);
    return found && 'getFields' in found ? Object.keys(found.getFields()) : [];
  };
  return { at, ask, schema, fields };
}

const CREATE = 'mutation { datasetSnapshotCreate(dataset: 12, wait: 0.2) { actionState { id } } }';

describe('with readOnly', () => {
  const { at, ask, schema } = serve({ readOnly: true });

  const typesOf = async (send: Send, login: 'admin' | 'user' | null): Promise<readonly string[]> => {
    const { data } = await ask(send, '{ __schema { types { name } } }', login);
    const types = Object(data?.['__schema']).types as readonly { readonly name: string }[];
    return types.map(({ name }) => name).filter((name) => !name.startsWith('__'));
  };

  it.each(TRANSPORTS)('no caller has a type Mutation, nor types for one, over %s', async (_name, send) => {
    for (const login of ['admin', 'user', null] as const) {
      const { data } = await ask(send, '{ __schema { mutationType { name } } }', login);
      expect(data).toEqual({ __schema: { mutationType: null } });
      const names = Object.keys((await schema(send, login)).getTypeMap());
      expect(names.filter((name) => /^(Mutation|UserError)$|Payload$/.test(name))).toEqual([]);
      expect(await typesOf(send, login)).toEqual((await typesOf(send, login)).toSorted());
    }
  });

  it.each(TRANSPORTS)('a write is refused before any call, and reads work, over %s', async (_name, send) => {
    at.pair.calls.length = 0;
    const { errors } = await ask(send, CREATE);
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT' });
    expect(at.pair.calls).toEqual([]);
    const read = await ask(
      send,
      '{ datasets(first: 1) { nodes { id snapshots(first: 1) { nodes { id } } } } }',
    );
    expect(read.errors).toBeUndefined();
  });

  it.each([
    ['WebSocket', overWebSocket],
    ['SSE', overSse],
  ])('running actions can be followed over %s', async (_name, open) => {
    await using stream = open(
      at.server.url,
      'subscription { pendingActions { id } }',
      at.pair.headers('user'),
    );
    const event = stream.next();
    const { url, tokenHeader, users } = at.pair.sandbox;
    const token = users.find(({ login }) => login === 'user')?.token ?? '';
    const path = 'v7.0/datasets/12/snapshots';
    await fetch(new URL(path, url), {
      method: 'POST',
      headers: { 'content-type': 'application/json', [tokenHeader]: token },
      body: JSON.stringify({ snapshot: { label: 'x' } }),
    });
    expect(await event).toMatchObject({ pendingActions: { id: expect.any(String) } });
  });
});

describe('with hide', () => {
  const hide = ['**#delete', 'dataset.snapshot#*', 'action_state#*', 'token#re{quest'];
  const { at, ask, schema, fields } = serve({ hide });

  it.each(TRANSPORTS)('the matching actions have no fields over %s', async (_name, send) => {
    const mutations = await fields(send, 'Mutation');
    expect(mutations.filter((name) => /Delete$|^datasetSnapshot|^actionState/.test(name))).toEqual([]);
    expect(mutations).toContain('datasetCreate');
    expect(mutations).toContain('tokenRequest');
    expect(await fields(send, 'Dataset')).not.toContain('snapshots');
    expect((await schema(send)).getSubscriptionType()).toBeFalsy();
  });

  it.each(TRANSPORTS)(
    'a hidden action is never called, and writes do not wait, over %s',
    async (_name, send) => {
      at.pair.calls.length = 0;
      const waiting = 'mutation { datasetCreate(input: { name: "x" }, wait: 5) { userErrors { code } } }';
      for (const query of [CREATE, waiting]) {
        const { errors } = await ask(send, query);
        expect(errors?.map(({ extensions }) => extensions['code'])).toContain('BAD_USER_INPUT');
      }
      expect(at.pair.calls).toEqual([]);
    },
  );

  it('a glob that matches nothing is reported', () => {
    const { findings } = at.pair.facade.schema;
    expect(findings.filter(({ code }) => code === 'GLOB_UNMATCHED')).toEqual([
      {
        code: 'GLOB_UNMATCHED',
        path: 'token#re{quest',
        reason: 'no scope of a described action matches this glob of `expose` or `hide`',
      },
    ]);
  });
});

describe('with expose', () => {
  const { ask, fields } = serve({
    expose: ['dataset#*', 'dataset.**'],
    hide: ['dataset#create', 'token#revoke'],
  });

  it.each(TRANSPORTS)(
    'only the matching actions have fields, and those that sign in, over %s',
    async (_name, send) => {
      const rest = /^(dataset|node|nodes|session)/;
      expect((await fields(send, 'Query')).filter((name) => !rest.test(name))).toEqual([]);
      const mutations = await fields(send, 'Mutation');
      expect(mutations.filter((name) => !/^(dataset|token)/.test(name))).toEqual([]);
      expect(mutations).toContain('datasetSnapshotCreate');
      expect(mutations).toContain('tokenRequest');
      expect(mutations).not.toContain('datasetCreate');
      expect(mutations).not.toContain('tokenRevoke');
    },
  );

  it.each(TRANSPORTS)(
    'an association to a hidden resource has its id and label over %s',
    async (_name, send) => {
      const { data, errors } = await ask(send, '{ dataset(id: 12) { user { id label } } }');
      expect(errors).toBeUndefined();
      expect(data).toMatchObject({ dataset: { user: { label: expect.any(String) } } });
    },
  );

  it.each(TRANSPORTS)(
    'credentials are verified, and callers have their own schemas, over %s',
    async (_name, send) => {
      expect(await fields(send, 'Mutation')).toContain('datasetMigrate');
      expect(await fields(send, 'Mutation', 'user')).not.toContain('datasetMigrate');
      expect(await fields(send, 'Mutation', null)).not.toContain('datasetSnapshotCreate');
    },
  );
});
