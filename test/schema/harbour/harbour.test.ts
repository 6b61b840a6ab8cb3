// Tests that the schema of a large made-up API, which has the habits of those that have grown for years, reads as if written by hand.

import { mkdir, writeFile } from 'node:fs/promises';
import { getDocumentNodeFromSchema } from '@graphql-tools/utils';
import {
  type DefinitionNode,
  type GraphQLNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isLeafType,
  isObjectType,
  Kind,
  visit,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { assembleSchema } from '../../../src/schema/assemble.ts';
import { createExampleTabs } from '../../../src/schema/example-tabs.ts';
import { resourceOf } from '../../../src/schema/origin.ts';
import { printDocument, printSDL } from '../../../src/schema/print-schema.ts';
import { parseDescription } from '../../../src/upstream/description/parse-description.ts';
import { describeApi, type Raw } from '../../helpers/describe-api.ts';
import { readHarbour } from './read-harbour.ts';

/** What the operator of this API knows, and the description does not say. */
const OVERRIDES = {
  names: { TugState: 'MachineState' },
  references: {
    'MonitoredEvent.objectId': { namedBy: 'object_name' },
    'OutageEntity.entityId': { namedBy: 'name' },
  },
};

const description = parseDescription(describeApi(readHarbour()));
const { schema } = assembleSchema(description, OVERRIDES);
const types = Object.values(schema.getTypeMap()).filter((type) => !isIntrospectionType(type));
const objects = types.filter((type) => isObjectType(type) || isInterfaceType(type));

/** The fields, input fields and values of a type, by coordinate. */
function membersOf(type: GraphQLNamedType) {
  const hasFields = isObjectType(type) || isInterfaceType(type) || isInputObjectType(type);
  const members = isEnumType(type) ? type.getValues() : hasFields ? Object.values(type.getFields()) : [];
  return members.map((member) => ({ ...member, coordinate: `${type.name}.${member.name}` }));
}

/** The scopes of all actions of described resources. */
const listActions = (resources: Raw, path = ''): readonly string[] =>
  Object.entries(resources).flatMap(([name, described]) => {
    const { actions, resources: nested } = described as { readonly actions: Raw; readonly resources: Raw };
    const scopes = Object.keys(actions).map((action) => `${path}${name}#${action}`);
    return [...scopes, ...listActions(nested, `${path}${name}.`)];
  });

const lettersOf = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

/** Types that follow from others: those of further families like the cranes', pages of lists, inputs and payloads. */
const DERIVED = /^(Gate|PilotBoat|Scale|Truck|Tug)[A-Z]|(Connection|Edge|Payload)$|^Mutation$/;
const READ_KINDS: readonly string[] = [Kind.OBJECT_TYPE_DEFINITION, Kind.ENUM_TYPE_DEFINITION];

const isRead = (definition: DefinitionNode): boolean =>
  READ_KINDS.includes(definition.kind) && 'name' in definition && !DERIVED.test(definition.name?.value ?? '');

/** The part of the SDL that shows each rule, without what all lists repeat. */
function printRead(): string {
  const { definitions, ...document } = getDocumentNodeFromSchema(schema);
  const read = visit(
    { ...document, definitions: definitions.filter(isRead) },
    {
      InputValueDefinition: ({ description, ...argument }) => argument,
    },
  );
  return `${printDocument(read)}\n`;
}

describe('the schema of an API with 100 resources', () => {
  it('is the one that has been read and found good', async () => {
    await mkdir('.cache', { recursive: true });
    await writeFile('.cache/harbour.graphql', printSDL(schema));
    await expect(printRead()).toMatchFileSnapshot('harbour.graphql');
  });

  it('is large', () => {
    const resources = objects.filter(({ description }) => description?.includes('\nThe resource `'));
    const calls = objects.flatMap(membersOf).filter((one) => /^`[\w.]+#\w+` · /m.test(one.description ?? ''));
    expect(resources.length).toBeGreaterThanOrEqual(100);
    expect(calls.length).toBeGreaterThanOrEqual(380);
  });

  it('has no name with an underscore or a doubled word', () => {
    const names = types.flatMap((type) => [
      type.name,
      ...(isEnumType(type) ? [] : membersOf(type).map(({ name }) => name)),
    ]);
    expect(names.filter((name) => name.includes('_'))).toEqual([]);
    expect(names.filter((name) => /([A-Z][a-z]{3,})\1/.test(name))).toEqual([]);
    expect(names.filter((name) => /(?:^g|G)et[A-Z]/.test(name))).toEqual([]);
  });

  it('has global ids only under the name id', () => {
    const ids = objects.flatMap(membersOf).filter(({ name }) => name === 'id');
    const types = new Set(ids.map((one) => ('type' in one ? String(one.type) : '')));
    expect([...types]).toEqual(['ID!']);
  });

  it('has node read what its types can be read by, and nothing else', () => {
    const isNode = (type: GraphQLNamedType): boolean =>
      isObjectType(type) && type.getInterfaces().some(({ name }) => name === 'Node');
    const shown = new Set(listActions(readHarbour()).filter((scope) => scope.endsWith('#show')));
    const rows = objects.filter(
      (type) => isObjectType(type) && resourceOf(type) !== null && 'id' in type.getFields(),
    );
    const wrong = rows.filter((type) => isNode(type) !== shown.has(`${resourceOf(type)?.join('.')}#show`));
    expect(wrong.map(({ name }) => name)).toEqual([]);
    expect(rows.some((type) => !isNode(type))).toBe(true);
  });

  it('has an edge beside each number that is the id of another object', () => {
    const without = objects.flatMap((type) => {
      const fields = membersOf(type);
      return fields.flatMap((field) => {
        const word = /^(?:last)?(.+?)(?:Database)?Id$/.exec(field.name)?.[1];
        if (word === undefined || !('type' in field) || String(field.type) !== 'SafeInt') return [];
        const isEdge = fields.some(
          (one) =>
            lettersOf(one.name).includes(word.toLowerCase()) &&
            'type' in one &&
            /^[A-Z]/.test(String(one.type)) &&
            !isLeafType(schema.getType(String(one.type).replaceAll(/\W/g, ''))),
        );
        return isEdge || field.name === 'databaseId' ? [] : [field.coordinate];
      });
    });
    expect(without).toEqual([]);
  });

  it('has one enum for equal values of the same kind', () => {
    const values = types.filter(isEnumType).map((type) =>
      membersOf(type)
        .map(({ name }) => name)
        .join(),
    );
    expect(new Set(values).size).toBe(values.length);
    expect(membersOf(schema.getType('CameraType') as never).map(({ name }) => name)).toEqual([
      'DOME',
      'FIXED',
      'THERMAL',
    ]);
  });

  it('describes every type, and nothing by its own name or by what belongs elsewhere', () => {
    expect(types.filter((type) => !type.description)).toEqual([]);
    const members = types.filter((type) => !isInputObjectType(type)).flatMap(membersOf);
    const repeated = members.filter(
      ({ name, description }) => lettersOf(description ?? '') === lettersOf(name),
    );
    expect(repeated.map(({ coordinate }) => coordinate)).toEqual([]);
    const written = types.filter(({ name }) => name.endsWith('Input'));
    const filters = [...objects, ...written]
      .flatMap(membersOf)
      .filter((one) => /^Filter /.test(one.description ?? ''));
    expect(filters.map(({ coordinate }) => coordinate)).toEqual([]);
  });

  it('says of a list by a filter which role the object has', () => {
    const company = membersOf(schema.getType('Company') as never);
    const ships = company.find(({ name }) => name === 'shipsAsOwner');
    expect(ships?.description).toMatch(/^The rows whose `owner` is this object\./);
  });

  it('gives an example with what readers look for first', () => {
    const ship =
      'id label objectState createdAt updatedAt owner { id label } certificates(first: 3) { nodes { id validTo issuedAt } }';
    expect(createExampleTabs(schema)[0]?.query.replaceAll(/\s+/g, ' ')).toBe(
      `query Example { ships(first: 5) { nodes { ${ship} } pageInfo { hasNextPage endCursor } } } `,
    );
  });

  it('puts internal resources last', () => {
    const names = Object.keys(schema.getQueryType()?.getFields() ?? {});
    expect(names.slice(-3)).toEqual(['debugs', 'systemConfig', 'systemConfigs']);
  });
});
