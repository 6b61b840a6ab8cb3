// Tests the field `label`: the text by which associations name an object, without a call.

import { describe, expect, it } from 'vitest';
import { action, list, type RawParameters, refersTo, resource, show } from '../../helpers/describe-api.ts';
import { type DescribedApi, openDescribed } from '../../helpers/described.ts';
import { type Handler, ok, refuse } from '../../helpers/stub-upstream.ts';

const ZONE = { id: 'Integer', name: 'String', label: 'String', serial: 'Integer' } as const;

const zones = [
  { id: 1, name: 'one.example', label: '', serial: 10 },
  { id: 2, name: 'two.example', label: 'Two', serial: 20 },
];
const zone = (id: number) => zones.find((known) => known.id === id) ?? {};
const showZone: Handler = ({ path: [id] }) => ok({ zone: zone(Number(id)) });

/** Opens an API of zones and of records that refer to them. */
const open = (
  record: RawParameters,
  rows: readonly object[],
  { listed = ZONE, shown = ZONE, write = {} }: Readonly<Record<string, RawParameters>> = {},
) => {
  const names = Object.keys(listed);
  return openDescribed(
    {
      zone: resource({
        index: list('zone', 'zones', listed),
        show: show('zone', 'zones', shown),
        update: action({
          method: 'PUT',
          path: '/zones/{zone_id}',
          namespace: 'zone',
          input: {},
          output: write,
        }),
      }),
      record: resource({ index: list('record', 'records', { id: 'Integer', ...record }) }),
    },
    {
      'zone#index': () =>
        ok({
          zones: zones.map((known) =>
            Object.fromEntries(Object.entries(known).filter(([name]) => names.includes(name))),
          ),
        }),
      'zone#show': showZone,
      'zone#update': () => ok({ zone: {} }),
      'record#index': () => ok({ records: rows }),
    },
  );
};

const NAMED = { zone: refersTo(['zone'], 'name') };
const namedRows = [1, 2].map((id) => ({ id, zone: { id, name: `${id === 1 ? 'one' : 'two'}.example` } }));

const callsOf = ({ upstream }: DescribedApi) => upstream.calls.splice(0).map(({ scope }) => scope);
const fieldsOf = async (at: DescribedApi) => {
  const { data } = await at.ask('{ __type(name: "Zone") { fields { name type { name } } } }');
  const { fields } = (data as unknown as { __type: { fields: { name: string; type: { name: string } }[] } })
    .__type;
  return new Map(fields.map(({ name, type }) => [name, type.name]));
};

describe('the label of an object with a parameter `label`, which associations name otherwise', () => {
  it('is that of the association, without a call', async () => {
    await using at = await open(NAMED, namedRows);
    const { data, errors } = await at.ask('{ records { nodes { zone { id label } } } }');
    expect(errors).toEqual([]);
    const nodes = [
      { zone: { id: 'zone/1', label: 'one.example' } },
      { zone: { id: 'zone/2', label: 'two.example' } },
    ];
    expect(data).toEqual({ records: { nodes } });
    expect(callsOf(at)).toEqual(['record#index']);
  });

  it('is the same text in a list of the objects and in a single read', async () => {
    await using at = await open(NAMED, namedRows);
    const { data } = await at.ask('{ zones { nodes { label } } zone(id: 2) { label } }');
    expect(data).toEqual({
      zones: { nodes: [{ label: 'one.example' }, { label: 'two.example' }] },
      zone: { label: 'two.example' },
    });
    expect(callsOf(at).sort()).toEqual(['zone#index', 'zone#show']);
  });

  it('leaves the parameter reachable as `labelValue`', async () => {
    await using at = await open(NAMED, namedRows);
    const { data, errors } = await at.ask(
      '{ zones { nodes { labelValue } } records { nodes { zone { labelValue } } } }',
    );
    expect(errors).toEqual([]);
    expect(data).toEqual({
      zones: { nodes: [{ labelValue: '' }, { labelValue: 'Two' }] },
      records: { nodes: [{ zone: { labelValue: '' } }, { zone: { labelValue: 'Two' } }] },
    });
  });

  it('is a text also where the parameter is none', async () => {
    const numbered = { ...ZONE, label: 'Integer' };
    await using at = await open(NAMED, namedRows, { listed: numbered, shown: numbered });
    const fields = await fieldsOf(at);
    expect([fields.get('label'), fields.get('labelValue')]).toEqual(['String', 'SafeInt']);
  });
});

describe('the label of an object that associations name by several parameters', () => {
  const MIXED = { ...NAMED, master: refersTo(['zone'], 'name'), backup: refersTo(['zone'], 'label') };
  const BACKUPS = '{ records { nodes { backup { label } } } }';

  it('is what each association calls it, without a call', async () => {
    await using at = await open(MIXED, [{ id: 1, backup: { id: 2, label: 'Two' } }]);
    expect((await at.ask(BACKUPS)).data).toEqual({ records: { nodes: [{ backup: { label: 'Two' } }] } });
    expect(callsOf(at)).toEqual(['record#index']);
  });

  it('is what most associations call it where the object is read', async () => {
    await using at = await open(MIXED, []);
    const { data } = await at.ask('{ zones { nodes { label } } }');
    expect(data).toEqual({ zones: { nodes: [{ label: 'one.example' }, { label: 'two.example' }] } });
  });

  it('is the next text that the row holds where one is empty', async () => {
    await using at = await open(MIXED, [{ id: 1, backup: { id: 1, label: '' } }]);
    expect((await at.ask('{ records { nodes { backup { label name } } } }')).data).toEqual({
      records: { nodes: [{ backup: { label: 'one.example', name: 'one.example' } }] },
    });
    callsOf(at);
    expect((await at.ask(BACKUPS)).data).toEqual({ records: { nodes: [{ backup: { label: '' } }] } });
    expect(callsOf(at)).toEqual(['record#index']);
  });
});

describe('the label of an object that all associations name by its parameter `label`', () => {
  const LABELLED = { zone: refersTo(['zone'], 'label') };

  it('is that parameter, and needs no other field', async () => {
    await using at = await open(LABELLED, [{ id: 1, zone: { id: 1, label: '' } }]);
    const { data } = await at.ask('{ zones { nodes { label } } records { nodes { zone { label } } } }');
    expect(data).toEqual({
      zones: { nodes: [{ label: '' }, { label: 'Two' }] },
      records: { nodes: [{ zone: { label: '' } }] },
    });
    expect(callsOf(at).sort()).toEqual(['record#index', 'zone#index']);
    expect([...(await fieldsOf(at)).keys()]).not.toContain('labelValue');
  });

  it('costs no call where the API sends an association without it', async () => {
    await using at = await open(LABELLED, [{ id: 1, zone: { id: 2 } }]);
    const { data, errors } = await at.ask('{ records { nodes { zone { label } } } }');
    expect(errors).toEqual([]);
    expect(data).toEqual({ records: { nodes: [{ zone: { label: null } }] } });
    expect(callsOf(at)).toEqual(['record#index']);
  });

  it('costs no call where the list does not describe it, and `labelValue` is fetched', async () => {
    const listed = { id: 'Integer', name: 'String' } as const;
    await using at = await open(LABELLED, [], { listed });
    const { data } = await at.ask('{ zones { nodes { label } } }');
    expect(data).toEqual({ zones: { nodes: [{ label: null }, { label: null }] } });
    expect(callsOf(at)).toEqual(['zone#index']);
    const fetched = await at.ask('{ zones { nodes { labelValue } } zone(id: 2) { label } }');
    expect(fetched.data).toEqual({
      zones: { nodes: [{ labelValue: '' }, { labelValue: 'Two' }] },
      zone: { label: 'Two' },
    });
  });
});

it('is read with the object of a payload, which the write did not answer', async () => {
  await using at = await open(NAMED, []);
  const { data, errors } = await at.ask('mutation { zoneUpdate(id: 2) { zone { id label } } }');
  expect(errors).toEqual([]);
  expect(data).toEqual({ zoneUpdate: { zone: { id: 'zone/2', label: 'two.example' } } });
  expect(callsOf(at)).toEqual(['zone#update', 'zone#show']);
});

it('of an object in a payload is an error when the object cannot be read', async () => {
  await using at = await open(NAMED, []);
  at.upstream.handlers.set('zone#show', () => refuse('broken', null, 500));
  const { data, errors } = await at.ask('mutation { zoneUpdate(id: 2) { zone { id label } } }');
  expect(data).toEqual({ zoneUpdate: { zone: { id: 'zone/2', label: null } } });
  expect(errors.map(({ path }) => path)).toEqual([['zoneUpdate', 'zone', 'label']]);
});
