// Tests `optiongraph schema` and `describe` over the sandbox.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildClientSchema, buildSchema } from 'graphql';
import { describe, expect, test } from 'vitest';
import { readJsonLines, runCli } from '../../helpers/cli.ts';
import { runInProcess } from '../../helpers/cli-in-process.ts';
import { makeFolder } from '../../helpers/folder.ts';

describe('schema', () => {
  test('print and json give the schema of the caller', async () => {
    const [admin, anonymous, json] = await Promise.all([
      runInProcess(['schema', 'print', '--sandbox', '--as', 'admin']),
      runInProcess(['schema', 'print', '--sandbox', '--as', 'anonymous']),
      runInProcess(['schema', 'json', '--sandbox', '--as', 'admin']),
    ]);
    expect([admin.code, admin.stderr, anonymous.code, json.code]).toEqual([0, '', 0, 0]);
    const [whole, open] = [admin, anonymous].map(({ stdout }) => buildSchema(stdout));
    const introspected = buildClientSchema(JSON.parse(json.stdout).data);
    expect([whole?.getType('Dataset'), open?.getType('Dataset')]).toEqual([expect.anything(), undefined]);
    expect(Object.keys(introspected.getTypeMap()).sort()).toEqual(
      Object.keys(whole?.getTypeMap() ?? {}).sort(),
    );
  });

  test('print gives the schema that the repository has', async () => {
    const { stdout } = await runCli(['schema', 'print', '--sandbox', '--as', 'admin']).ended;
    expect(stdout).toBe(readFileSync('schema.graphql', 'utf8'));
  });

  test('print --federation gives the caller’s schema as a subgraph', async () => {
    const { code, stdout } = await runInProcess(['schema', 'print', '--sandbox', '--federation']);
    expect([code, stdout.slice(0, 13)]).toEqual([0, 'extend schema']);
    expect(stdout).toMatch(/^type User implements Node @key\(fields: "id"\) \{$/m);
    expect(stdout).not.toContain('datasetMigrate');
  });

  test('diff lists changes, and exits with 1 on a breaking one', async () => {
    using folder = makeFolder();
    const file = join(folder.path, 'old.graphql');
    const { stdout } = await runInProcess(['schema', 'print', '--sandbox']);
    const diff = ['schema', 'diff', file, '--sandbox', '--format', 'ndjson'];
    writeFileSync(file, stdout);
    expect(await runInProcess(diff)).toEqual({
      code: 0,
      stdout: '',
      stderr: '0 breaking, 0 dangerous and 0 safe changes.\n',
    });
    // The old schema had one field more, and lacked another.
    writeFileSync(file, stdout.replace(/^ {2}session: .+$/m, '  removed: Int'));
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

  test('diff --with lists what another caller lacks, and exits with 1', async () => {
    const { code, stdout } = await runInProcess([
      ...['schema', 'diff', '--sandbox', '--as', 'admin', '--with', 'anonymous', '--format', 'ndjson'],
    ]);
    const changes = readJsonLines(stdout) as { effect: string; at: string; change: string }[];
    expect(code).toBe(1);
    expect(changes).toContainEqual({
      effect: 'breaking',
      at: 'Query.datasets',
      change: expect.stringContaining('was removed'),
    });
    const same = await runInProcess(['schema', 'diff', '--sandbox', '--as', 'admin', '--with', 'admin']);
    expect([same.code, same.stdout, same.stderr]).toEqual([
      0,
      '',
      '0 breaking, 0 dangerous and 0 safe changes.\n',
    ]);
  });

  test('diff needs either a file or another caller', async () => {
    const given = [[], ['README.md', '--with', 'user'], ['--with', 'nobody']];
    const results = await Promise.all(
      given.map((more) => runInProcess(['schema', 'diff', '--sandbox', ...more])),
    );
    expect(results.map(({ code, stderr }) => [code, stderr])).toEqual([
      [2, 'optiongraph: Give the file of an earlier schema, or another caller as --with CALLER.\n'],
      [2, 'optiongraph: Give the file of an earlier schema, or another caller as --with CALLER.\n'],
      [2, 'optiongraph: --with must be one of user, admin, anonymous with --sandbox.\n'],
    ]);
  });

  test('diff refuses a file that is no schema', async () => {
    const { code, stderr } = await runInProcess(['schema', 'diff', 'README.md', '--sandbox']);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(
        /^optiongraph: The file "README\.md" is neither SDL nor the result of introspection: /,
      ),
    ]);
  });
});

describe('describe', () => {
  test('lists the actions that the API offers the caller', async () => {
    const [all, some] = await Promise.all([
      runCli(['describe', '--sandbox', '--format', 'json']).ended,
      runCli(['describe', '--sandbox', 'dataset.snapshot']).ended,
    ]);
    expect([all.code, JSON.parse(all.stdout)]).toEqual([
      0,
      expect.arrayContaining([
        expect.objectContaining({
          action: 'dataset#create',
          method: 'POST',
          blocking: true,
          input: expect.objectContaining({ name: 'String!' }),
        }),
      ]),
    ]);
    const [head, ...rows] = some.stdout.trim().split('\n');
    expect(head).toMatch(/^action +method +path/);
    expect(rows.length).toBeGreaterThan(1);
    for (const row of rows) expect(row).toMatch(/^dataset\.snapshot#/);
  });

  test('suggests the name of a resource', async () => {
    const { code, stdout, stderr } = await runInProcess(['describe', '--sandbox', 'datset']);
    expect({ code, stdout, stderr }).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('did you mean dataset?'),
    });
  });

  test('diff lists what was removed, changed and added', async () => {
    using folder = makeFolder();
    const file = join(folder.path, 'described.json');
    const { stdout } = await runInProcess(['describe', '--sandbox', '--format', 'json']);
    const described: readonly { readonly action: string }[] = JSON.parse(stdout);
    const old = described.map((one) => {
      if (one.action === 'dataset#create') return { ...one, action: 'dataset#made' };
      return one.action === 'dataset#show' ? { ...one, method: 'POST' } : one;
    });
    writeFileSync(file, JSON.stringify(old));
    const { code, stdout: changes } = await runInProcess([
      ...['describe', 'diff', file, '--sandbox', '--format', 'json'],
    ]);
    expect([code, JSON.parse(changes)]).toEqual([
      1,
      [
        { change: 'removed', action: 'dataset#made', what: '' },
        { change: 'changed', action: 'dataset#show', what: 'method POST → GET' },
        { change: 'added', action: 'dataset#create', what: '' },
      ],
    ]);
  });
});
