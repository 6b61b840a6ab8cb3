import { getIntrospectionQuery } from 'graphql';
import { describe, expect, it } from 'vitest';
import { startPair } from '../helpers/facade.ts';

describe('introspection', () => {
  it('tells each caller their own schema, whatever the layout of the query and whoever asked before', async () => {
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
});
