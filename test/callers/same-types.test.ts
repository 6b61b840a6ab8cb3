// Tests that the type of a field does not depend on the rights of the caller.
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
import {
  action,
  list,
  type Raw,
  type RawParameters,
  refersTo,
  resource,
  show,
} from '../helpers/describe-api.ts';
import { openDescribedCallers } from '../helpers/described.ts';
import { ok } from '../helpers/stub-upstream.ts';

/** Describes a String with choices. */
const choice = (...values: readonly string[]): Raw => ({
  type: 'String',
  label: 'x',
  validators: { include: { values, message: 'is not offered' } },
});

const STATE = choice('active', 'on-hold');
const MACHINE = { id: 'Integer', name: 'String', state: 'String' } as const;
const reads = (output: RawParameters = MACHINE, input: RawParameters = {}) => ({
  index: list('machine', 'machines', output, { input }),
  show: show('machine', 'machines', output),
});
const update = (input: RawParameters, output: RawParameters = MACHINE) =>
  action({ path: '/machines/{machine_id}', method: 'PUT', namespace: 'machine', input, output });

const USER = { machine: resource(reads()) };
const ADMIN = { machine: resource({ ...reads(), update: update({ state: STATE }) }) };
const row = { id: 1, name: 'One', state: 'on-hold' };
const HANDLERS = {
  'machine#index': () => ok({ machines: [row] }),
  'machine#show': () => ok({ machine: row }),
  'machine#update': () => ok({ machine: { ...row, keeper: { id: 7, login: 'jane' } } }),
};
const open = (operator: string | null, anonymous: Raw = {}, more: Readonly<Record<string, Raw>> = {}) =>
  openDescribedCallers(ADMIN, { anonymous, user: USER, admin: ADMIN, ...more }, operator, HANDLERS);
const STATES = '{ machines { nodes { state } } }';
const statesAre = (state: string) => ({ data: { machines: { nodes: [{ state }] } }, errors: [] });

describe('an output whose values only some callers may write', () => {
  it('is an enum for all callers if the operator sees the values', async () => {
    await using api = await open('admin');
    for (const caller of ['user', 'admin'])
      expect(await api.ask(caller, STATES)).toMatchObject(statesAre('ON_HOLD'));
    const types = await Promise.all(
      ['user', 'admin'].map(async (caller) => (await api.schemaOf(caller)).getType('MachineState')),
    );
    expect(types.map((type) => isEnumType(type) && type.getValues().map(({ name }) => name))).toEqual([
      ['ACTIVE', 'ON_HOLD'],
      ['ACTIVE', 'ON_HOLD'],
    ]);
  });

  it('is a String for all callers if the operator does not see the values, and so is the input', async () => {
    await using api = await open(null, USER);
    for (const caller of ['user', 'admin'])
      expect(await api.ask(caller, STATES)).toMatchObject(statesAre('on-hold'));
    const written = await api.ask(
      'admin',
      'mutation { machineUpdate(id: 1, input: { state: "on-hold" }) { machine { state } userErrors { code } } }',
    );
    expect(written.data).toEqual({ machineUpdate: { machine: { state: 'on-hold' }, userErrors: [] } });
    expect(api.upstream.calls.at(-1)?.body).toEqual({ machine: { state: 'on-hold' } });
    const refused = await api.ask(
      'admin',
      'mutation { machineUpdate(id: 1, input: { state: "lost" }) { userErrors { code } } }',
    );
    expect(refused.data).toEqual({ machineUpdate: { userErrors: [{ code: 'NOT_INCLUDED' }] } });
  });

  it('has the values that the operator sees, if a caller sees fewer', async () => {
    const few = { machine: resource({ ...reads(), update: update({ state: choice('active') }) }) };
    await using api = await open('admin', {}, { few });
    expect(await api.ask('few', STATES)).toMatchObject(statesAre('ON_HOLD'));
  });

  it('changes for all callers with the operator’s description', async () => {
    await using api = await open('admin');
    expect(await api.ask('user', STATES)).toMatchObject(statesAre('ON_HOLD'));
    await api.describe({ anonymous: {}, user: USER, admin: USER });
    for (const caller of ['user', 'admin'])
      expect(await api.ask(caller, STATES)).toMatchObject(statesAre('on-hold'));
    await api.describe({ anonymous: {}, user: USER, admin: ADMIN });
    for (const caller of ['user', 'admin'])
      expect(await api.ask(caller, STATES)).toMatchObject(statesAre('ON_HOLD'));
  });
});

describe('a payload', () => {
  const login = { keeper: refersTo(['user'], 'login') };
  const user = resource({ show: show('user', 'users', { id: 'Integer', login: 'String' }) });
  const write = update({ name: 'String' }, { ...MACHINE, ...login });
  const all = { machine: resource({ ...reads({ ...MACHINE, ...login }), update: write }), user };
  const some = { machine: resource({ ...reads(), update: write }), user };
  const RENAME = 'mutation { machineUpdate(id: 1, input: { name: "One" }) { machine { name } } }';

  it('has no field for an output that objects have and only the operator sees there', async () => {
    await using api = await openDescribedCallers(all, { anonymous: {}, some, all }, 'all', HANDLERS);
    const fields = await Promise.all(
      ['some', 'all'].map(async (caller) => {
        const type = (await api.schemaOf(caller)).getType('MachineUpdatePayload');
        return isObjectType(type) ? Object.keys(type.getFields()) : [];
      }),
    );
    expect(fields).toEqual([
      ['machine', 'query', 'userErrors'],
      ['machine', 'query', 'userErrors'],
    ]);
    expect((await api.ask('some', RENAME)).data).toEqual({ machineUpdate: { machine: { name: 'One' } } });
  });

  it('has the object of an association that no object of the resource has', async () => {
    await using api = await openDescribedCallers(all, { anonymous: {}, some }, 'some', HANDLERS);
    const { data, errors } = await api.ask(
      'some',
      'mutation { machineUpdate(id: 1, input: {}) { machine { name } keeper { databaseId label } } }',
    );
    expect(errors).toEqual([]);
    expect(data).toEqual({
      machineUpdate: { machine: { name: 'One' }, keeper: { databaseId: 7, label: 'jane' } },
    });
    expect(api.upstream.calls.map(({ scope }) => scope)).toEqual(['machine#update']);
  });

  it('has `result` for an object that only the operator can identify, and the operator’s name for no other type', async () => {
    const rename = (output: RawParameters) =>
      action({
        ...{ path: '/machines/{machine_id}/rename', method: 'POST', namespace: 'machine' },
        ...{ input: { name: 'String' }, output },
      });
    const number = { number: 'Integer', name: 'String' } as const;
    const full = { machine: resource({ ...reads(), rename: rename(MACHINE) }) };
    const alone = { machine: resource({ rename: rename(number) }) };
    await using api = await openDescribedCallers(full, { anonymous: {}, full, alone }, 'full');
    const type = (await api.schemaOf('alone')).getType('MachineRenamePayload');
    expect(isObjectType(type) && Object.keys(type.getFields())).toEqual(['query', 'result', 'userErrors']);
  });
});

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

/** The names of the types that values have. */
const VALUE_TYPE = /^(?:String|Boolean|Float|ID|SafeInt|BigInt|DateTime|JSON|MachineState|MachineKind)!?$/;

describe('two callers with different rights', () => {
  const findDifferences = async (one: Raw, other: Raw, operator: string | null, anonymous: Raw) => {
    await using api = await openDescribedCallers(WHOLE, { anonymous, one, other, whole: WHOLE }, operator);
    const [first, second] = [typesIn(await api.schemaOf('one')), typesIn(await api.schemaOf('other'))];
    return [...first].flatMap(([coordinate, type]) => {
      const there = second.get(coordinate) ?? type;
      return there === type ? [] : [{ coordinate, types: [type, there] }];
    });
  };

  it('have the same type for each name if the operator sees all', async () => {
    await fc.assert(
      fc.asyncProperty(rights, rights, async (one, other) => {
        expect(await findDifferences(one, other, 'whole', {})).toEqual([]);
      }),
      { numRuns: 25 },
    );
  });

  it('have the same type for each value if the operator sees a part', async () => {
    await fc.assert(
      fc.asyncProperty(rights, rights, rights, async (one, other, anonymous) => {
        const differences = await findDifferences(one, other, null, anonymous);
        const ofValues = differences.filter(({ types }) => types.some((type) => VALUE_TYPE.test(type)));
        expect(ofValues).toEqual([]);
      }),
      { numRuns: 25 },
    );
  });
});
