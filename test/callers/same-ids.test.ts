// Tests that ids and labels do not depend on the rights of the caller.
import { isObjectType } from 'graphql';
import { describe, expect, it } from 'vitest';
import { refersTo, resource } from '../helpers/describe-api.ts';
import { list, show } from '../helpers/described.ts';
import { openDescribedCallers } from '../helpers/described-callers.ts';

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
      ['databaseId: SafeInt', 'id: ID!', 'label: String', 'labelResource: SafeInt', 'name: String'],
      ['databaseId: SafeInt', 'id: ID!', 'labelResource: SafeInt', 'name: String'],
    ]);
  });
});
