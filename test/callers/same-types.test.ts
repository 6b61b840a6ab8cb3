// Tests that the type of a field does not depend on the rights of the caller.
import { isEnumType, isObjectType } from 'graphql';
import { describe, expect, it } from 'vitest';
import {
  action,
  list,
  type Raw,
  type RawParameters,
  refersTo,
  resource,
  show,
} from '../helpers/describe-api.ts';
import { openDescribedCallers } from '../helpers/described.ts';
import { ok } from '../helpers/stub-upstream.ts';

/** Describes a String with choices. */
const choice = (...values: readonly string[]): Raw => ({
  type: 'String',
  label: 'x',
  validators: { include: { values, message: 'is not offered' } },
});

const STATE = choice('active', 'on-hold');
const MACHINE = { id: 'Integer', name: 'String', state: 'String' } as const;
const reads = (output: RawParameters = MACHINE, input: RawParameters = {}) => ({
  index: list('machine', 'machines', output, { input }),
  show: show('machine', 'machines', output),
});
const update = (input: RawParameters, output: RawParameters = MACHINE) =>
  action({ path: '/machines/{machine_id}', method: 'PUT', namespace: 'machine', input, output });

const USER = { machine: resource(reads()) };
const ADMIN = { machine: resource({ ...reads(), update: update({ state: STATE }) }) };
const row = { id: 1, name: 'One', state: 'on-hold' };
const HANDLERS = {
  'machine#index': () => ok({ machines: [row] }),
  'machine#show': () => ok({ machine: row }),
  'machine#update': () => ok({ machine: { ...row, keeper: { id: 7, login: 'jane' } } }),
};
const open = (operator: string | null, anonymous: Raw = {}, more: Readonly<Record<string, Raw>> = {}) =>
  openDescribedCallers(ADMIN, { anonymous, user: USER, admin: ADMIN, ...more }, operator, HANDLERS);
const STATES = '{ machines { nodes { state } } }';
const statesAre = (state: string) => ({ data: { machines: { nodes: [{ state }] } }, errors: [] });

describe('an output whose values only some callers may write', () => {
  it('is an enum for all callers if the operator sees the values', async () => {
    await using api = await open('admin');
    for (const caller of ['user', 'admin'])
      expect(await api.ask(caller, STATES)).toMatchObject(statesAre('ON_HOLD'));
    const types = await Promise.all(
      ['user', 'admin'].map(async (caller) => (await api.schemaOf(caller)).getType('MachineState')),
    );
    expect(types.map((type) => isEnumType(type) && type.getValues().map(({ name }) => name))).toEqual([
      ['ACTIVE', 'ON_HOLD'],
      ['ACTIVE', 'ON_HOLD'],
    ]);
  });

  it('follows from the description of the caller if the operator does not see the values', async () => {
    await using api = await open(null, USER);
    expect(await api.ask('user', STATES)).toMatchObject(statesAre('on-hold'));
    expect(await api.ask('admin', STATES)).toMatchObject(statesAre('ON_HOLD'));
  });

  it('has the values that the operator sees, if a caller sees fewer', async () => {
    const few = { machine: resource({ ...reads(), update: update({ state: choice('active') }) }) };
    await using api = await open('admin', {}, { few });
    expect(await api.ask('few', STATES)).toMatchObject(statesAre('ON_HOLD'));
  });

  it('changes for all callers with the operator’s description', async () => {
    await using api = await open('admin');
    expect(await api.ask('user', STATES)).toMatchObject(statesAre('ON_HOLD'));
    await api.describe({ anonymous: {}, user: USER, admin: USER });
    for (const caller of ['user', 'admin'])
      expect(await api.ask(caller, STATES)).toMatchObject(statesAre('on-hold'));
    await api.describe({ anonymous: {}, user: USER, admin: ADMIN });
    for (const caller of ['user', 'admin'])
      expect(await api.ask(caller, STATES)).toMatchObject(statesAre('ON_HOLD'));
  });
});

describe('a payload', () => {
  const login = { keeper: refersTo(['user'], 'login') };
  const user = resource({ show: show('user', 'users', { id: 'Integer', login: 'String' }) });
  const write = update({ name: 'String' }, { ...MACHINE, ...login });
  const all = { machine: resource({ ...reads({ ...MACHINE, ...login }), update: write }), user };
  const some = { machine: resource({ ...reads(), update: write }), user };
  const RENAME = 'mutation { machineUpdate(id: 1, input: { name: "One" }) { machine { name } } }';

  it('has no field for an output that objects have and only the operator sees there', async () => {
    await using api = await openDescribedCallers(all, { anonymous: {}, some, all }, 'all', HANDLERS);
    const fields = await Promise.all(
      ['some', 'all'].map(async (caller) => {
        const type = (await api.schemaOf(caller)).getType('MachineUpdatePayload');
        return isObjectType(type) ? Object.keys(type.getFields()) : [];
      }),
    );
    expect(fields).toEqual([
      ['machine', 'query', 'userErrors'],
      ['machine', 'query', 'userErrors'],
    ]);
    expect((await api.ask('some', RENAME)).data).toEqual({ machineUpdate: { machine: { name: 'One' } } });
  });

  it('has the object of an association that no object of the resource has', async () => {
    await using api = await openDescribedCallers(all, { anonymous: {}, some }, 'some', HANDLERS);
    const { data, errors } = await api.ask(
      'some',
      'mutation { machineUpdate(id: 1, input: {}) { machine { name } keeper { databaseId label } } }',
    );
    expect(errors).toEqual([]);
    expect(data).toEqual({
      machineUpdate: { machine: { name: 'One' }, keeper: { databaseId: 7, label: 'jane' } },
    });
    expect(api.upstream.calls.map(({ scope }) => scope)).toEqual(['machine#update']);
  });

  it('has the object and the type that it has for the operator, if the caller can neither show nor list it', async () => {
    const rename = (output: RawParameters) =>
      action({
        ...{ path: '/machines/{machine_id}/rename', method: 'POST', namespace: 'machine' },
        ...{ input: { name: 'String' }, output },
      });
    const full = { machine: resource({ ...reads(), rename: rename(MACHINE) }) };
    const alone = { machine: resource({ rename: rename({ id: 'Integer', name: 'String' }) }) };
    await using api = await openDescribedCallers(full, { anonymous: {}, full, alone }, 'full');
    const schema = await api.schemaOf('alone');
    const fieldsOf = (name: string) => {
      const type = schema.getType(name);
      return isObjectType(type) ? Object.keys(type.getFields()) : [];
    };
    expect(fieldsOf('MachineRenamePayload')).toEqual(['machine', 'query', 'userErrors']);
    expect(fieldsOf('Machine')).toEqual(['id', 'databaseId', 'name']);
  });
});
