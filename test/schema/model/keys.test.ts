// Tests ids of objects whose lists do not tell them, and `databaseId`.

import { describe, expect, it } from 'vitest';
import { assembleSchema } from '../../../src/schema/assemble.ts';
import { parseOverrides } from '../../../src/schema/model/overrides.ts';
import { parseDescription } from '../../../src/upstream/description/parse-description.ts';
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
import { type DescribedApi, openDescribed } from '../../helpers/described.ts';
import { ok, type StubCall } from '../../helpers/stub-upstream.ts';

const WINDOW = { weekday: 'Integer', opens: 'Integer', name: 'String' } as const;
const ROOM = { id: 'Integer' } as const;
const WINDOW_PATH = '/rooms/{room_id}/windows/{window_id}';

/** Describes rooms with windows, whose path id is their weekday. */
const rooms = (window: RawParameters = WINDOW, more: Raw = {}): Raw => ({
  room: resource(
    { index: list('room', 'rooms', ROOM), show: show('room', 'rooms', ROOM) },
    {
      window: resource({
        index: list('window', 'windows', window, { path: '/rooms/{room_id}/windows' }),
        show: action({ path: WINDOW_PATH, namespace: 'window', output: window }),
        update: action({
          method: 'PUT',
          path: WINDOW_PATH,
          namespace: 'window',
          input: { opens: 'Integer', name: 'String' },
          output: {},
        }),
      }),
    },
  ),
  ...more,
});

const windowOn = (weekday: number) => ({ weekday, opens: 8, name: `day ${weekday}` });
const HANDLERS = {
  'room#index': () => ok({ rooms: [{ id: 1 }] }),
  'room#show': () => ok({ room: { id: 1 } }),
  'room.window#index': () => ok({ windows: [windowOn(0), windowOn(6)] }),
  'room.window#show': ({ path }: StubCall) => ok({ window: windowOn(Number(path[1])) }),
};
const open = (overrides: Raw = {}, description = rooms()) =>
  openDescribed(description, HANDLERS, { overrides: parseOverrides(overrides) });

const WINDOWS = '{ room(id: 1) { windows { nodes { id weekday } } } }';
const fieldsOf = async (at: DescribedApi, name: string) => {
  const { data } = await at.ask(`{ __type(name: "${name}") {
    interfaces { name } fields { name type { kind name ofType { name } } } } }`);
  const type = (data as unknown as { __type: { interfaces: Raw[]; fields: { name: string; type: Raw }[] } })
    .__type;
  const kinds = new Map(type.fields.map((field) => [field.name, field.type['kind']]));
  return { isNode: type.interfaces.length > 0, id: kinds.get('id'), databaseId: kinds.get('databaseId') };
};
const findingsOf = (description: Raw, overrides: Raw = {}) =>
  assembleSchema(parseDescription(describeApi(description)), parseOverrides(overrides)).findings;

describe('a list that does not tell the ids of its rows', () => {
  it('has rows whose ids are null, and fails nothing', async () => {
    await using at = await open();
    const { data, errors } = await at.ask(WINDOWS);
    expect(errors).toEqual([]);
    const nodes = [
      { id: null, weekday: 0 },
      { id: null, weekday: 6 },
    ];
    expect(data).toEqual({ room: { windows: { nodes } } });
  });

  it('makes the type no `Node`, and says which override would', async () => {
    await using at = await open();
    expect(await fieldsOf(at, 'RoomWindow')).toMatchObject({ isNode: false, id: 'SCALAR' });
    expect(await fieldsOf(at, 'Room')).toMatchObject({ isNode: true, id: 'NON_NULL' });
    expect(findingsOf(rooms())).toEqual([
      {
        code: 'ROW_IDS_UNKNOWN',
        path: 'room.window#index',
        reason: expect.stringContaining('"pathIds": { "room.window": "…" }'),
      },
    ]);
  });

  it('leaves the id known where the client or the metadata of the row gives it', async () => {
    await using at = await open();
    at.upstream.handlers.set('room.window#index', () =>
      ok({ windows: [{ ...windowOn(6), _meta: { path_params: [1, 6] } }] }),
    );
    const { data, errors } = await at.ask(
      '{ room(id: 1) { windows { nodes { id } } window(id: 3) { id name } } }',
    );
    expect(errors).toEqual([]);
    expect(data).toEqual({
      room: {
        windows: { nodes: [{ id: 'room/1/window/6' }] },
        window: { id: 'room/1/window/3', name: 'day 3' },
      },
    });
  });

  it('lets `node` refuse an id of the type', async () => {
    await using at = await open();
    const { errors } = await at.ask('{ node(id: "room/1/window/3") { id } }');
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
    expect(errors[0]?.message).toContain('RoomWindow');
  });
});

describe('a path id that the overrides name', () => {
  const PATH_IDS = { pathIds: { 'room.window': 'weekday' } };

  it('identifies the rows of lists', async () => {
    await using at = await open(PATH_IDS);
    const { data, errors } = await at.ask('{ room(id: 1) { windows { nodes { id databaseId weekday } } } }');
    expect(errors).toEqual([]);
    const nodes = [0, 6].map((day) => ({ id: `room/1/window/${day}`, databaseId: day, weekday: day }));
    expect(data).toEqual({ room: { windows: { nodes } } });
    expect(await fieldsOf(at, 'RoomWindow')).toMatchObject({ isNode: true, id: 'NON_NULL' });
    expect(findingsOf(rooms(), PATH_IDS)).toEqual([]);
  });

  it('is served by `node`, and fetches what rows lack', async () => {
    await using at = await open(PATH_IDS);
    at.upstream.handlers.set('room.window#index', () => ok({ windows: [{ weekday: 6 }] }));
    const { data, errors } = await at.ask(
      '{ node(id: "room/1/window/3") { id } room(id: 1) { windows { nodes { name } } } }',
    );
    expect(errors).toEqual([]);
    expect(data).toEqual({
      node: { id: 'room/1/window/3' },
      room: { windows: { nodes: [{ name: 'day 6' }] } },
    });
  });

  it('works where the placeholder has another name than the resource', async () => {
    const description = rooms();
    const text = JSON.stringify(description).replaceAll('{window_id}', '{slot}');
    await using at = await open(PATH_IDS, JSON.parse(text) as Raw);
    const { data, errors } = await at.ask(
      '{ room(id: 1) { windows { nodes { id } } window(id: 3) { id } } }',
    );
    expect(errors).toEqual([]);
    expect(data).toEqual({
      room: {
        windows: { nodes: [{ id: 'room/1/window/0' }, { id: 'room/1/window/6' }] },
        window: { id: 'room/1/window/3' },
      },
    });
  });

  it.each([
    ['no output', 'month'],
    ['no text or integer', 'placed'],
  ])('is left out with a finding where it is %s of the resource', async (_name, parameter) => {
    const window = { ...WINDOW, placed: refersTo(['room']) };
    await using at = await open({ pathIds: { 'room.window': parameter } }, rooms(window));
    expect((await at.ask(WINDOWS)).errors).toEqual([]);
    expect(findingsOf(rooms(window), { pathIds: { 'room.window': parameter } })).toContainEqual({
      code: 'OVERRIDE_UNUSABLE',
      path: 'room.window',
      reason: expect.stringContaining(parameter),
    });
  });
});

it('an id identifies rows also where `show` describes it with another type', async () => {
  await using at = await openDescribed(
    {
      book: resource({
        index: list('book', 'books', { id: 'String', title: 'String' }),
        show: show('book', 'books', { id: 'Integer', title: 'String' }),
      }),
    },
    { 'book#index': () => ok({ books: [{ id: '1', title: 'One' }] }) },
  );
  const { data, errors } = await at.ask('{ books { nodes { id title } } }');
  expect(errors).toEqual([]);
  expect(data).toEqual({ books: { nodes: [{ id: 'book/1', title: 'One' }] } });
});

it('the key by which associations identify an object identifies its rows', async () => {
  const USER = { name: 'String', role: 'String' } as const;
  const owner = refersTo(['user'], 'name', { value_id: 'name' });
  await using at = await openDescribed(
    {
      user: resource({ index: list('user', 'users', USER), show: show('user', 'users', USER) }),
      book: resource({ index: list('book', 'books', { id: 'Integer', owner }) }),
    },
    {
      'user#index': () => ok({ users: [{ name: 'ann', role: 'r' }] }),
      'book#index': () => ok({ books: [{ id: 1, owner: { name: 'ann' } }] }),
    },
  );
  const { data, errors } = await at.ask('{ users { nodes { id } } books { nodes { owner { id } } } }');
  expect(errors).toEqual([]);
  expect(data).toEqual({
    users: { nodes: [{ id: 'user/ann' }] },
    books: { nodes: [{ owner: { id: 'user/ann' } }] },
  });
});

describe('`databaseId`', () => {
  const shelf = (id: string) => ({ shelf: resource({ index: list('shelf', 'shelves', { id }) }) });
  it.each([
    ['a resource with integer ids', shelf('Integer'), 'Shelf', 'SCALAR'],
    ['a resource with text ids', shelf('String'), 'Shelf', undefined],
    [
      'a singleton',
      {
        shelf: resource({
          show: action({ path: '/shelf', namespace: 'shelf', output: { size: 'Integer' } }),
        }),
      },
      'Shelf',
      undefined,
    ],
    [
      'a resource of which only the name is known',
      { book: resource({ index: list('book', 'books', { id: 'Integer', shelf: refersTo(['shelf']) }) }) },
      'Shelf',
      'SCALAR',
    ],
  ])('exists only where it can be an integer: %s', async (_name, description, type, kind) => {
    await using at = await openDescribed(description);
    expect(await fieldsOf(at, type)).toMatchObject({ id: 'NON_NULL', databaseId: kind });
  });
});
