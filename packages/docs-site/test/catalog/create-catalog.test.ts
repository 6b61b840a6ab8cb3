// Tests what a site tells of a schema: its examples, its codes, and where it explains what.
import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { type GraphQLSchema, parse, validate } from 'graphql';
import { describe, expect, it } from 'vitest';
import { builtInOverrides } from '../../../../src/facade/built-in-overrides.ts';
import { assembleSchema } from '../../../../src/schema/assemble.ts';
import { USER_ERROR_CODES } from '../../../../src/schema/resolve/field-errors.ts';
import { ERROR_CODES } from '../../../../src/server/errors.ts';
import { parseDescription } from '../../../../src/upstream/description/parse-description.ts';
import { DescriptionError } from '../../../../src/upstream/errors.ts';
import { describeApi, list, resource } from '../../../../test/helpers/describe-api.ts';
import { startPair } from '../../../../test/helpers/facade.ts';
import { hostileDescription } from '../../../../test/helpers/hostile-descriptions.ts';
import type { Catalog } from '../../src/catalog/catalog.ts';
import { createCatalog } from '../../src/catalog/create-catalog.ts';
import { possibleCodes } from '../../src/catalog/possible-codes.ts';
import { createExample } from '../../src/examples/field-example.ts';
import { createGuideExamples } from '../../src/examples/guide-examples.ts';

const PRODUCTION = new URL('../../../../../shared/data/production-description.json.gz', import.meta.url);

function catalogOf(raw: unknown): Catalog {
  const description = parseDescription(raw);
  const { schema } = assembleSchema(description, builtInOverrides(description));
  return createCatalog({ schema, description });
}

/** The examples of all fields that a catalog explains. */
function examplesOf(catalog: Catalog) {
  const { resources, commonFields } = catalog;
  const places = [...resources.flatMap(({ actions }) => actions.map(({ main }) => main)), ...commonFields];
  return places.map((place) => ({
    place: `${place.type.name}.${place.field.name}`,
    example: createExample(catalog, place),
  }));
}

const problemsOf = (schema: GraphQLSchema, text: string): readonly string[] =>
  validate(schema, parse(text)).map(({ message }) => message);

/** Expects that each field has a valid example with values for its variables. */
function expectExamples(catalog: Catalog): void {
  for (const { place, example } of examplesOf(catalog)) {
    expect(example, place).not.toBeNull();
    expect(problemsOf(catalog.schema, example?.query ?? ''), place).toEqual([]);
    const declared = [...(example?.query.split('\n')[0] ?? '').matchAll(/\$(\w+):/g)].map(([, name]) => name);
    expect(Object.keys(JSON.parse(example?.variables ?? '{}')), place).toEqual(declared);
  }
}

describe('the sandbox', async () => {
  await using pair = await startPair();
  const { schema } = pair.facade.schema;
  const catalog = createCatalog(pair.facade.schema);

  it('has a valid example of each action and common field', () => expectExamples(catalog));

  it('has a place for each type but the roots', () => {
    const names = Object.keys(schema.getTypeMap()).filter(
      (name) => !/^(__|Query$|Mutation$|Subscription$)/.test(name),
    );
    expect(names.filter((name) => !catalog.addresses.has(name))).toEqual([]);
  });

  it('has each example of the guide, and they are valid', () => {
    const examples = createGuideExamples(catalog);
    expect([...examples.keys()]).toEqual(
      expect.arrayContaining(['list', 'object', 'page', 'create', 'action']),
    );
    for (const [name, query] of examples) expect(problemsOf(schema, query), name).toEqual([]);
  });

  it('can answer only with codes that the contract has', () => {
    const contract = readFileSync(new URL('../../../../docs/contract.md', import.meta.url), 'utf8');
    for (const action of catalog.resources.flatMap(({ actions }) => actions)) {
      const { errors, userErrors, warnings } = possibleCodes(action);
      expect(errors.filter((code) => !Object.hasOwn(ERROR_CODES, code))).toEqual([]);
      expect(userErrors.filter((code) => !Object.hasOwn(USER_ERROR_CODES, code))).toEqual([]);
      expect(warnings.filter((code) => !contract.includes(`| \`${code}\` |`))).toEqual([]);
    }
  });
});

describe('the production API', () => {
  it.skipIf(!existsSync(PRODUCTION))('has a valid example of each action', () => {
    const { response } = JSON.parse(gunzipSync(readFileSync(PRODUCTION)).toString('utf8'));
    expectExamples(catalogOf(response.versions?.default ?? response));
  });
});

describe('an unusual API', () => {
  it('has other pages for resources whose names differ in characters that files cannot have', () => {
    const shelf = resource({ index: list('shelf', 'shelves', { id: 'Integer' }) });
    const names = ['a/b', 'a b', '../a', 'A_B', 'a_b', 'con', '日本', 'x'.repeat(300)];
    const { resources } = catalogOf(describeApi(Object.fromEntries(names.map((name) => [name, shelf]))));
    const files = resources.map(({ file }) => file);
    expect(new Set(files).size).toBe(names.length);
    for (const file of files) expect(file).toMatch(/^resource-[a-z0-9-]{0,90}\.html$/);
  });

  it('has valid examples, whatever it describes', () => {
    fc.assert(
      fc.property(hostileDescription, (raw) => {
        try {
          const catalog = catalogOf(raw);
          for (const { place, example } of examplesOf(catalog))
            if (example !== null) expect(problemsOf(catalog.schema, example.query), place).toEqual([]);
        } catch (error) {
          if (!(error instanceof DescriptionError)) throw error;
        }
      }),
      { seed: 20_261_122, numRuns: 40 },
    );
  });
});
