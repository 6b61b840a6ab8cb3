// Tests when an output parameter is an enum.

import { isEnumType, isObjectType } from 'graphql';
import { describe, expect, it } from 'vitest';
import { assembleSchema } from '../../../src/schema/assemble.ts';
import { parseDescription } from '../../../src/upstream/description/parse-description.ts';
import {
  action,
  describeApi,
  list,
  type Raw,
  type RawParameters,
  resource,
  show,
} from '../../helpers/describe-api.ts';
import { openDescribed } from '../../helpers/described.ts';
import { ok } from '../../helpers/stub-upstream.ts';

/** Returns a String parameter with the given choices. */
const text = (...values: readonly unknown[]): Raw => ({
  type: 'String',
  label: 'x',
  validators: values.length === 0 ? {} : { include: { values, message: 'is not offered' } },
});

interface Parts {
  /** The parameter `kind` as an output. */
  readonly output: Raw;
  readonly filter?: Raw;
  readonly written?: Raw;
}

/** Describes things with a parameter `kind`. */
function things({ output, filter, written }: Parts): Raw {
  const values: RawParameters = { id: 'Integer', kind: output };
  const update = { path: '/things/{thing_id}', method: 'PUT', namespace: 'thing', output: values } as const;
  return {
    thing: resource({
      index: list('thing', 'things', values, filter === undefined ? {} : { input: { kind: filter } }),
      show: show('thing', 'things', values),
      ...(written === undefined ? {} : { update: action({ ...update, input: { kind: written } }) }),
    }),
  };
}

/** Opens an API with one thing for each kind. */
const open = (parts: Parts, kinds: readonly unknown[], enumValues: Record<string, string[]> = {}) => {
  const row = (id: number) => ({ id, kind: kinds[id - 1] });
  return openDescribed(
    things(parts),
    {
      'thing#index': () => ok({ things: kinds.map((_kind, at) => row(at + 1)) }),
      'thing#show': ({ path: [id] }) => ok({ thing: row(Number(id)) }),
      'thing#update': ({ path: [id] }) => ok({ thing: row(Number(id)) }),
    },
    { overrides: { enumValues } },
  );
};

const ROWS = '{ things { nodes { id kind } } }';
const kindsOf = (data: unknown) =>
  (data as { things: { nodes: { kind: unknown }[] } }).things.nodes.map(({ kind }) => kind);

const TYPE_OF_KIND = '{ __type(name: "Thing") { fields { name type { name } } } }';
const typeOfKind = (data: unknown) =>
  (data as { __type: { fields: { name: string; type: { name: string } }[] } }).__type.fields.find(
    ({ name }) => name === 'kind',
  )?.type.name;

const SAME = text('primary_type', 'secondary-type');

describe('an output with the same choices as an input', () => {
  it('is its enum, and clients can write and filter by the value that they read', async () => {
    await using at = await open({ output: SAME, filter: SAME, written: SAME }, [
      'secondary-type',
      null,
      'primary_type',
    ]);
    const { data, errors } = await at.ask(ROWS);
    expect([errors, kindsOf(data)]).toEqual([[], ['SECONDARY_TYPE', null, 'PRIMARY_TYPE']]);

    const [read] = kindsOf(data);
    const written = await at.ask(
      `mutation { thingUpdate(id: 1, input: { kind: ${read} }) { thing { kind } userErrors { code } } }`,
    );
    expect(written.errors).toEqual([]);
    expect(written.data).toEqual({ thingUpdate: { thing: { kind: 'SECONDARY_TYPE' }, userErrors: [] } });
    expect(at.upstream.calls.at(-1)?.body).toEqual({ thing: { kind: 'secondary-type' } });

    await at.ask(`{ things(filter: { kind: ${read} }) { nodes { id } } }`);
    expect(at.upstream.calls.at(-1)?.query.get('thing[kind]')).toBe('secondary-type');
  });

  it('is its enum if the API returns numbers', async () => {
    await using at = await open({ output: text(1, 2), filter: text(1, 2) }, [2, '1']);
    expect(kindsOf((await at.ask(ROWS)).data)).toEqual(['KIND_2', 'KIND_1']);
  });

  it('is its enum in output types and in payloads', async () => {
    const output: RawParameters = { mode: text('fast', 'slow') };
    const input = output;
    const made = { path: '/things', method: 'POST', namespace: 'thing', input } as const;
    const { thing } = things({ output: text() });
    const actions = {
      ...((thing as Raw)['actions'] as Raw),
      create: action({ ...made, output: { id: 'Integer', kind: 'String', ...output } }),
      probe: action({ ...made, path: '/things/probe', layout: 'hash', output }),
    };
    await using at = await openDescribed(
      { thing: resource(actions) },
      {
        'thing#create': () => ok({ thing: { id: 1, kind: 'a', mode: 'slow' } }),
        'thing#probe': () => ok({ thing: { mode: 'other' } }),
      },
    );
    const { data, errors, extensions } = await at.ask(
      'mutation { thingCreate(input: { mode: FAST }) { thing { kind } mode } thingProbe(input: { mode: SLOW }) { result { mode } } }',
    );
    expect(errors).toEqual([]);
    expect(data).toEqual({
      thingCreate: { thing: { kind: 'a' }, mode: 'SLOW' },
      thingProbe: { result: { mode: null } },
    });
    expect(extensions['warnings']).toEqual([
      { code: 'ENUM_VALUE_UNKNOWN', coordinate: 'ThingProbeResult.mode', count: 1 },
    ]);
  });
});

describe('a value that its enum does not contain', () => {
  it('is null with one warning for each field, and omits no row', async () => {
    await using at = await open({ output: SAME, filter: SAME }, ['tertiary', 'primary_type', '']);
    const { data, errors, extensions } = await at.ask(ROWS);
    expect([errors, kindsOf(data)]).toEqual([[], [null, 'PRIMARY_TYPE', null]]);
    expect(extensions['warnings']).toEqual([
      { code: 'ENUM_VALUE_UNKNOWN', coordinate: 'Thing.kind', count: 2 },
    ]);
    expect(at.log.join()).not.toContain('tertiary');
  });

  it('is in the enum if the overrides add it', async () => {
    await using at = await open({ output: SAME, filter: SAME }, ['tertiary'], { ThingKind: ['tertiary'] });
    const { data, extensions } = await at.ask(ROWS);
    expect([kindsOf(data), extensions['warnings']]).toEqual([['TERTIARY'], undefined]);
  });

  it('is reported and not added if the overrides give two values the same name', async () => {
    await using at = await open({ output: SAME, filter: SAME }, ['primary_type'], {
      ThingKind: ['primary-type'],
    });
    expect(kindsOf((await at.ask(ROWS)).data)).toEqual(['PRIMARY_TYPE']);
    expect(at.facade.schema.findings).toMatchObject([
      { code: 'ENUM_VALUES_CLASH', path: 'enumValues.ThingKind' },
    ]);
  });
});

describe('an output with the name of an input', () => {
  it.each([
    ['has more choices', { output: text('new', 'old', 'lost'), filter: text('new', 'old') }, 'ThingKind'],
    ['has fewer choices', { output: text('new', 'old'), filter: text('all', 'new', 'old') }, 'ThingKind'],
    ['has no choices, but a write has', { output: text(), written: text('new', 'old') }, 'ThingKind'],
    ['has no choices, but a filter has', { output: text(), filter: text('all', 'new') }, 'String'],
    ['has other choices', { output: text('a', 'b'), filter: text('new', 'old') }, 'String'],
    [
      'has two choices with the same name',
      { output: text('a-b', 'a_b'), filter: text('a_b', 'b') },
      'String',
    ],
    ['has choices, but no input has', { output: text('new', 'old') }, 'ThingKind'],
  ])('that %s has the expected type', async (_name, parts, type) => {
    await using at = await open(parts, []);
    expect(typeOfKind((await at.ask(TYPE_OF_KIND)).data)).toBe(type);
  });

  it('can return a value that the rules of the input reject', async () => {
    const parts = { output: text('new', 'lost'), written: text('new') };
    await using at = await open(parts, ['lost']);
    expect(kindsOf((await at.ask(ROWS)).data)).toEqual(['LOST']);
    const { data } = await at.ask(
      'mutation { thingUpdate(id: 1, input: { kind: LOST }) { userErrors { code path } } }',
    );
    expect(data).toEqual({
      thingUpdate: { userErrors: [{ code: 'NOT_INCLUDED', path: ['input', 'kind'] }] },
    });
    expect(at.upstream.calls.map(({ scope }) => scope)).toEqual(['thing#index']);
  });
});

/** Assembles resources whose objects have texts with these values, and returns the types of the texts by coordinate. */
function typesOf(texts: Record<string, Record<string, Raw>>, names: Record<string, string> = {}) {
  const resources = Object.entries(texts).map(([name, outputs]) => {
    const values: RawParameters = { id: 'Integer', ...outputs };
    return [name, resource({ show: show(name, `${name}s`, values) })] as const;
  });
  const raw = describeApi(Object.fromEntries(resources));
  const { schema, findings } = assembleSchema(parseDescription(raw), { names });
  const types = Object.values(schema.getTypeMap()).flatMap((type) =>
    isObjectType(type) && type.name !== 'CallerSession'
      ? Object.values(type.getFields()).map((field) => [type, field] as const)
      : [],
  );
  const enums = types.filter(([, { type }]) => isEnumType(type));
  return {
    findings,
    types: Object.fromEntries(
      enums.map(([{ name }, field]) => [`${name}.${field.name}`, String(field.type)]),
    ),
  };
}

describe('a described value that no text equals', () => {
  const KIND = text('on', null, true, { a: 1 }, 'off');

  it('is no value of the enum, and the others are sent', async () => {
    await using at = await open({ output: KIND, written: KIND }, ['on', 'off']);
    const { data } = await at.ask('{ __type(name: "ThingKind") { enumValues { name } } }');
    expect(data).toEqual({ __type: { enumValues: [{ name: 'OFF' }, { name: 'ON' }] } });
    expect(kindsOf((await at.ask(ROWS)).data)).toEqual(['ON', 'OFF']);
    await at.ask('mutation { thingUpdate(id: 1, input: { kind: OFF }) { userErrors { code } } }');
    expect(at.upstream.calls.at(-1)?.body).toEqual({ thing: { kind: 'off' } });
    await at.ask('mutation { thingUpdate(id: 1, input: { kind: null }) { userErrors { code } } }');
    expect(at.upstream.calls.at(-1)?.body).toEqual({ thing: { kind: null } });
  });

  it('leaves a String where there are no others', async () => {
    await using at = await open({ output: text(), written: text(null, false) }, ['any']);
    expect(typeOfKind((await at.ask(TYPE_OF_KIND)).data)).toBe('String');
  });
});

describe('equal enums', () => {
  const [STATE, KIND, OTHER] = [text('open', 'closed'), text('big', 'small'), text('up', 'down')];

  it.each([
    [
      'the words that all their names have in common',
      { parcel: { customs_state: STATE }, customs_form: { state: STATE } },
      { 'Parcel.customsState': 'CustomsState', 'CustomsForm.state': 'CustomsState' },
    ],
    [
      'the name of the first, if the others begin with it',
      { outage: { impact: KIND }, outage_update: { impact: KIND }, incident: { impact: KIND } },
      {
        'Outage.impact': 'OutageImpact',
        'OutageUpdate.impact': 'OutageImpact',
        'Incident.impact': 'OutageImpact',
      },
    ],
    [
      'the common words only once, for the larger group',
      {
        a: { object_state: STATE },
        b: { object_state: STATE },
        c: { object_state: STATE },
        d: { object_state: OTHER },
        e: { object_state: OTHER },
      },
      {
        'A.objectState': 'ObjectState',
        'B.objectState': 'ObjectState',
        'C.objectState': 'ObjectState',
        'D.objectState': 'DObjectState',
        'E.objectState': 'DObjectState',
      },
    ],
    [
      'no name that a resource has for another one',
      { object: { state: OTHER }, a_object: { state: STATE }, b_object: { state: STATE } },
      {
        'Object.state': 'ObjectState',
        'AObject.state': 'AObjectState',
        'BObject.state': 'AObjectState',
      },
    ],
    [
      'their own names, if these end differently',
      { lamp: { state: STATE }, door: { kind: STATE } },
      { 'Lamp.state': 'LampState', 'Door.kind': 'DoorKind' },
    ],
  ])('are one type with %s', (_what, texts: Record<string, Record<string, Raw>>, types) => {
    expect(typesOf(texts).types).toEqual(types);
  });

  it('that many resources share without common words can be named by the overrides', () => {
    const machines = ['crane', 'truck', 'gate', 'scale'];
    const texts = Object.fromEntries(machines.map((name) => [name, { state: STATE }]));
    expect(new Set(Object.values(typesOf(texts).types))).toEqual(new Set(['GateState']));
    const named = typesOf(texts, { GateState: 'MachineState' });
    expect([new Set(Object.values(named.types)), named.findings]).toEqual([new Set(['MachineState']), []]);
  });
});
