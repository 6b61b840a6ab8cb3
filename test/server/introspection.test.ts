// Tests introspection: its cache for each schema, and its order.
import { getIntrospectionQuery, type IntrospectionQuery } from 'graphql';
import { describe, expect, it } from 'vitest';
import { sharePair } from '../helpers/shared-pair.ts';

const pair = sharePair();

interface Named {
  readonly name: string;
}

/** A type of an introspection result; its lists are null for kinds without them. */
interface Listed extends Named {
  readonly fields?: readonly (Named & { readonly args: readonly Named[] })[] | null;
  readonly inputFields?: readonly Named[] | null;
  readonly enumValues?: readonly Named[] | null;
}

describe('introspection', () => {
  it('returns the caller’s own schema, regardless of whitespace and of earlier callers', async () => {
    const layouts = ['', ' # a comment', '\n\n'].map((more) => getIntrospectionQuery() + more);
    const fieldsFor = async (query: string, login: 'admin' | 'user' | null) => {
      const { data } = await pair.ask(query, { login });
      return JSON.stringify(data).includes('"datasetMigrate"');
    };
    for (const query of [...layouts, ...layouts]) {
      expect(await fieldsFor(query, 'admin')).toBe(true);
      expect(await fieldsFor(query, 'user')).toBe(false);
      expect(await fieldsFor(query, null)).toBe(false);
    }
  });

  it('lists types, arguments and enum values by name, and fields for readers, regardless of the order in the description', async () => {
    const { data } = await pair.ask<IntrospectionQuery>(getIntrospectionQuery(), { login: null });
    const all: readonly Listed[] = data?.__schema.types ?? [];
    const types = all.filter(({ name }) => !name.startsWith('__'));
    const lists = types.flatMap(({ fields, inputFields, enumValues }) => [
      ...[inputFields, enumValues].map((list) => list ?? []),
      ...(fields ?? []).map(({ args }) => args),
    ]);
    const component = types.find(({ name }) => name === 'Component');
    expect(component).toMatchObject({
      fields: ['id', 'databaseId', 'label', 'description', 'name'].map((name) => ({ name })),
    });
    for (const list of [types, ...lists]) {
      const names = list.map(({ name }) => name);
      expect(names).toEqual([...names].sort());
    }
  });
});
