// Tests `optiongraph schema`: what it prints, and how it compares the schemas of callers.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  buildClientSchema,
  buildSchema,
  findBreakingChanges,
  lexicographicSortSchema,
  printSchema,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { runInProcess } from '../../../test/helpers/cli-in-process.ts';
import { action, describeApi, list, type Raw, resource } from '../../../test/helpers/describe-api.ts';
import { openDescribedCallers } from '../../../test/helpers/described.ts';
import { makeFolder } from '../../../test/helpers/folder.ts';
import { readJsonLines } from '../../../test/helpers/json-lines.ts';
import { ok, startStub } from '../../../test/helpers/stub-upstream.ts';

describe('schema', () => {
  test('print and json give the schema of the caller', async () => {
    const [admin, anonymous, json] = await Promise.all([
      runInProcess(['schema', 'print', '--sandbox', '--as', 'admin']),
      runInProcess(['schema', 'print', '--sandbox', '--as', 'anonymous']),
      runInProcess(['schema', 'json', '--sandbox', '--as', 'admin']),
    ]);
    expect([admin.code, admin.stderr, anonymous.code, json.code]).toEqual([0, '', 0, 0]);
    expect(admin.stdout, 'that of the repository').toBe(readFileSync('schema.graphql', 'utf8'));
    const [whole, open] = [admin, anonymous].map(({ stdout }) => buildSchema(stdout));
    const introspected = buildClientSchema(JSON.parse(json.stdout).data);
    expect([whole?.getType('Dataset'), open?.getType('Dataset')]).toEqual([expect.anything(), undefined]);
    expect(Object.keys(introspected.getTypeMap()).sort()).toEqual(
      Object.keys(whole?.getTypeMap() ?? {}).sort(),
    );
  });

  test('print --federation gives the caller’s schema as a subgraph', async () => {
    const { code, stdout } = await runInProcess(['schema', 'print', '--sandbox', '--federation']);
    expect([code, stdout.slice(0, 13)]).toEqual([0, 'extend schema']);
    expect(stdout).toMatch(/^type User implements Node @key\(fields: "id"\) \{$/m);
    expect(stdout).not.toContain('datasetMigrate');
  });

  test('diff lists changes, and exits with 1 on a breaking one', async () => {
    using folder = makeFolder();
    const { stdout } = await runInProcess(['schema', 'print', '--sandbox']);
    const file = folder.write('old.graphql', stdout);
    const diff = ['schema', 'diff', file, '--sandbox', '--format', 'ndjson'];
    expect(await runInProcess(diff)).toEqual({
      code: 0,
      stdout: '',
      stderr: '0 breaking, 0 dangerous and 0 safe changes.\n',
    });
    // The old schema had one field more, and lacked another.
    folder.write('old.graphql', stdout.replace(/^ {2}session: .+$/m, '  removed: Int'));
    const { code, stdout: changes } = await runInProcess(diff);
    expect([code, readJsonLines(changes)]).toEqual([
      1,
      [
        { effect: 'breaking', at: 'Query.removed', change: expect.stringContaining('was removed') },
        { effect: 'safe', at: 'Query.session', change: expect.stringContaining('was added') },
        { effect: 'safe', at: 'Query.session', change: expect.stringContaining('has description') },
      ],
    ]);
  });

  test('diff --with finds nothing between a caller and themselves', async () => {
    const same = await runInProcess(['schema', 'diff', '--sandbox', '--as', 'admin', '--with', 'admin']);
    const stderr = '0 breaking, 0 dangerous and 0 safe changes.\n';
    expect(same).toEqual({ code: 0, stdout: '', stderr });
  });

  test.each([
    [[], 'Give the file of an earlier schema, or another caller as --with CALLER.\n'],
    [
      ['README.md', '--with', 'user'],
      'Give the file of an earlier schema, or another caller as --with CALLER.\n',
    ],
    [['--with', 'nobody'], '--with must be one of user, admin, anonymous with --sandbox.\n'],
    [['README.md'], 'The file "README.md" is neither SDL nor the result of introspection: '],
  ])('diff %j is refused: %s', async (more, message) => {
    const { code, stderr } = await runInProcess(['schema', 'diff', '--sandbox', ...more]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`optiongraph: ${message}`)]);
  });
});

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
    ['Bearer operator', ADMIN],
  ]);
  stub.onOptions = ({ authorization, 'x-library-token': token = authorization }, { search }) =>
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
    const env = {
      XDG_CONFIG_HOME: folder.path,
      OPTIONGRAPH_TOKEN: 'token-of-admin',
      UPSTREAM_AUTHORIZATION: 'Bearer operator',
    };
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

test.each([
  ['the anonymous description', null],
  ['the description of the operator', 'operator'],
] as const)(
  'print and json give a caller the names and types of a server with %s',
  async (_base, operator) => {
    const machine = { id: 'Integer', name: 'String', state: 'String' } as const;
    const index = list('machine', 'machines', machine, { auth: false });
    const update = action({
      ...{
        path: '/machines/{machine_id}',
        method: 'PUT',
        namespace: 'machine',
        input: { state: state(false) },
      },
      output: machine,
    });
    const wide = { machine: resource({ index, update }), machine_state: resource({ index }) };
    const narrow = { machine: resource({ index }) };
    const described = { anonymous: operator === null ? wide : narrow, user: narrow, operator: wide };
    await using api = await openDescribedCallers(wide, described, operator);
    const env = {
      OPTIONGRAPH_TOKEN: 'user',
      ...(operator === null ? {} : { UPSTREAM_AUTHORIZATION: `Bearer ${operator}` }),
    };
    const run = (command: string) =>
      runInProcess(['schema', command, '--upstream', api.upstream.url.href], env);
    const served = printSchema(lexicographicSortSchema(await api.schemaOf('user')));
    expect(served).toContain('enum MachineState');
    const { stdout: json } = await run('json');
    expect(printSchema(lexicographicSortSchema(buildClientSchema(JSON.parse(json).data)))).toBe(served);
    const { stdout: printed } = await run('print');
    expect(findBreakingChanges(buildSchema(printed), await api.schemaOf('user'))).toEqual([]);
    expect(findBreakingChanges(await api.schemaOf('user'), buildSchema(printed))).toEqual([]);
  },
);
