// Tests the descriptions of types and fields, and those of the overrides.
import { type GraphQLSchema, isObjectType } from 'graphql';
import { describe, expect, it } from 'vitest';
import { type AssembledSchema, assembleSchema } from '../../../src/schema/assemble.ts';
import { type Overrides, parseOverrides } from '../../../src/schema/model/overrides.ts';
import { parseDescription } from '../../../src/upstream/description/parse-description.ts';
import { action, describeApi, list, type Raw, refersTo, resource, show } from '../../helpers/describe-api.ts';

const parameter = (type: string, label: string | null, description = ''): Raw => ({
  type,
  label,
  description,
  validators: {},
});

const THING = {
  id: 'Integer',
  created_at: parameter('Datetime', 'Created at'),
  name: parameter('String', 'Name', 'Unique name'),
  colour: parameter('String', 'Colour', 'Filter things by colour'),
  maker: refersTo(['maker'], 'name', { label: 'Maker', description: '' }),
};

const API = describeApi({
  thing: resource({
    index: list('thing', 'things', THING),
    create: action({ method: 'POST', path: '/things', namespace: 'thing', output: THING }),
  }),
  maker: resource({ show: show('maker', 'makers', { id: 'Integer', name: 'String' }) }),
});

const assemble = (overrides: Overrides = {}): AssembledSchema =>
  assembleSchema(parseDescription(API), overrides);

function descriptionOf(schema: GraphQLSchema, coordinate: string): string | undefined {
  const [typeName = '', name = ''] = coordinate.split('.');
  const type = schema.getType(typeName);
  if (name === '') return type?.description ?? undefined;
  return (isObjectType(type) && type.getFields()[name]?.description) || undefined;
}

describe('a description', () => {
  it.each([
    ['Thing.createdAt', undefined],
    ['Thing.maker', undefined],
    ['Thing.name', 'Unique name'],
    ['Thing.colour', undefined],
    [
      'Thing',
      'A thing, listed by `Query.things` and created by `Mutation.thingCreate`.\n\nThe resource `thing`.',
    ],
    ['Maker', 'A maker.\n\nThe resource `maker`.'],
  ])('of %s says %j', (coordinate, text) => {
    expect(descriptionOf(assemble().schema, coordinate)).toBe(text);
  });

  it('is that of the overrides, which can deprecate a field', () => {
    const { schema, findings } = assemble({
      descriptions: { Thing: 'A tool.', 'Thing.colour': 'In capitals.', 'Thing.none': 'x' },
      deprecated: { 'Thing.name': 'Use `label`.', 'Query.nothing': 'x' },
    });
    expect(descriptionOf(schema, 'Thing')).toBe('A tool.');
    expect(descriptionOf(schema, 'Thing.colour')).toBe('In capitals.');
    const type = schema.getType('Thing');
    expect(isObjectType(type) && type.getFields()['name']?.deprecationReason).toBe('Use `label`.');
    expect(findings.map(({ code, path }) => `${code} ${path}`)).toEqual([
      'OVERRIDE_UNUSABLE descriptions.Thing.none',
      'OVERRIDE_UNUSABLE deprecated.Query.nothing',
    ]);
  });
});

it.each([
  [{ descriptions: { Thing: 1 } }, 'descriptions.Thing: expected a text'],
  [{ queries: 'thing#show' }, 'queries: expected a list of strings'],
])('the overrides %j are refused', (raw, message) => {
  expect(() => parseOverrides(raw)).toThrow(message);
});
