// Tests that ids, labels and objects have the same types for callers with other rights.
import { isObjectType } from 'graphql';
import { describe, expect, it } from 'vitest';
import { action, list, refersTo, resource, show } from '../helpers/describe-api.ts';
import { openDescribedCallers } from '../helpers/described.ts';
import { ok } from '../helpers/stub-upstream.ts';

const MACHINE = { id: 'Integer', name: 'String', state: 'String' } as const;

describe('an id', () => {
  it('is nullable for a caller who has no list, if the rows of the operator lack it', async () => {
    const rows = { name: 'String', state: 'String' } as const;
    const shown = resource({ show: show('machine', 'machines', MACHINE) });
    const listed = resource({
      index: list('machine', 'machines', rows),
      show: show('machine', 'machines', MACHINE),
    });
    await using api = await openDescribedCallers(
      { machine: listed },
      { anonymous: {}, shown: { machine: shown }, listed: { machine: listed } },
      'listed',
    );
    for (const caller of ['shown', 'listed']) {
      const type = (await api.schemaOf(caller)).getType('Machine');
      expect(isObjectType(type) && String(type.getFields()['id']?.type)).toBe('ID');
      expect(isObjectType(type) && type.getInterfaces()).toEqual([]);
    }
  });
});

describe('a label', () => {
  const labelled = { id: 'Integer', label: 'Integer', name: 'String' } as const;
  const user = resource({ show: show('user', 'users', labelled) });
  const machine = resource({
    show: show('machine', 'machines', { ...MACHINE, keeper: refersTo(['user'], 'name') }),
  });

  it('is not the parameter of that name for a caller who sees no association, if it is not for the operator', async () => {
    const all = { machine, user };
    await using api = await openDescribedCallers(all, { anonymous: {}, all, some: { user } }, 'all');
    const fields = await Promise.all(
      ['all', 'some'].map(async (caller) => {
        const type = (await api.schemaOf(caller)).getType('User');
        return isObjectType(type)
          ? Object.values(type.getFields()).map((field) => `${field.name}: ${String(field.type)}`)
          : [];
      }),
    );
    expect(fields).toEqual([
      ['id: ID!', 'databaseId: SafeInt', 'label: String', 'labelValue: SafeInt', 'name: String'],
      ['id: ID!', 'databaseId: SafeInt', 'labelValue: SafeInt', 'name: String'],
    ]);
  });
});

describe('an object that a caller can neither show nor list', () => {
  const output = { id: 'Integer', login: 'String' } as const;
  const current = action({ path: '/users/current', namespace: 'user', output });
  const machine = resource({
    index: list('machine', 'machines', { ...MACHINE, keeper: refersTo(['user'], 'name') }),
  });
  const all = { machine, user: resource({ current, show: show('user', 'users', output) }) };
  const some = { machine, user: resource({ current }) };
  const open = () =>
    openDescribedCallers(all, { anonymous: {}, all, some }, 'all', {
      'user#current': () => ok({ user: { id: 7, login: 'ann' } }),
      'machine#index': () => ok({ machines: [{ id: 1, keeper: { id: 7, name: 'Ann' } }] }),
    });

  it('has the outputs of the actions that answer it', async () => {
    await using api = await open();
    for (const caller of ['all', 'some'])
      expect((await api.ask(caller, '{ userCurrent { __typename databaseId login } }')).data).toEqual({
        userCurrent: { __typename: 'User', databaseId: 7, login: 'ann' },
      });
  });

  it('has an error for those that only other actions answer', async () => {
    await using api = await open();
    const { data, errors } = await api.ask('some', '{ machines { nodes { keeper { label login } } } }');
    expect(data).toEqual({ machines: { nodes: [{ keeper: { label: 'Ann', login: null } }] } });
    expect(errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
  });
});
