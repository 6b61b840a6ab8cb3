// Tests the field `session.user` for callers who cannot read the current user.

import { describe, expect, it } from 'vitest';
import { createFacade } from '../../../src/facade/facade.ts';
import type { FacadeOptions } from '../../../src/facade/facade-options.ts';
import { createCredential } from '../../../src/upstream/http/caller.ts';
import { action, describeApi, list, type Raw, refersTo, resource, show } from '../../helpers/describe-api.ts';
import { ask, collectLog } from '../../helpers/facade.ts';
import { ok, startStub } from '../../helpers/stub-upstream.ts';

const MEMBER = {
  id: 'Integer',
  name: 'String',
  email: 'String',
  team: refersTo(['team']),
} as const;
const current = action({ path: '/members/current', namespace: 'member', output: MEMBER });
const member = resource({ current, show: show('member', 'members', MEMBER) });
const team = resource({ show: show('team', 'teams', { id: 'Integer', name: 'String', secret: 'String' }) });
const notice = resource({ index: list('notice', 'notices', { id: 'Integer' }, { auth: false }) });
const loan = resource({ index: list('loan', 'loans', { id: 'Integer', member: refersTo(['member']) }) });
const request = action({
  path: '/_auth/request',
  method: 'POST',
  namespace: 'token',
  input: { member: 'String' },
  output: { token: 'String' },
  auth: false,
});

const describeAll = (resources: Raw): Raw => ({
  ...describeApi(resources),
  authentication: {
    token: {
      http_header: 'X-Library-Token',
      query_parameter: 'token',
      resources: { token: resource({ request }) },
    },
  },
});
const WHOLE = describeAll({ member, team, notice, loan });

const ID = '{ session { user { id databaseId label __typename } } }';
const MORE = '{ session { user { name email team { id label } } } }';

/** Opens a facade over an API that describes something else to each caller: to the operator, who has the token `operator`, all. */
async function open(described: Readonly<Record<string, Raw>>, options: Partial<FacadeOptions> = {}) {
  const stub = await startStub(WHOLE, {
    'member#current': () => ok({ member: { id: 7, name: 'Ann', email: 'a@b', team: null, role: 'guest' } }),
  });
  const descriptions = new Map<string, Raw>(Object.entries({ operator: WHOLE, ...described }));
  stub.onOptions = ({ 'x-library-token': token = 'anonymous' }, { search }) =>
    ok(search.startsWith('?method=') ? {} : (descriptions.get(String(token)) ?? WHOLE));
  const facade = await createFacade({
    upstream: stub.url,
    descriptionCredential: createCredential('token', 'x-library-token', 'operator'),
    log: collectLog(),
    ...options,
  });
  return {
    stub,
    facade,
    descriptions,
    ask: (query: string, token?: string) =>
      ask(facade, query, token === undefined ? {} : { headers: { 'x-library-token': token } }),
    async [Symbol.asyncDispose]() {
      await facade.close();
      await stub[Symbol.asyncDispose]();
    },
  };
}

const NOBODY = { status: 200, errors: [], data: { session: { user: null } } };

describe('session.user of an anonymous caller', () => {
  it('is null, with the fields that the API describes to anonymous callers', async () => {
    await using at = await open({});
    for (const query of [ID, MORE]) expect(await at.ask(query)).toMatchObject(NOBODY);
    expect(at.stub.calls).toEqual([]);
    expect((await at.ask(ID, 'ann')).data).toEqual({
      session: { user: { id: 'member/7', databaseId: 7, label: 'Ann', __typename: 'Member' } },
    });
  });

  it('is null, with id and label alone, where the API hides users from anonymous callers', async () => {
    await using at = await open({ anonymous: describeAll({ notice }) });
    expect(await at.ask(ID)).toMatchObject(NOBODY);
    const { errors } = await at.ask(MORE);
    expect(errors.map(({ message }) => message)).toEqual([
      expect.stringContaining('"name"'),
      expect.stringContaining('"email"'),
      expect.stringContaining('"team"'),
    ]);
    expect((await at.ask(MORE, 'ann')).errors).toEqual([]);
  });

  it('has the enums that other callers have, though only they see the input with the values', async () => {
    const role = { type: 'String', label: 'Role', validators: { include: { values: ['clerk', 'guest'] } } };
    const output = { ...MEMBER, role: 'String' } as const;
    const update = action({
      path: '/members/{member_id}',
      method: 'PUT',
      namespace: 'member',
      input: { role },
      output,
    });
    const users = {
      current: action({ path: '/members/current', namespace: 'member', output }),
      show: show('member', 'members', output),
    };
    const operator = describeAll({ member: resource({ ...users, update }), team, notice, loan });
    const anonymous = describeAll({ member: resource(users), team, notice, loan });
    await using at = await open({ operator, anonymous, ann: anonymous });
    const TYPE = '{ __type(name: "Member") { fields { name type { name kind } } } }';
    for (const caller of [undefined, 'ann', 'operator']) {
      const { data } = await at.ask(TYPE, caller);
      const role = { name: 'role', type: { name: 'MemberRole', kind: 'ENUM' } };
      expect(data?.['__type']).toMatchObject({ fields: expect.arrayContaining([role]) });
      expect((await at.ask('{ session { user { role } } }', caller)).data).toEqual({
        session: { user: caller === undefined ? null : { role: 'GUEST' } },
      });
    }
  });

  it('opens no field of another resource that needs a credential', async () => {
    await using at = await open({});
    const types =
      '{ team: __type(name: "Team") { fields { name } } query: __type(name: "Query") { fields { name } } }';
    const { data } = await at.ask(types);
    const names = (type: unknown) => (type as { fields: { name: string }[] }).fields.map(({ name }) => name);
    expect(names(data?.['team'])).toEqual(['databaseId', 'id', 'label']);
    expect(names(data?.['query'])).toEqual(['notices', 'session']);
  });

  it('does not exist where no caller has an action that answers it', async () => {
    const without = describeAll({ team, notice, loan });
    await using at = await open({ operator: without, anonymous: without });
    expect((await at.ask(ID)).errors[0]?.message).toContain('Cannot query field "user"');
  });

  it('does not exist where the operator hides the action', async () => {
    await using at = await open({}, { hide: ['member#*'] });
    expect((await at.ask(ID)).errors[0]?.message).toContain('Cannot query field "user"');
  });

  it('follows a description of the operator that changes', async () => {
    const without = describeAll({ team, notice, loan });
    await using at = await open({ operator: without, anonymous: describeAll({ notice }) });
    expect((await at.ask(ID)).errors[0]?.message).toContain('Cannot query field "user"');
    at.descriptions.set('operator', WHOLE);
    await at.facade.refresh();
    expect(await at.ask(ID)).toMatchObject(NOBODY);
  });
});

describe('session.user of a caller with a credential who has no action for it', () => {
  it('is FORBIDDEN, and null', async () => {
    await using at = await open({ limited: describeAll({ notice, loan }) });
    const { data, errors } = await at.ask(ID, 'limited');
    expect(data).toEqual({ session: { user: null } });
    expect(errors).toMatchObject([{ path: ['session', 'user'], extensions: { code: 'FORBIDDEN' } }]);
  });
});
