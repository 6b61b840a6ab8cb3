// Tests that facts about one API apply to no other.
import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { builtInOverrides } from '../../src/facade/built-in-overrides.ts';
import { assembleSchema } from '../../src/schema/assemble.ts';
import { parseOverrides } from '../../src/schema/model/overrides.ts';
import { parseDescription } from '../../src/upstream/description/parse-description.ts';
import { action, describeApi, type RawAction, resource } from '../helpers/describe-api.ts';

const PRODUCTION = new URL('../../../shared/data/production-description.json.gz', import.meta.url);

/** An API whose resource `cluster` has an action `search`. */
const withSearch = (search: Omit<RawAction, 'path' | 'namespace'>) => {
  const described = action({ method: 'POST', path: '/search', namespace: 'cluster', ...search });
  return parseDescription(describeApi({ cluster: resource({ search: described }) }));
};

describe('the built-in overrides', () => {
  it('make a search a query, which that API sends as POST', () => {
    const description = withSearch({
      input: { value: 'String' },
      output: { resource: 'String', id: 'Integer', attribute: 'String', value: 'String' },
      layout: 'hash_list',
    });
    const { schema } = assembleSchema(description, builtInOverrides(description));
    expect(schema.getQueryType()?.getFields()).toHaveProperty('clusterSearchResults');
    expect(schema.getMutationType()).toBeFalsy();
  });

  it.each([
    { input: { pattern: 'String' }, output: { found: 'Integer' } },
    { input: { value: 'String' }, output: { id: 'Integer', value: 'String' } },
    { input: { value: 'String' }, blocking: true },
  ])('leave a search of another API a mutation: %j', (search) => {
    const description = withSearch(search);
    expect(builtInOverrides(description)).toEqual({});
    const { schema } = assembleSchema(description, builtInOverrides(description));
    expect(schema.getMutationType()?.getFields()).toHaveProperty('clusterSearch');
    expect(schema.getQueryType()?.getFields()).not.toHaveProperty('clusterSearch');
  });

  it('give way to those of the operator', () => {
    const { schema } = assembleSchema(
      withSearch({ input: { pattern: 'String' }, output: { found: 'Integer' } }),
      {
        queries: ['cluster#search'],
      },
    );
    expect(schema.getQueryType()?.getFields()).toHaveProperty('clusterSearch');
  });

  it.skipIf(!existsSync(PRODUCTION))('know the API that they are about, and are valid', () => {
    const { response } = JSON.parse(gunzipSync(readFileSync(PRODUCTION)).toString());
    const description = parseDescription(response.versions?.default ?? response);
    const overrides = builtInOverrides(description);
    expect(Object.keys(overrides.names ?? {})).toHaveLength(20);
    const unusable = assembleSchema(description, overrides).findings.filter(({ path }) =>
      path.startsWith('names.'),
    );
    expect(unusable).toEqual([]);
    // The description is that of a user who may not search.
    expect(Object.keys(overrides).sort()).toEqual([
      'actionStateResources',
      'bigInts',
      'names',
      'pathIds',
      'references',
    ]);
    expect(parseOverrides(overrides)).toEqual(overrides);
  });
});
