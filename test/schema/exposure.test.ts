// Tests which actions the operator lets clients use.
import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery, isObjectType } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FacadeOptions } from '../../src/facade/facade-options.ts';
import { type Pair, startPair } from '../helpers/facade.ts';
import { overSse } from '../helpers/streams.ts';

type Login = 'admin' | 'user' | null;

/** Starts a facade with these options before the tests of a block. */
function serve(facade: Partial<FacadeOptions>) {
  const at = {} as { pair: Pair };
  beforeAll(async () => {
    at.pair = await startPair({ facade, sandbox: { step: 'manual' } });
  });
  afterAll(() => at.pair[Symbol.asyncDispose]());
  const schema = async (login: Login = 'admin') => {
    const { data } = await at.pair.ask<IntrospectionQuery>(getIntrospectionQuery(), { login });
    return buildClientSchema(data as IntrospectionQuery);
  };
  const fields = async (name: 'Query' | 'Mutation' | 'Dataset', login?: Login) => {
    const type = (await schema(login)).getType(name);
    return isObjectType(type) ? Object.keys(type.getFields()) : [];
  };
  return { at, schema, fields };
}

const CREATE = 'mutation { datasetSnapshotCreate(dataset: 12, wait: 0.2) { actionState { id } } }';

describe('with readOnly', () => {
  const { at, schema } = serve({ readOnly: true });

  it('no caller has a type Mutation, nor types for one', async () => {
    for (const login of ['admin', 'user', null] as const) {
      const types = await schema(login);
      expect(types.getMutationType()).toBeFalsy();
      const names = Object.keys(types.getTypeMap());
      expect(names.filter((name) => /^(Mutation|UserError)$|Payload$/.test(name))).toEqual([]);
    }
  });

  it('a write is refused before any call, and reads work', async () => {
    const { errors, calls } = await at.pair.ask(CREATE);
    expect(errors[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT' });
    expect(calls).toBe(0);
    const read = await at.pair.ask(
      '{ datasets(first: 1) { nodes { id snapshots(first: 1) { nodes { id } } } } }',
    );
    expect(read.errors).toEqual([]);
  });

  it('running actions can be followed', async () => {
    const { url: address } = await at.pair.listen();
    await using stream = overSse(address, 'subscription { pendingActions { id } }', at.pair.headers('user'));
    const event = stream.next();
    await fetch(new URL('v7.0/datasets/12/snapshots', at.pair.sandbox.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...at.pair.headers('user') },
      body: JSON.stringify({ snapshot: { label: 'x' } }),
    });
    expect(await event).toMatchObject({ pendingActions: { id: expect.any(String) } });
  });
});

describe('with hide', () => {
  const hide = ['**#delete', 'dataset.snapshot#*', 'action_state#*', 'token#re{quest'];
  const { at, schema, fields } = serve({ hide });

  it('the matching actions have no fields', async () => {
    const mutations = await fields('Mutation');
    expect(mutations.filter((name) => /Delete$|^datasetSnapshot|^actionState/.test(name))).toEqual([]);
    expect(mutations).toEqual(expect.arrayContaining(['datasetCreate', 'tokenRequest']));
    expect(await fields('Dataset')).not.toContain('snapshots');
    expect((await schema()).getSubscriptionType()).toBeFalsy();
  });

  it('a hidden action is never called, and writes do not wait', async () => {
    const waiting = 'mutation { datasetCreate(input: { name: "x" }, wait: 5) { userErrors { code } } }';
    for (const query of [CREATE, waiting]) {
      const { errors, calls } = await at.pair.ask(query);
      expect(errors.map(({ extensions }) => extensions['code'])).toContain('BAD_USER_INPUT');
      expect(calls).toBe(0);
    }
  });

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
  const { at, fields } = serve({
    expose: ['dataset#*', 'dataset.**'],
    hide: ['dataset#create', 'token#revoke'],
  });

  it('only the matching actions have fields, and those that sign in', async () => {
    const rest = /^(dataset|node|nodes|session)/;
    expect((await fields('Query')).filter((name) => !rest.test(name))).toEqual([]);
    const mutations = await fields('Mutation');
    expect(mutations.filter((name) => !/^(dataset|token)/.test(name))).toEqual([]);
    expect(mutations).toEqual(expect.arrayContaining(['datasetSnapshotCreate', 'tokenRequest']));
    expect(mutations).not.toContain('datasetCreate');
    expect(mutations).not.toContain('tokenRevoke');
  });

  it('an association to a hidden resource has its id and label', async () => {
    const { data, errors } = await at.pair.ask('{ dataset(id: 12) { user { id label } } }');
    expect(errors).toEqual([]);
    expect(data).toMatchObject({ dataset: { user: { label: expect.any(String) } } });
  });

  it('credentials are verified, and callers have their own schemas', async () => {
    expect(await fields('Mutation')).toContain('datasetMigrate');
    expect(await fields('Mutation', 'user')).not.toContain('datasetMigrate');
    expect(await fields('Mutation', null)).not.toContain('datasetSnapshotCreate');
  });
});
