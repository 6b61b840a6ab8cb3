// Tests that one list call reads several objects again, and that it never replaces what `show` would answer.

import { describe, expect, it } from 'vitest';
import type { FacadeOptions } from '../../src/facade/facade-options.ts';
import { action, list, type RawParameters, refersTo, resource, show } from '../helpers/describe-api.ts';
import { type DescribedApi, openDescribed } from '../helpers/described.ts';
import { ask } from '../helpers/facade.ts';
import { type Handler, ok, refuse } from '../helpers/stub-upstream.ts';

const USER = { id: 'Integer', name: 'String', email: 'String' } as const;
const PAGING = { limit: 'Integer', from_id: 'Integer' } as const;

interface User {
  readonly id: number | string;
  readonly name: string;
  readonly email: string;
}

/** An API of tasks, each with an owner. Tests change what `user#show` and `user#index` answer. */
interface Users {
  /** What `show` answers: the users by id. */
  readonly shown: Map<string, User>;
  /** What the list answers to its parameters. */
  rows: (from: number, limit: number) => readonly object[];
  /** Ids of the owners of the tasks. */
  owners: readonly (number | string)[];
}

const userOf = (id: number | string): User => ({ id, name: `user ${id}`, email: `${id}@example.org` });
const range = (count: number, start = 1) => Array.from({ length: count }, (_, index) => start + index);

async function openUsers(
  options: Partial<FacadeOptions> = {},
  { id = 'Integer', listed = USER }: { id?: string; listed?: RawParameters } = {},
): Promise<DescribedApi & { readonly users: Users }> {
  const shown = new Map(range(40).map((one) => [String(one), userOf(one)]));
  const users: Users = {
    shown,
    rows: (from, limit) => [...shown.values()].filter((user) => Number(user.id) > from).slice(0, limit),
    owners: range(13),
  };
  const handlers: Record<string, Handler> = {
    'task#index': () => {
      const owner = (one: number | string) => ({ id: one, name: `user ${one}`, _meta: { resolved: false } });
      return ok({ tasks: users.owners.map((one, index) => ({ id: index + 1, owner: owner(one) })) });
    },
    'user#show': ({ path: [one = ''] }) => {
      const user = users.shown.get(one);
      return user === undefined ? refuse('not found', null, 404) : ok({ user });
    },
    'user#index': ({ query }) =>
      ok({ users: users.rows(Number(query.get('user[from_id]') ?? 0), Number(query.get('user[limit]'))) }),
    'user#update': () => ok({}),
  };
  const write = action({
    path: '/users/{user_id}',
    method: 'PUT',
    namespace: 'user',
    input: { name: 'String' },
  });
  const api = await openDescribed(
    {
      task: resource({ index: list('task', 'tasks', { id: 'Integer', owner: refersTo(['user']) }) }),
      user: resource({
        index: list('user', 'users', { ...listed, id }, { input: PAGING }),
        show: show('user', 'users', { ...USER, id }),
        update: write,
      }),
    },
    handlers,
    options,
  );
  return { ...api, users, [Symbol.asyncDispose]: () => api[Symbol.asyncDispose]() };
}

const QUERY = '{ tasks(first: 100) { nodes { owner { name email } } } }';

interface Result {
  readonly emails: readonly (string | null)[];
  readonly codes: readonly unknown[];
  /** Number of calls by scope. */
  readonly calls: Readonly<Record<string, number>>;
}

async function read({ ask, upstream }: DescribedApi, query = QUERY): Promise<Result> {
  const before = upstream.calls.length;
  const { data, errors } = await ask(query);
  const { nodes } = (
    data as unknown as { tasks: { nodes: readonly { owner: { email: string | null } | null }[] } }
  ).tasks;
  const calls: Record<string, number> = {};
  for (const { scope } of upstream.calls.slice(before)) calls[scope] = (calls[scope] ?? 0) + 1;
  return {
    emails: nodes.map(({ owner }) => owner?.email ?? null),
    codes: errors.map(({ extensions }) => extensions['code']),
    calls,
  };
}

/** How often the list was read. */
const listCalls = ({ upstream }: DescribedApi): number =>
  upstream.calls.filter(({ scope }) => scope === 'user#index').length;

const emailsOf = (ids: readonly number[]) => ids.map((id) => `${id}@example.org`);

describe('objects with ids close to each other', () => {
  it('are read by show first, and then by one list call', async () => {
    await using api = await openUsers();
    const first = await read(api);
    expect(first).toEqual({
      emails: emailsOf(range(13)),
      codes: [],
      calls: { 'task#index': 1, 'user#show': 13 },
    });
    const again = await read(api);
    expect(again).toEqual({ emails: first.emails, codes: [], calls: { 'task#index': 1, 'user#index': 1 } });
    const { query } = api.upstream.calls.at(-1) ?? {};
    expect([query?.get('user[from_id]'), query?.get('user[limit]')]).toEqual(['0', '13']);
  });

  it('are read by single calls for another credential, where they are few, and if that is turned off', async () => {
    await using api = await openUsers();
    await read(api);
    const other = await ask(api.facade, QUERY, { headers: { 'x-library-token': 'other' } });
    expect(other.extensions).toMatchObject({ upstream: { calls: 14 } });
    api.users.owners = [1, 2];
    expect((await read(api)).calls).toEqual({ 'task#index': 1, 'user#show': 2 });
    await using off = await openUsers({ savings: { idWindows: false } });
    await read(off);
    expect((await read(off)).calls).toEqual({ 'task#index': 1, 'user#show': 13 });
  });

  it('are read by one call for each group, and by show where they stand apart', async () => {
    await using api = await openUsers();
    for (const id of [500, 501, 502, 9000]) api.users.shown.set(String(id), userOf(id));
    api.users.owners = [1, 2, 3, 500, 501, 502, 9000];
    await read(api);
    expect(await read(api)).toMatchObject({
      emails: emailsOf([1, 2, 3, 500, 501, 502, 9000]),
      calls: { 'task#index': 1, 'user#index': 2, 'user#show': 1 },
    });
  });

  it('are read by one list call if the list ignores its parameters and answers all rows', async () => {
    await using api = await openUsers();
    api.users.rows = () => [...api.users.shown.values()];
    api.users.owners = range(13, 20);
    await read(api);
    for (const _time of range(4))
      expect(await read(api)).toEqual({
        emails: emailsOf(range(13, 20)),
        codes: [],
        calls: { 'task#index': 1, 'user#index': 1 },
      });
  });

  it('take fewer calls than by hand: 50 rows, each with an association and a list', async () => {
    const NOTE = { id: 'Integer', text: 'String' } as const;
    const notes = list('note', 'notes', NOTE, { path: '/tasks/{task_id}/notes', input: PAGING });
    const task = { id: 'Integer', owner: refersTo(['user']), author: refersTo(['user']) } as const;
    const association = (id: number) => ({ id, name: `user ${id}`, _meta: { resolved: false } });
    const users = range(13).map(userOf);
    await using api = await openDescribed(
      {
        task: resource({ index: list('task', 'tasks', task) }, { note: resource({ index: notes }) }),
        user: resource({
          index: list('user', 'users', USER, { input: PAGING }),
          show: show('user', 'users', USER),
        }),
      },
      {
        'task#index': () =>
          ok({
            tasks: range(50).map((id) => ({ id, owner: association((id % 13) + 1), author: association(1) })),
          }),
        'task.note#index': () => ok({ notes: range(10).map((id) => ({ id, text: 'x' })) }),
        'user#index': () => ok({ users }),
        'user#show': ({ path: [id] }) => ok({ user: userOf(Number(id)) }),
      },
    );
    const query =
      '{ tasks(first: 50) { nodes { id owner { email } author { label } notes(first: 10) { nodes { text } } } } }';
    const byHand = await api.ask(query);
    expect(byHand.extensions).toMatchObject({ upstream: { calls: 64 } });
    const again = await api.ask(query);
    expect(again.extensions).toMatchObject({ upstream: { calls: 52 } });
    expect(again.data).toEqual(byHand.data);
  });
});

describe('an object that may differ from what show answered', () => {
  it('is read by show when its row has changed', async () => {
    await using api = await openUsers();
    await read(api);
    api.users.shown.set('5', { ...userOf(5), email: 'new@example.org' });
    const changed = await read(api);
    expect(changed.emails[4]).toBe('new@example.org');
    expect(changed.calls).toEqual({ 'task#index': 1, 'user#index': 1, 'user#show': 1 });
    expect((await read(api)).calls).toEqual({ 'task#index': 1, 'user#index': 1 });
  });

  it('is read by show when the list lacks it, and is refused when show refuses it', async () => {
    await using api = await openUsers();
    await read(api);
    // A default filter hides user 3, who exists; user 4 does not exist any more.
    api.users.shown.delete('4');
    const { rows } = api.users;
    api.users.rows = (from, limit) => rows(from, limit).filter((row) => (row as User).id !== 3);
    const { emails, codes, calls } = await read(api);
    expect(emails.slice(0, 5)).toEqual([...emailsOf([1, 2, 3]), null, '5@example.org']);
    expect(codes).toEqual(['NOT_FOUND']);
    expect(calls).toEqual({ 'task#index': 1, 'user#index': 1, 'user#show': 2 });
  });

  it('is never taken from a list whose rows show refuses or answers otherwise', async () => {
    await using api = await openUsers();
    const everyone = new Map(api.users.shown);
    // The list shows users whom `show` refuses, and hides the addresses of two others.
    api.users.shown.delete('7');
    api.users.rows = (from, limit) =>
      [...everyone.values()]
        .map((user) => (user.id === 8 || user.id === 9 ? { ...user, email: 'hidden' } : user))
        .filter(({ id }) => Number(id) > from)
        .slice(0, limit);
    for (const _time of range(3)) {
      const { emails, codes } = await read(api);
      expect(emails).toEqual(range(13).map((id) => (id === 7 ? null : `${id}@example.org`)));
      expect(codes).toEqual(['NOT_FOUND']);
    }
    expect(listCalls(api)).toBeGreaterThan(0);
  });

  it('is read by show after a write of the credential', async () => {
    await using api = await openUsers();
    await read(api);
    await api.ask('mutation { userUpdate(id: 5, input: { name: "x" }) { userErrors { code } } }');
    expect((await read(api)).calls).toEqual({ 'task#index': 1, 'user#show': 13 });
    expect((await read(api)).calls).toEqual({ 'task#index': 1, 'user#index': 1 });
  });
});

describe('a list that cannot be read by windows', () => {
  const all = (users: Users) => [...users.shown.values()];
  const LISTS: Readonly<Record<string, (users: Users) => Users['rows']>> = {
    'ignores from_id': (users) => (_from, limit) => all(users).reverse().slice(0, limit),
    'is sorted by name, backwards': (users) => (from, limit) =>
      all(users)
        .filter(({ id }) => Number(id) > from)
        .sort((a, b) => (a.name > b.name ? -1 : 1))
        .slice(0, limit),
    'is empty': () => () => [],
    'has rows without ids': (users) => () => all(users).map(({ name, email }) => ({ name, email })),
    'repeats other rows under the same ids': () => (from, limit) =>
      range(limit, from + 1).map((id) => ({ ...userOf(id), name: 'another' })),
    'answers texts as ids': (users) => (from, limit) =>
      all(users)
        .slice(from, from + limit)
        .map((user) => ({ ...user, id: String(user.id) })),
  };

  it.each(Object.entries(LISTS))(
    'because it %s changes no answer, and is tried at most twice',
    async (_name, rowsOf) => {
      await using api = await openUsers();
      api.users.rows = rowsOf(api.users);
      api.users.owners = range(13, 20);
      const expected = { emails: emailsOf(range(13, 20)), codes: [] };
      for (const _time of range(5)) expect(await read(api)).toMatchObject(expected);
      expect([1, 2]).toContain(listCalls(api));
    },
  );

  it('because it fails is replaced by show, and is not tried again', async () => {
    for (const answer of [refuse('broken', null, 500), refuse('no', null, 403)]) {
      await using api = await openUsers();
      api.upstream.handlers.set('user#index', () => answer);
      await read(api);
      for (const _time of range(4))
        expect(await read(api)).toMatchObject({ emails: emailsOf(range(13)), codes: [] });
      expect([1, 2]).toContain(listCalls(api));
    }
  });

  it('in this direction is read in the other', async () => {
    await using api = await openUsers();
    api.users.rows = (from, limit) =>
      all(api.users)
        .reverse()
        .filter(({ id }) => from === 0 || Number(id) < from)
        .slice(0, limit);
    api.users.owners = range(13, 20);
    await read(api);
    await read(api);
    expect(await read(api)).toEqual({
      emails: emailsOf(range(13, 20)),
      codes: [],
      calls: { 'task#index': 1, 'user#index': 1 },
    });
  });

  it('because it lacks a value of show is not tried', async () => {
    await using api = await openUsers({}, { listed: { id: 'Integer', name: 'String' } });
    await read(api);
    expect((await read(api)).calls).toEqual({ 'task#index': 1, 'user#show': 13 });
  });

  it('because ids are texts is not tried', async () => {
    await using api = await openUsers({}, { id: 'String' });
    for (const id of ['a', 'b', 'c', 'd']) api.users.shown.set(id, userOf(id));
    api.users.owners = ['a', 'b', 'c', 'd'];
    await read(api);
    expect((await read(api)).calls).toEqual({ 'task#index': 1, 'user#show': 4 });
  });

  it('takes no call that another field may need', async () => {
    await using api = await openUsers({ limits: { upstream: { calls: 14 } } });
    await read(api);
    api.users.rows = () => [];
    // One call of 14 is made, so a window is tried, in vain.
    expect((await read(api)).codes).toEqual(['UPSTREAM_BUDGET_EXCEEDED']);
    await using short = await openUsers({ limits: { upstream: { calls: 16 } } });
    const aliases = range(8).map((first) => `t${first}: tasks(first: ${first}) { nodes { id } }`);
    const query = `{ ${aliases.join(' ')} tasks(first: 100) { nodes { owner { email } } } }`;
    short.users.owners = range(7);
    await read(short);
    short.users.rows = () => [];
    expect(await read(short, query)).toMatchObject({ emails: emailsOf(range(7)), codes: [] });
  });
});
