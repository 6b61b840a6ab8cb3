// Tests which IDs are accepted.

import { describe, expect, it } from 'vitest';
import { action, describeApi, list, refersTo, resource, show } from '../../helpers/describe-api.ts';
import { openApi, openDescribed } from '../../helpers/described.ts';
import { openLibrary } from '../../helpers/library.ts';
import { ok, type StubCall } from '../../helpers/stub-upstream.ts';
import { openWorkshop } from '../../helpers/workshop.ts';

/** Texts that a lenient server reads as the integer 17 or as a missing ID. */
const NO_INTEGERS = [
  '17abc',
  ' 17',
  '17 ',
  '17?x=1',
  '017',
  '+17',
  '-17',
  '1e1',
  '17.0',
  '0x11',
  '١٧',
  'x',
  '9007199254740992',
];

const WRITES = `mutation ($id: ID!) {
  own: toolTouch(id: $id) { userErrors { code } }
  parent: toolPartCreate(tool: $id) { userErrors { code } }
  input: toolCreate(input: { name: "saw", owner: $id }) { userErrors { code } }
  cancel: actionStateCancel(id: $id) { userErrors { code } }
}`;

describe('an ID of a type that implements an added interface but not Node', () => {
  it('is refused by node, and no output that names its resource leads to it', async () => {
    const machine = { id: 'Integer', name: 'String' } as const;
    const event = { id: 'Integer', row_type: 'String', row_id: 'Integer' } as const;
    const resources = {
      // Rows without ids: the type is no Node.
      machine: resource({
        index: list('machine', 'machines', { name: 'String' }),
        show: show('machine', 'machines', machine),
      }),
      event: resource({ show: show('event', 'events', event) }),
    };
    const typeDefs =
      'interface Named { name: String } extend type Machine implements Named extend type Query { named: Named }';
    await using at = await openDescribed(
      resources,
      { 'event#show': () => ok({ event: { id: 1, row_type: 'Machine', row_id: 3 } }) },
      { extendSchema: { typeDefs, resolvers: {} } },
    );
    const { errors } = await at.ask('{ node(id: "machine/3") { id } }');
    expect(errors).toMatchObject([{ message: expect.stringContaining('which does not implement Node') }]);
    const { data, extensions } = await at.ask('{ event(id: 1) { rowDatabaseId row { __typename } } }');
    expect(data).toEqual({ event: { rowDatabaseId: 3, row: null } });
    expect(extensions['warnings']).toMatchObject([{ code: 'REFERENCE_NOT_FOUND' }]);
  });
});

describe('an ID of a resource with integer IDs', () => {
  it.each(NO_INTEGERS)('is rejected before a write if it is %j', async (id) => {
    await using shop = await openWorkshop();
    const { errors, data } = await shop.ask(WRITES, { variables: { id } });
    expect(data).toEqual({ own: null, parent: null, input: null, cancel: null });
    expect(errors.map(({ extensions }) => extensions['code'])).toEqual(Array(4).fill('BAD_USER_INPUT'));
    expect(errors[0]?.message).toBe(
      `${JSON.stringify(id)} is not an ID of Tool: expected an integer in decimal digits, e.g. "17".`,
    );
    expect(shop.upstream.calls).toEqual([]);
  });

  it.each([
    '{ node(id: "author/17abc") { id } }',
    '{ node(id: "shelf/017/book/3") { id } }',
    '{ node(id: "shelf/17/book/%203") { id } }',
    '{ author(id: "017") { id } }',
    '{ author(id: "author/+17") { id } }',
    '{ author(id: "17/3") { id } }',
    '{ reviews(filter: { author: "1e1" }) { nodes { id } } }',
    '{ reviews(filter: { author: "author/17abc" }) { nodes { id } } }',
  ])('is rejected before a read: %s', async (query) => {
    await using library = await openLibrary();
    const { errors } = await library.ask(query);
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
    expect(library.upstream.calls).toEqual([]);
  });

  it('is rejected in a nested field for each of its two parts', async () => {
    await using library = await openLibrary();
    const { errors, data } = await library.ask(
      '{ shelf(id: 1) { a: book(id: "3x") { id } b: book(id: "01/3") { id } c: book(id: "1/3") { id } } }',
    );
    expect(data).toEqual({ shelf: { a: null, b: null, c: { id: 'shelf/1/book/3' } } });
    const rejection = { extensions: { code: 'BAD_USER_INPUT' } };
    expect(errors).toMatchObject([rejection, rejection]);
  });

  it.each(['17', 17, 'tool/17'])('is accepted as %j', async (id) => {
    await using shop = await openWorkshop();
    const { errors, data } = await shop.ask(
      'mutation ($id: ID!) { toolUpdate(id: $id) { tool { id } } toolPartCreate(tool: $id) { part { id } } }',
      { variables: { id } },
    );
    expect(errors).toEqual([]);
    expect(data).toEqual({
      toolUpdate: { tool: { id: 'tool/17' } },
      toolPartCreate: { part: { id: 'tool/17/part/9' } },
    });
  });
});

const ROLE = { id: 'String', name: 'String' } as const;
const DAYS = { weekday: 'Integer', opens: 'Integer' } as const;

/** An API of offices: roles have text IDs, badges have IDs of an undescribed type, and days have a number that is not an ID. */
const OFFICE = describeApi({
  role: resource(
    {
      show: action({ path: '/roles/{role_id}', namespace: 'role', output: ROLE }),
      grant: action({
        path: '/roles/{role_id}/grant',
        method: 'POST',
        namespace: 'role',
        input: { role: refersTo(['role']), badge: refersTo(['badge']) },
      }),
    },
    {
      task: resource({
        show: action({
          path: '/roles/{role_id}/tasks/{task_id}',
          namespace: 'task',
          output: { id: 'Integer' },
        }),
      }),
    },
  ),
  desk: resource({
    index: action({
      path: '/desks',
      namespace: 'desks',
      layout: 'object_list',
      input: { role: refersTo(['role']) },
      output: { id: 'Integer' },
    }),
  }),
  badge: resource({
    revoke: action({ path: '/badges/{badge_id}/revoke', method: 'POST', namespace: 'badge' }),
  }),
  day: resource({
    show: action({ path: '/days/{weekday}', namespace: 'day', output: DAYS }),
    close: action({ path: '/days/{weekday}/close', method: 'POST', namespace: 'day' }),
  }),
});

function openOffice() {
  const show = ({ path: [id] }: StubCall) => ok({ role: { id, name: `role ${id}` } });
  return openApi(OFFICE, {
    'role#show': show,
    'role#grant': () => ok({}),
    'role.task#show': ({ path: [, id] }) => ok({ task: { id: Number(id) } }),
    'desk#index': () => ok({ desks: [] }),
    'badge#revoke': () => ok({}),
    'day#show': ({ path: [day] }) => ok({ day: { weekday: Number(day), opens: 8 } }),
    'day#close': () => ok({}),
  });
}

describe('an ID of a resource with text IDs or IDs of an undescribed type', () => {
  it('is sent unchanged in paths and in input', async () => {
    await using office = await openOffice();
    const { errors, data } = await office.ask(`mutation {
      roleGrant(id: "017", input: { role: "0042", badge: "17abc" }) { role { id name } }
      badgeRevoke(id: "17abc") { userErrors { code } }
    }`);
    expect(errors).toEqual([]);
    expect(data).toMatchObject({ roleGrant: { role: { id: 'role/017', name: 'role 017' } } });
    expect(office.upstream.calls.filter(({ scope }) => !scope.endsWith('show'))).toMatchObject([
      { path: ['017'], body: { role: { role: '0042', badge: '17abc' } } },
      { path: ['17abc'] },
    ]);
  });

  it('keeps its leading zeros in the filter of an edge', async () => {
    await using office = await openOffice();
    const { errors } = await office.ask('{ role(id: "017") { desks { nodes { id } } } }');
    expect(errors).toEqual([]);
    expect(office.upstream.calls.at(-1)?.query.get('desks[role]')).toBe('017');
  });

  it('can be the ID of a parent of objects with integer IDs', async () => {
    await using office = await openOffice();
    const { data, errors } = await office.ask(
      '{ a: node(id: "role/clerk/task/3") { id } b: node(id: "role/clerk/task/3x") { id } }',
    );
    expect(data).toEqual({ a: { id: 'role/clerk/task/3' }, b: null });
    expect(errors).toMatchObject([{ path: ['b'], extensions: { code: 'BAD_USER_INPUT' } }]);
    expect(office.upstream.calls).toHaveLength(1);
  });
});

describe('a path parameter that is described as an integer but is not an ID', () => {
  it('is rejected before a call if it is not an integer', async () => {
    await using office = await openOffice();
    const reads = await office.ask('{ a: day(weekday: "3") { opens } b: day(weekday: "3rd") { opens } }');
    expect(reads.data).toEqual({ a: { opens: 8 }, b: null });
    expect(reads.errors).toMatchObject([{ path: ['b'], extensions: { code: 'BAD_USER_INPUT' } }]);
    const writes = await office.ask(
      'mutation { a: dayClose(weekday: "3") { userErrors { code } } b: dayClose(weekday: " 3") { userErrors { code } } }',
    );
    expect(writes.data).toEqual({ a: { userErrors: [] }, b: null });
    expect(writes.errors).toMatchObject([{ path: ['b'], extensions: { code: 'BAD_USER_INPUT' } }]);
    expect(office.upstream.calls).toHaveLength(2);
  });
});
