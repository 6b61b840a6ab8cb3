import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import {
  type GraphQLSchema,
  isObjectType,
  lexicographicSortSchema,
  printSchema,
  validateSchema,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { defaultOverrides } from '../../src/overrides/defaults.ts';
import { type AssembledSchema, assembleSchema } from '../../src/schema/assemble.ts';
import type { Resource } from '../../src/upstream/description/description.ts';
import { parseDescription } from '../../src/upstream/description/parse-description.ts';

const DATA = new URL('../../../shared/data/', import.meta.url);

/** A real description, as answered to OPTIONS; null where ../shared is not there. */
function read(file: string): unknown {
  const url = new URL(file, DATA);
  if (!existsSync(url)) return null;
  const bytes = readFileSync(url);
  const { response } = JSON.parse((file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8'));
  return response.versions?.default ?? response;
}

const sdlOf = (schema: GraphQLSchema): string => printSchema(lexicographicSortSchema(schema));

const scopesOf = (resources: readonly Resource[]): string[] =>
  resources.flatMap(({ actions, resources: nested }) => [
    ...actions.map(({ scope }) => scope),
    ...scopesOf(nested),
  ]);

/** Every description of every field. */
function fieldDescriptions(schema: GraphQLSchema): string {
  return Object.values(schema.getTypeMap())
    .filter(isObjectType)
    .flatMap((type) => Object.values(type.getFields()))
    .map((field) => field.description ?? '')
    .join('\n');
}

describe.each([
  ['production-description.json.gz', 57],
  ['reference-description-user.json', 3],
  ['reference-description-anonymous.json', 2],
])('the real description %s', (file, resources) => {
  const raw = read(file);
  if (raw === null) console.warn(`skipped: ../shared/data/${file} is not there`);

  it.skipIf(raw === null)('assembles to a valid schema with nothing left out', () => {
    const description = parseDescription(raw);
    expect(description.resources).toHaveLength(resources);
    expect(description.findings).toEqual([]);
    const { schema, findings } = assembleSchema(description, defaultOverrides);
    expect(validateSchema(schema)).toEqual([]);
    // One enum of it falls on the name of another; that is told, and nothing is missing.
    expect(findings.filter(({ code }) => code !== 'TYPE_NAME_CLASH')).toEqual([]);
  });

  it.skipIf(raw === null)('has every action in some field’s description, by its scope', () => {
    const description = parseDescription(raw);
    const { schema } = assembleSchema(description, defaultOverrides);
    const text = fieldDescriptions(schema);
    const missing = scopesOf(description.resources).filter(
      (scope) => scope !== 'action_state#poll' && !text.includes(`\`${scope}\``),
    );
    expect(missing).toEqual([]);
  });

  it.skipIf(raw === null)('gives the same schema each time', () => {
    const assemble = (): AssembledSchema => assembleSchema(parseDescription(raw), defaultOverrides);
    expect(sdlOf(assemble().schema)).toBe(sdlOf(assemble().schema));
  });
});

describe('the production schema', () => {
  const raw = read('production-description.json.gz');
  const types =
    raw === null ? {} : assembleSchema(parseDescription(raw), defaultOverrides).schema.getTypeMap();
  const fieldsOf = (name: string): string[] => {
    const type = types[name];
    return isObjectType(type) ? Object.keys(type.getFields()) : [];
  };

  it.skipIf(raw === null)('names reserved, plural and clashing things as promised', () => {
    expect(Object.keys(types)).toEqual(
      expect.arrayContaining(['NodeResource', 'DatasetPlan', 'DatasetPlanAssignment']),
    );
    expect(fieldsOf('Query')).toEqual(
      expect.arrayContaining([
        'nodeResource',
        'nodeResources',
        'vpsUserDataList',
        'systemConfig',
        'userCurrent',
      ]),
    );
    expect(fieldsOf('Query')).not.toContain('actionStatePoll');
  });

  it.skipIf(raw === null)('has what shares its ids with action states as a field of them', () => {
    expect(fieldsOf('ActionState')).toContain('transactionChain');
  });

  it.skipIf(raw === null)('has reverse edges under plain names and by filter', () => {
    expect(fieldsOf('User')).toEqual(expect.arrayContaining(['dnsRecords', 'incidentReportsByFiledBy']));
    expect(fieldsOf('DnsZone')).toContain('dnsRecords');
    expect(fieldsOf('Pool')).toContain('datasetsByPrimaryPool');
    expect(fieldsOf('Dataset')).toContain('datasetsByDataset');
  });

  it.skipIf(raw === null)('has a type for what is only referred to', () => {
    expect(fieldsOf('Mailbox')).toEqual(expect.arrayContaining(['id', 'databaseId', 'label']));
  });

  it.skipIf(raw === null)('lists other reads on objects, at the root, and as plain lists', () => {
    expect(fieldsOf('User')).toContain('availableIps');
    const query = types['Query'];
    const field = isObjectType(query) ? query.getFields()['nodePublicStatus'] : undefined;
    expect(String(field?.type)).toBe('[NodeResourcePublicStatus]');
  });
});
