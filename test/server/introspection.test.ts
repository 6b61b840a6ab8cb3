// Tests introspection of the schemas of callers.

import { getIntrospectionQuery, type IntrospectionQuery } from 'graphql';
import { describe, expect, it } from 'vitest';
import { startPair } from '../helpers/facade.ts';

interface Named {
  readonly name: string;
}

/** An introspected type. Properties that its kind does not have are null. */
interface Listed extends Named {
  readonly fields?: readonly (Named & { readonly args: readonly Named[] })[] | null;
  readonly inputFields?: readonly Named[] | null;
  readonly enumValues?: readonly Named[] | null;
}

describe('introspection', () => {
  it('returns the schema of each caller, regardless of query layout and earlier callers', async () => {
    await using pair = await startPair();
    const layouts = ['', ' # a comment', '\n\n'].map((more) => getIntrospectionQuery() + more);
    const fieldsFor = async (query: string, as: 'admin' | 'user' | null) => {
      const { data } = await pair.ask(query, { as });
      return JSON.stringify(data).includes('"datasetMigrate"');
    };
    for (const query of [...layouts, ...layouts]) {
      expect(await fieldsFor(query, 'admin')).toBe(true);
      expect(await fieldsFor(query, 'user')).toBe(false);
      expect(await fieldsFor(query, null)).toBe(false);
    }
  });

  it('sorts types, fields, arguments and enum values by name', async () => {
    await using pair = await startPair();
    const { data } = await pair.ask<IntrospectionQuery>(getIntrospectionQuery(), { as: null });
    const all: readonly Listed[] = data?.__schema.types ?? [];
    const types = all.filter(({ name }) => !name.startsWith('__'));
    const lists = types.flatMap(({ fields, inputFields, enumValues }) => [
      ...[fields, inputFields, enumValues].map((list) => list ?? []),
      ...(fields ?? []).map(({ args }) => args),
    ]);
    const component = types.find(({ name }) => name === 'Component');
    expect(component).toMatchObject({
      fields: ['databaseId', 'description', 'id', 'label', 'name'].map((name) => ({ name })),
    });
    for (const list of [types, ...lists]) {
      const names = list.map(({ name }) => name);
      expect(names).toEqual([...names].sort());
    }
  });
});
