// Tests what descriptions of fields say beyond the API's text, such as units, and what they leave out.
import { type GraphQLSchema, isInputObjectType, isObjectType } from 'graphql';
import { describe, expect, it } from 'vitest';
import { type AssembledSchema, assembleSchema } from '../../../src/schema/assemble.ts';
import { type Overrides, parseOverrides } from '../../../src/schema/model/overrides.ts';
import { parseDescription } from '../../../src/upstream/description/parse-description.ts';
import { action, describeApi, list, type Raw, refersTo, resource, show } from '../../helpers/describe-api.ts';

const parameter = (type: string, label: string | null, description = '', validators: Raw = {}): Raw => ({
  type,
  label,
  description,
  validators,
});

const SWITCH = { include: { values: [0, 1], message: '' } };

const THING = {
  id: 'Integer',
  created_at: parameter('Datetime', 'Created at'),
  name: parameter('String', 'Name', 'Unique name'),
  memory: parameter('Integer', 'Memory'),
  timeout: parameter('Integer', 'Timeout', 'How long it waits, in seconds'),
  age: parameter('Integer', 'Age'),
  max_rx: parameter('Integer', 'Max RX'),
  max_tx: parameter('Integer', 'Max TX'),
  growth: parameter('Integer', 'Growth'),
  locked: parameter('Integer', 'Locked'),
  colour: parameter('String', 'Colour', 'Filter things by colour'),
  state: parameter('String', 'State', '', { include: { values: ['new', 'worn_out'], message: '' } }),
  payload: parameter('Text', 'Payload'),
  maker: refersTo(['maker'], 'name', { label: 'Maker', description: '' }),
};

const API = describeApi({
  thing: resource({
    index: list('thing', 'things', THING),
    show: show('thing', 'things', THING),
    create: action({
      method: 'POST',
      path: '/things',
      namespace: 'thing',
      input: {
        memory: parameter('Integer', 'Memory (MiB)'),
        age: parameter('Integer', 'Age (years)'),
        max_rx: parameter('Integer', 'Max RX', 'Limit of incoming data in MiB/s'),
        max_tx: parameter('Integer', 'Max TX', 'Limit of outgoing data in MiB/sec'),
        growth: parameter('Integer', 'Growth', 'Growth in MiB/month'),
        locked: parameter('Integer', 'Locked', '', SWITCH),
      },
      output: THING,
    }),
  }),
  maker: resource({ show: show('maker', 'makers', { id: 'Integer', name: 'String' }) }),
});

const assemble = (overrides: Overrides = {}): AssembledSchema =>
  assembleSchema(parseDescription(API), overrides);

function descriptionOf(schema: GraphQLSchema, coordinate: string): string | undefined {
  const [typeName = '', name = ''] = coordinate.split('.');
  const type = schema.getType(typeName);
  if (name === '') return type?.description ?? undefined;
  if (!isObjectType(type) && !isInputObjectType(type)) throw new TypeError(`expected the type ${typeName}`);
  return type.getFields()[name]?.description ?? undefined;
}

describe('a description', () => {
  it.each([
    ['Thing.createdAt', undefined],
    ['Thing.maker', undefined],
    ['Thing.name', 'Unique name'],
    ['Thing.memory', 'In MiB.'],
    ['ThingCreateInput.memory', 'Memory (MiB)'],
    ['Thing.age', 'In years.'],
    ['Thing.maxRx', 'In MiB/s.'],
    ['Thing.maxTx', 'In MiB/sec.'],
    ['Thing.growth', undefined],
    ['Thing.timeout', 'How long it waits, in seconds'],
    ['Thing.locked', '0 or 1.'],
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
      descriptions: { Thing: 'A tool.', 'Thing.memory': 'In GiB.', 'Thing.none': 'x' },
      deprecated: { 'Thing.name': 'Use `label`.', 'Query.nothing': 'x' },
    });
    expect(descriptionOf(schema, 'Thing')).toBe('A tool.');
    expect(descriptionOf(schema, 'Thing.memory')).toBe('In GiB.');
    const type = schema.getType('Thing');
    expect(isObjectType(type) && type.getFields()['name']?.deprecationReason).toBe('Use `label`.');
    expect(findings.map(({ code, path }) => `${code} ${path}`)).toEqual([
      'OVERRIDE_UNUSABLE descriptions.Thing.none',
      'OVERRIDE_UNUSABLE deprecated.Query.nothing',
    ]);
  });

  it('of the overrides is a text', () => {
    expect(() => parseOverrides({ descriptions: { Thing: 1 } })).toThrow(
      'descriptions.Thing: expected a text',
    );
  });
});
