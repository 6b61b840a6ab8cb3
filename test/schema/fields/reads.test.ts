// Tests where reads stand, and resources of which a parent has at most one object.

import { assertObjectType, type GraphQLSchema } from 'graphql';
import { describe, expect, it } from 'vitest';
import { action, list, resource, show } from '../../helpers/describe-api.ts';
import { openDescribed } from '../../helpers/described.ts';
import { type Answer, hangUp, ok, refuse } from '../../helpers/stub-upstream.ts';

const MACHINE = { id: 'Integer', name: 'String' } as const;
const RESOURCES = {
  machine: resource(
    { index: list('machine', 'machines', MACHINE), show: show('machine', 'machines', MACHINE) },
    {
      key: resource({
        show: action({ path: '/machines/{machine_id}/key', namespace: 'key', output: { secret: 'String' } }),
      }),
      // The caller passes its name, so it is not a singleton.
      day: resource({
        show: action({
          path: '/machines/{machine_id}/days/{weekday}',
          namespace: 'day',
          output: { open: 'Boolean' },
        }),
      }),
    },
  ),
  status: resource({ show: action({ path: '/status', namespace: 'status', output: { load: 'Float' } }) }),
};

const machines = Array.from({ length: 40 }, (_, index) => ({ id: index + 1, name: `m${index + 1}` }));
const NOT_FOUND: readonly (readonly [string, Answer])[] = [
  ['404', refuse('object not found', null, 404)],
  ['200 and a message', refuse('object not found')],
  ['200 and nothing', refuse(null)],
];

function descriptionOf(schema: GraphQLSchema, field: string): string {
  return assertObjectType(schema.getType('Machine')).getFields()[field]?.description ?? '';
}

const open = (absent: Answer) =>
  openDescribed(RESOURCES, {
    'machine#index': () => ok({ machines }),
    'machine#show': ({ path: [id] }) => (id === '1' ? ok({ machine: machines[0] }) : absent),
    'machine.key#show': ({ path: [id] }) => (id === '7' ? ok({ key: { secret: 'x' } }) : absent),
    'machine.day#show': () => absent,
    'status#show': () => absent,
  });

describe.each(NOT_FOUND)('an object for which the API returns %s', (_name, absent) => {
  it('is null without an error for each of many parents', async () => {
    await using at = await open(absent);
    const { data, errors } = await at.ask('{ machines(first: 40) { nodes { name key { secret } } } }');
    expect(errors).toEqual([]);
    const nodes = machines.map(({ name }) => ({ name, key: name === 'm7' ? { secret: 'x' } : null }));
    expect(data).toEqual({ machines: { nodes } });
  });

  it.each([
    ['by its ID', '{ machine(id: 9) { name } }', ['machine']],
    ['by its global ID', '{ node(id: "machine/9/key") { id } }', ['node']],
    ['by a name', '{ machine(id: 1) { day(weekday: "friday") { open } } }', ['machine', 'day']],
    ['at the root', '{ status { load } }', ['status']],
  ])('is an error if a client requests it %s', async (_how, query, path) => {
    await using at = await open(absent);
    const { errors } = await at.ask(query);
    expect(errors).toMatchObject([{ path, extensions: { code: 'NOT_FOUND' } }]);
  });
});

describe('a nested singleton', () => {
  it.each([
    ['is forbidden', refuse('no', null, 403), 'FORBIDDEN'],
    ['cannot be reached', hangUp, 'UPSTREAM_UNAVAILABLE'],
  ])('that %s is an error', async (_name, answer, code) => {
    await using at = await open(answer);
    const { errors } = await at.ask('{ machine(id: 1) { key { secret } } }');
    expect(errors).toMatchObject([{ path: ['machine', 'key'], extensions: { code } }]);
  });

  it('has a description that says that it can be null', async () => {
    await using at = await open(hangUp);
    expect(descriptionOf(at.facade.schema.schema, 'key')).toMatch(/^Null if there is none\.\n/);
    expect(descriptionOf(at.facade.schema.schema, 'day')).not.toMatch(/^Null/);
  });
});

describe('an action whose path ends with a plain id beside that of the object', () => {
  const PATH = '/machines/{machine_id}/parts/{id}';
  const part = { path: PATH, namespace: 'part', output: { weight: 'Float' } } as const;
  const parts = {
    machine: resource({
      show: show('machine', 'machines', MACHINE),
      find_part: action(part),
      list_parts: action({ ...part, path: `${PATH}/all`, layout: 'object_list', outputNamespace: 'parts' }),
      swap_part: action({ ...part, method: 'POST' }),
    }),
  };

  it('is a field of the object with this id as its argument, as the write has it', async () => {
    await using at = await openDescribed(parts, {
      'machine#show': ({ path: [id] }) => ok({ machine: { id: Number(id), name: 'm' } }),
      'machine#find_part': () => ok({ part: { weight: 2.5 } }),
      'machine#list_parts': () => ok({ parts: [{ weight: 1 }] }),
      'machine#swap_part': () => ok({ part: { weight: 3 } }),
    });
    const read = await at.ask(
      '{ machine(id: 4) { findPart(id: "9") { weight } parts(id: "9") { weight } } }',
    );
    expect(read.errors).toEqual([]);
    expect(read.data).toEqual({ machine: { findPart: { weight: 2.5 }, parts: [{ weight: 1 }] } });
    const { data } = await at.ask('mutation { machineSwapPart(id: 4, idValue: "9") { result { weight } } }');
    expect(data).toEqual({ machineSwapPart: { result: { weight: 3 } } });
    const paths = at.upstream.calls.filter(({ scope }) => scope !== 'machine#show').map(({ path }) => path);
    expect(paths).toEqual([
      ['4', '9'],
      ['4', '9'],
      ['4', '9'],
    ]);
  });
});
