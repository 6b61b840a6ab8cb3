// Tests that real descriptions assemble to complete and stable schemas.

import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { type GraphQLSchema, isObjectType, lexicographicSortSchema, printSchema } from 'graphql';
import { describe, expect, it } from 'vitest';
import { type AssembledSchema, assembleSchema } from '../../../src/schema/assemble.ts';
import type { Resource } from '../../../src/upstream/description/description.ts';
import { parseDescription } from '../../../src/upstream/description/parse-description.ts';
import { problemsOf } from '../../helpers/schema-problems.ts';

const DATA = new URL('../../../../shared/data/', import.meta.url);

/** Reads a real response to OPTIONS. Returns null if the directory ../shared does not exist. */
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

/** Returns the descriptions of all fields. */
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
  if (raw === null) console.warn(`skipped: ../shared/data/${file} does not exist`);

  it.skipIf(raw === null)('assembles to a valid schema that omits nothing', () => {
    const description = parseDescription(raw);
    expect(description.resources).toHaveLength(resources);
    expect(description.findings).toEqual([]);
    const { schema, findings } = assembleSchema(description);
    expect(problemsOf(schema)).toEqual([]);
    // Two enums have the same plain name. The finding reports the rename, and nothing is missing.
    expect(findings.filter(({ code }) => code !== 'TYPE_NAME_CLASH')).toEqual([]);
  });

  it.skipIf(raw === null)('has a field for each action, whose description contains the scope', () => {
    const description = parseDescription(raw);
    const { schema } = assembleSchema(description);
    const text = fieldDescriptions(schema);
    const missing = scopesOf(description.resources).filter(
      (scope) => scope !== 'action_state#poll' && !text.includes(`\`${scope}\``),
    );
    expect(missing).toEqual([]);
  });

  it.skipIf(raw === null)('assembles to the same schema each time', () => {
    const assemble = (): AssembledSchema => assembleSchema(parseDescription(raw));
    expect(sdlOf(assemble().schema)).toBe(sdlOf(assemble().schema));
  });
});

describe('the production schema', () => {
  const raw = read('production-description.json.gz');
  const types = raw === null ? {} : assembleSchema(parseDescription(raw)).schema.getTypeMap();
  const fieldsOf = (name: string): string[] => {
    const type = types[name];
    return isObjectType(type) ? Object.keys(type.getFields()) : [];
  };

  it.skipIf(raw === null)('applies the naming rules for reserved, plural and clashing names', () => {
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

  it.skipIf(raw === null)('has a field on ActionState for a resource that shares its IDs', () => {
    expect(fieldsOf('ActionState')).toContain('transactionChain');
  });

  it.skipIf(raw === null)('names reverse edges after the list or after the filter', () => {
    expect(fieldsOf('User')).toEqual(expect.arrayContaining(['dnsRecords', 'incidentReportsByFiledBy']));
    expect(fieldsOf('DnsZone')).toContain('dnsRecords');
    expect(fieldsOf('Pool')).toContain('datasetsByPrimaryPool');
    expect(fieldsOf('Dataset')).toContain('relatedDatasets');
  });

  it.skipIf(raw === null)('has a type for a resource that is only referred to', () => {
    expect(fieldsOf('Mailbox')).toEqual(expect.arrayContaining(['id', 'databaseId', 'label']));
  });

  it.skipIf(raw === null)(
    'places other reads on objects and at the root, and serves them as plain lists',
    () => {
      expect(fieldsOf('User')).toContain('availableIps');
      const query = types['Query'];
      const field = isObjectType(query) ? query.getFields()['nodePublicStatus'] : undefined;
      expect(String(field?.type)).toBe('[NodeResourcePublicStatus]');
    },
  );
});
