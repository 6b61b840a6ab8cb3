// Tests that the schema of a caller is that of a larger description without what the caller lacks.
import fc from 'fast-check';
import {
  type GraphQLSchema,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { printSDL } from '../../../src/schema/print-schema.ts';
import { SchemaRegistry } from '../../../src/schema/registry.ts';
import { SchemaAddition } from '../../../src/schema/schema-addition.ts';
import {
  action,
  describeApi,
  list,
  type Raw,
  type RawParameters,
  refersTo,
  resource,
  show,
} from '../../helpers/describe-api.ts';
import { problemsOf } from '../../helpers/schema-problems.ts';

/** Describes a String with choices. */
const choice = (...values: readonly string[]): Raw => ({
  type: 'String',
  label: 'x',
  validators: { include: { values, message: 'is not offered' } },
});

const STATE = choice('active', 'on-hold');
const update = (input: RawParameters, output: RawParameters) =>
  action({ path: '/machines/{machine_id}', method: 'PUT', namespace: 'machine', input, output });

/** The type of each field, input field and argument, and the values of each enum. Whether an input is required may depend on rights. */
function typesIn(schema: GraphQLSchema): ReadonlyMap<string, string> {
  const types = new Map<string, string>();
  for (const [name, type] of Object.entries(schema.getTypeMap())) {
    if (name.startsWith('__')) continue;
    if (isEnumType(type))
      types.set(
        name,
        type
          .getValues()
          .map((value) => value.name)
          .join(),
      );
    if (isInputObjectType(type))
      for (const field of Object.values(type.getFields()))
        types.set(`${name}.${field.name}`, String(getNullableType(field.type)));
    if (!isObjectType(type) && !isInterfaceType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      types.set(`${name}.${field.name}`, String(field.type));
      for (const arg of field.args)
        types.set(`${name}.${field.name}(${arg.name}:)`, String(getNullableType(arg.type)));
    }
  }
  return types;
}

const SIZE = { type: 'Integer', label: 'x', validators: { number: { min: 0, max: 2 ** 64, message: 'no' } } };
const PAGING = { limit: 'Integer', from_id: 'Integer' } as const;
const OUTPUT = {
  ...{
    id: 'Integer',
    name: 'String',
    state: 'String',
    kind: choice('a', 'b'),
    size: 'Integer',
    note: 'Text',
  },
  ...{ keeper: refersTo(['user'], 'login'), parent: refersTo(['machine'], 'name') },
} as const;
const INPUT = {
  name: 'String',
  state: STATE,
  kind: choice('b', 'c-1'),
  size: SIZE,
  keeper: refersTo(['user']),
};
const disk = { id: 'Integer', mode: 'String', machine: refersTo(['machine'], 'name') } as const;

/** An API in which the types of many fields follow from what the caller may see. */
const WHOLE: Raw = {
  machine: resource(
    {
      index: list('machine', 'machines', OUTPUT, { input: { ...PAGING, ...INPUT } }),
      show: show('machine', 'machines', OUTPUT),
      create: action({
        path: '/machines',
        method: 'POST',
        namespace: 'machine',
        input: INPUT,
        output: OUTPUT,
      }),
      update: update(INPUT, { ...OUTPUT, secret: 'String' }),
      search: list('machine', 'machines', OUTPUT, {
        path: '/machines/search',
        input: { ...PAGING, ...INPUT },
      }),
      measure: list(
        'machine',
        'measures',
        { at: 'Datetime', state: 'String', size: 'Integer' },
        {
          ...{ path: '/machines/{machine_id}/measure', input: { state: choice('busy') } },
        },
      ),
    },
    {
      disk: resource({
        index: list('disk', 'disks', disk, {
          path: '/machines/{machine_id}/disks',
          input: { mode: choice('rw', 'ro') },
        }),
        create: action({
          ...{ path: '/machines/{machine_id}/disks', method: 'POST', namespace: 'disk' },
          ...{ input: { mode: choice('rw', 'ro') }, output: disk },
        }),
      }),
    },
  ),
  // Its type and enum would have the names of those of `machine.disk`.
  machine_disk: resource({
    index: list('machine_disk', 'machine_disks', { id: 'Integer', mode: 'String' }),
    assign: action({
      ...{ path: '/machine_disks', method: 'POST', namespace: 'machine_disk' },
      ...{ input: { mode: choice('old') }, output: { id: 'Integer', mode: 'String' } },
    }),
  }),
  user: resource({
    index: list(
      'user',
      'users',
      { id: 'Integer', login: 'String', state: 'String' },
      { input: { state: STATE } },
    ),
    show: show('user', 'users', { id: 'Integer', login: 'String', state: 'String' }),
  }),
};

type Keeps = (path: string) => boolean;

/** Leaves out what a caller may not see: actions, inputs and outputs. Lists and ids stay. */
function visible(resources: Raw, keeps: Keeps, path = ''): Raw {
  const entries = (raw: unknown) => Object.entries((raw ?? {}) as Record<string, Raw>);
  const reduceShape = (shape: unknown, at: string): unknown =>
    shape === null
      ? null
      : {
          ...(shape as Raw),
          parameters: Object.fromEntries(
            entries((shape as Raw)['parameters']).filter(([name]) => name === 'id' || keeps(`${at}.${name}`)),
          ),
        };
  return Object.fromEntries(
    entries(resources).map(([name, one]) => {
      const at = `${path}${name}`;
      const actions = entries(one['actions'])
        .filter(([action]) => action === 'index' || keeps(`${at}#${action}`))
        .map(([action, raw]) => [
          action,
          {
            ...raw,
            input: reduceShape(raw['input'], `${at}#${action} input`),
            output: reduceShape(raw['output'], `${at}#${action} output`),
          },
        ]);
      return [
        name,
        {
          ...one,
          actions: Object.fromEntries(actions),
          resources: visible(one['resources'] as Raw, keeps, `${at}.`),
        },
      ];
    }),
  );
}

/** What a caller sees, as a function of a seed and the share of it. */
const rights = fc
  .record({ seed: fc.nat(), share: fc.constantFrom(0.3, 0.6, 0.9) })
  .map(({ seed, share }): Raw => {
    const hash = (text: string): number => {
      let value = seed | 0;
      for (const char of text) value = Math.imul(value ^ char.charCodeAt(0), 0x01000193);
      return ((value ^ (value >>> 15)) >>> 0) / 2 ** 32;
    };
    return visible(WHOLE, (path) => hash(path) < share);
  });

/** The schemas of an operator and of another caller, by what the API describes to them. */
function schemasOf(operator: Raw, caller: Raw, addition?: SchemaAddition) {
  const registry = new SchemaRegistry({ addition });
  const textOf = (name: string, resources: Raw) => ({
    fingerprint: name,
    length: 1,
    read: () => describeApi(resources),
  });
  const base = registry.schemaFor(textOf('operator', operator), 'whole');
  return { base, own: registry.schemaFor(textOf('caller', caller), 'whole', base) };
}

describe('a caller who sees a part of what the operator sees', () => {
  it('has a valid schema, whose parts have the types that they have for the operator', () => {
    fc.assert(
      fc.property(rights, (visible) => {
        const { base, own } = schemasOf(WHOLE, visible);
        expect(problemsOf(own.schema)).toEqual([]);
        const types = typesIn(base.schema);
        const others = [...typesIn(own.schema)].filter(
          ([coordinate, type]) => types.get(coordinate) !== type,
        );
        expect(others).toEqual([]);
      }),
      { numRuns: 50 },
    );
  });

  it('has the enums of the operator where the API describes fewer choices to the caller', () => {
    const describeStates = (...values: readonly string[]): Raw => {
      const write = {
        method: 'POST',
        input: { state: choice(...values) },
        output: { id: 'Integer' },
      } as const;
      return Object.fromEntries(
        ['machine', 'rack'].map((name) => [
          name,
          resource({ create: action({ path: `/${name}s`, namespace: name, ...write }) }),
        ]),
      );
    };
    const { base, own } = schemasOf(describeStates('a', 'b', 'c'), describeStates('b', 'c'));
    expect(typesIn(own.schema)).toEqual(typesIn(base.schema));
  });

  it('has no name of a part that the API hides from the caller', () => {
    const others = Object.fromEntries(Object.entries(WHOLE).filter(([name]) => name !== 'user'));
    const { own } = schemasOf(
      WHOLE,
      visible(others, (path) => !/secret|keeper|assign|#create/.test(path)),
    );
    expect(printSDL(own.schema)).not.toMatch(/secret|keeper|`user|login|assign|create/i);
  });

  it('has no edge to an object of a resource that a hidden output names', () => {
    const event = (output: RawParameters) => ({
      event: resource({ index: list('event', 'events', { id: 'Integer', ...output }) }),
      user: WHOLE['user'],
    });
    const row = { row_type: 'String', row_id: 'Integer' } as const;
    const hidden = { row_id: 'Integer' } as const;
    const { base, own } = schemasOf(event(row), event(hidden));
    expect([...typesIn(base.schema).keys()]).toContain('Event.row');
    expect([...typesIn(own.schema).keys()].filter((one) => one.startsWith('Event.'))).toEqual([
      'Event.id',
      'Event.databaseId',
      'Event.rowDatabaseId',
    ]);
  });

  it('has only the name of a resource to which only associations refer', () => {
    const described = { ...(WHOLE['user'] as Raw), description: 'A person with a secret.' };
    const operator = { machine: WHOLE['machine'], user: described };
    const caller = { machine: WHOLE['machine'] };
    const { base, own } = schemasOf(operator, caller);
    expect(base.schema.getType('User')?.description).toContain('A person with a secret.');
    expect(own.schema.getType('User')?.description).toBe(
      'A user.\n\nThe resource `user`. The API describes only references to it.',
    );
  });

  it('has of what the user of the library adds what needs no hidden type', () => {
    const typeDefs = `
      extend type Query { usage: Usage }
      extend type Machine { shout: String }
      extend type User { shout: String }
      type Usage { count: Int, user: User, machine: Machine }`;
    const { user, ...others } = WHOLE;
    expect(user).toBeDefined();
    const caller = visible(others, (path) => !/keeper|assign/.test(path));
    const { own } = schemasOf(WHOLE, caller, new SchemaAddition({ typeDefs, resolvers: {} }));
    expect(problemsOf(own.schema)).toEqual([]);
    expect(own.schema.getType('User')).toBeUndefined();
    expect(printSDL(own.schema)).toMatch(/type Usage \{\s+count: Int\s+machine: Machine\s+\}/);
    expect([...typesIn(own.schema).keys()]).toContain('Machine.shout');
  });

  it('has an added label of a type to which no association refers', () => {
    const typeDefs = 'extend type MachineDisk { label: String }';
    const operator = { disk_machine: WHOLE['machine_disk'], machine_disk: WHOLE['machine_disk'] };
    const caller = { machine_disk: WHOLE['machine_disk'] };
    const { own } = schemasOf(operator, caller, new SchemaAddition({ typeDefs, resolvers: {} }));
    expect([...typesIn(own.schema).keys()]).toContain('MachineDisk.label');
  });

  it('has a type without an added interface whose fields the caller lacks', () => {
    const typeDefs = `
      interface Named { name: String }
      extend type Query { named: Named }
      extend type Machine implements Named`;
    const addition = new SchemaAddition({ typeDefs, resolvers: {} });
    const caller = visible(WHOLE, (path) => !/name$/.test(path));
    const { base, own } = schemasOf(WHOLE, caller, addition);
    expect(problemsOf(own.schema)).toEqual([]);
    expect(printSDL(base.schema)).toContain('type Machine implements Node & Named {');
    expect(printSDL(own.schema)).toContain('type Machine implements Node {');
  });

  it('has the same types in another language', () => {
    fc.assert(
      fc.property(rights, (visible) => {
        const czech = JSON.parse(JSON.stringify(visible).replaceAll('"label":"x"', '"label":"popis"')) as Raw;
        const english = schemasOf(WHOLE, visible).own.schema;
        expect(typesIn(schemasOf(WHOLE, czech).own.schema)).toEqual(typesIn(english));
      }),
      { numRuns: 20 },
    );
  });

  it('has the schema of the operator if the two see the same', () => {
    const { base, own } = schemasOf(WHOLE, { ...WHOLE });
    expect(own.schema).toBe(base.schema);
  });
});

describe('a caller who sees more than the operator', () => {
  it('has both parts, with the types that the operator’s part has', () => {
    const operator = visible(WHOLE, (path) => !path.startsWith('machine.disk'));
    const caller = visible(WHOLE, (path) => !path.startsWith('machine#update'));
    const { base, own } = schemasOf(operator, caller);
    expect(problemsOf(own.schema)).toEqual([]);
    expect(own.schema.getType('MachineDisk')).toBeDefined();
    expect(own.schema.getMutationType()?.getFields()).not.toHaveProperty('machineUpdate');
    const types = typesIn(own.schema);
    for (const coordinate of ['Machine.state', 'Machine.kind', 'Machine.size'])
      expect(types.get(coordinate)).toBe(typesIn(base.schema).get(coordinate));
  });

  it('or lacks an input that the operator must give has a list without it', () => {
    const machines = (more: RawParameters) => ({
      machine: resource({ index: list('machine', 'machines', { id: 'Integer' }, { input: more }) }),
    });
    const name = { type: 'String', label: 'x', required: true, validators: {} };
    const { own } = schemasOf(machines({ ...PAGING, name }), machines(PAGING));
    const args = own.schema.getQueryType()?.getFields()['machines']?.args ?? [];
    expect(args.map((arg) => arg.name)).toEqual(['after', 'first']);
  });
});
