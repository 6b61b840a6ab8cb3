// Tests `optiongraph schema diff --with` over an API that describes itself differently to each caller.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createFacade } from '../../../src/facade/facade.ts';
import { readJsonLines } from '../../helpers/cli.ts';
import { runInProcess } from '../../helpers/cli-in-process.ts';
import { action, describeApi, list, type Raw, resource } from '../../helpers/describe-api.ts';
import { ask, collectLog } from '../../helpers/facade.ts';
import { makeFolder } from '../../helpers/folder.ts';
import { ok, startStub } from '../../helpers/stub-upstream.ts';

const state = (required: boolean): Raw => ({
  ...{ type: 'String', label: 'State', required },
  validators: { include: { values: ['open', 'closed'], message: 'is not offered' } },
});
const doors = (required: boolean, more: Raw = {}) =>
  describeApi({
    door: resource({
      index: list('door', 'doors', { id: 'Integer', state: 'String' }, { input: { state: 'String' } }),
      update: action({
        ...{ path: '/doors/{door_id}', method: 'PUT', namespace: 'door', input: { state: state(required) } },
        output: { id: 'Integer', state: 'String' },
      }),
      ...more,
    }),
  });
const ADMIN = doors(false, { delete: action({ path: '/doors/{door_id}', method: 'DELETE' }) });
const USER = doors(true);
const ANONYMOUS = describeApi({
  door: resource({
    index: list(
      'door',
      'doors',
      { id: 'Integer', state: 'String' },
      { input: { state: 'String' }, auth: false },
    ),
  }),
});

test('diff --with names the fields and types in which another caller differs', async () => {
  await using stub = await startStub(ADMIN, {});
  const byToken = new Map([
    ['token-of-admin', ADMIN],
    ['token-of-user', USER],
  ]);
  stub.onOptions = ({ 'x-library-token': token }, { search }) =>
    ok(search.startsWith('?method=') ? {} : (byToken.get(String(token)) ?? ANONYMOUS));
  using folder = makeFolder();
  const profiles = join(folder.path, 'optiongraph', 'profiles');
  mkdirSync(profiles, { recursive: true, mode: 0o700 });
  const profile = {
    upstream: stub.url.href,
    id: 'session-of-user',
    kind: 'token',
    token: 'token-of-user',
    validFrom: 0,
    validTo: null,
  };
  writeFileSync(join(profiles, 'user.json'), JSON.stringify(profile), { mode: 0o600 });
  const compare = async (other: string) => {
    const args = ['schema', 'diff', '--upstream', stub.url.href, '--with', other, '--format', 'ndjson'];
    const env = { XDG_CONFIG_HOME: folder.path, OPTIONGRAPH_TOKEN: 'token-of-admin' };
    const { code, stdout } = await runInProcess(args, env);
    const rows = readJsonLines(stdout) as { effect: string; at: string; change: string }[];
    return {
      code,
      breaking: rows.filter(({ effect }) => effect === 'breaking').map(({ at, change }) => [at, change]),
    };
  };

  expect(await compare('user')).toEqual({
    code: 1,
    breaking: expect.arrayContaining([
      ['Mutation.doorDelete', expect.stringContaining('was removed')],
      ['DoorUpdateInput.state', expect.stringContaining("changed type from 'DoorState' to 'DoorState!'")],
    ]),
  });
  const { breaking } = await compare('anonymous');
  expect(breaking).toContainEqual(['Mutation', expect.stringContaining('was removed')]);
  // The value is an enum for both, although only one sees its values.
  expect(breaking.map(([at]) => at)).not.toContain('Door.state');
});

test('an anonymous caller has the types that a server without a credential of the operator gives', async () => {
  const update = action({
    ...{ path: '/doors/{door_id}', method: 'PUT', namespace: 'door', input: { state: state(false) } },
    output: { id: 'Integer', state: 'String' },
  });
  const index = list('door', 'doors', { id: 'Integer', state: 'String' }, { auth: false });
  await using stub = await startStub(describeApi({ door: resource({ index, update }) }), {});
  const { stdout } = await runInProcess(['schema', 'print', '--upstream', stub.url.href]);
  expect(stdout).toContain('state: DoorState');
  await using facade = await createFacade({ upstream: stub.url, log: collectLog() });
  const { data } = await ask(facade, '{ __type(name: "Door") { fields { name type { name } } } }');
  expect(data?.['__type']).toMatchObject({
    fields: expect.arrayContaining([{ name: 'state', type: { name: 'DoorState' } }]),
  });
});
