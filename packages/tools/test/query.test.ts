// Tests `optiongraph query` and `explain` over the sandbox.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCli } from '../../../test/helpers/cli.ts';
import { runInProcess } from '../../../test/helpers/cli-in-process.ts';
import { action, describeApi, list, refersTo, resource, show } from '../../../test/helpers/describe-api.ts';
import { makeFolder } from '../../../test/helpers/folder.ts';
import { readJsonLines } from '../../../test/helpers/json-lines.ts';
import { listen } from '../../../test/helpers/plain-server.ts';
import { admin, stateId, write } from '../../../test/helpers/sandbox-requests.ts';
import { ok, type StubUpstream, startStub } from '../../../test/helpers/stub-upstream.ts';
import { listenSandbox } from '../../sandbox/src/listen-sandbox.ts';

/** What a query of a list selects for `--paginate`. */
const PAGE = 'pageInfo { hasNextPage endCursor }';
const NAMES = '{ datasets(first: 2) { nodes { name user { label } } } }';

/** Runs `query` over the sandbox in this process. */
const query = (...args: readonly string[]) => runInProcess(['query', '--sandbox', ...args]);

const DATASET = { id: 'Integer', name: 'String', user: refersTo(['user'], 'login') } as const;
const rowOf = (id: number) => ({ id, name: `set ${id}`, user: { id: 2, login: 'user' } });

/** A small API, which starts in a fraction of the time of the sandbox. */
let api: StubUpstream;
const sandbox = await listenSandbox();
beforeAll(async () => {
  const deleted = action({ path: '/datasets/{dataset_id}', method: 'DELETE', namespace: 'dataset' });
  const actions = {
    index: list('dataset', 'datasets', DATASET, { input: { limit: 'Integer', from_id: 'Integer' } }),
    show: show('dataset', 'datasets', DATASET),
    delete: deleted,
  };
  api = await startStub(describeApi({ dataset: resource(actions) }), {
    'dataset#index': () => ok({ datasets: [rowOf(11), rowOf(12)] }),
    'dataset#show': ({ path: [id] }) => ok({ dataset: rowOf(Number(id)) }),
  });
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await sandbox.close();
});

/** Runs `query` over the small API in this process. */
const ask = (args: readonly string[], input?: string) =>
  runInProcess(['query', '--upstream', api.url.href, ...args], { OPTIONGRAPH_TOKEN: 'one' }, input ?? null);

const lines = (text: string): readonly string[] => text.split('\n').slice(0, -1);

describe('query', () => {
  test('prints the data as JSON', async () => {
    const { code, stdout, stderr } = await runCli(['query', '--sandbox', NAMES]).ended;
    expect(JSON.parse(stdout)).toEqual({
      datasets: {
        nodes: [
          { name: expect.any(String), user: { label: 'user' } },
          { name: expect.any(String), user: { label: 'user' } },
        ],
      },
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining('error') });
  });

  test('prints rows as a table or one a line', async () => {
    const [table, rows] = await Promise.all(
      ['table', 'ndjson'].map((format) => ask(['--format', format, NAMES])),
    );
    expect(lines(table?.stdout ?? '')).toEqual([
      expect.stringMatching(/^name +user\.label$/),
      expect.stringMatching(/^set 11 +user$/),
      expect.stringMatching(/^set 12 +user$/),
    ]);
    expect(readJsonLines(rows?.stdout ?? '')).toEqual([
      { name: expect.any(String), user: { label: 'user' } },
      { name: expect.any(String), user: { label: 'user' } },
    ]);
  });

  test('prints rows as CSV, with the names of columns once', async () => {
    const document =
      '{ datasets(first: 2) { nodes { name user { label } snapshots(first: 2) { nodes { name } } } } }';
    const { stdout } = await query('--format', 'csv', document);
    const [head, first = '', ...others] = lines(stdout);
    expect([head, others.length]).toEqual(['name,user.label,snapshots.nodes', 1]);
    expect(first).toMatch(/^[\w/]+,user,("\[\{""name"":.+\]"|\[\])$/);
    const paged = `query ($endCursor: String) { datasets(first: 20, after: $endCursor) { nodes { name } ${PAGE} } }`;
    const pages = await query('--format', 'csv', '--paginate', paged);
    expect(lines(pages.stdout).filter((line) => line === 'name')).toEqual(['name']);
  });

  test('prints the names of columns once for all events of a subscription', async () => {
    await using sandbox = await listenSandbox({ step: 'manual' });
    // The action goes on with each look at it.
    sandbox.onRequest(({ path }) => {
      if (path.includes('action_states')) setImmediate(() => sandbox.advance(1));
    });
    const body = { dataset: { name: 'followed' } };
    const id = stateId(await write(sandbox, 'POST', '/v7.0/datasets', admin(sandbox), body));
    const document = `subscription { actionProgress(id: "${id}", minInterval: 0.1) { current finished } }`;
    const args = ['query', document, '--upstream', sandbox.url, '--format', 'table'];
    const { stdout } = await runInProcess(args, { OPTIONGRAPH_TOKEN: admin(sandbox).token });
    const [head, ...rows] = lines(stdout);
    expect(head).toBe('actionProgress.current  actionProgress.finished');
    expect(rows.length).toBeGreaterThan(1);
    for (const row of rows) expect(row).toMatch(/^\d {23}(true|false)$/);
  });

  test('reads the document from a file or standard input, with variables', async () => {
    using folder = makeFolder();
    const text = 'query One($id: ID!) { dataset(id: $id) { databaseId } } query Other { __typename }';
    const file = folder.write('one.graphql', text);
    const variables = folder.write('variables.json', { id: '12' });
    const endings = await Promise.all([
      ask([file, '--operation', 'One', '--variable', 'id=12']),
      ask(['-', '--operation', 'One', '--variables', variables], text),
    ]);
    for (const { code, stdout } of endings)
      expect({ code, data: JSON.parse(stdout) }).toEqual({ code: 0, data: { dataset: { databaseId: 12 } } });
  });

  test.each([
    ['datasets.nodes[].user.label', ['user', 'user']],
    ['length(datasets.nodes)', [2]],
  ])('--select %s gives a part of the data', async (expression, values) => {
    const { code, stdout } = await ask(['--format', 'ndjson', NAMES, '--select', expression]);
    expect([code, readJsonLines(stdout)]).toEqual([0, values]);
  });

  test.each([
    ['json', 'datasets.nodes[0].user.label', 'user\n'],
    ['json', 'datasets.nodes[0].user', '{"label":"user"}\n'],
    ['table', 'datasets.nodes[].user', 'user\nuser\n'],
  ])('--raw prints %s of %s for pipes', async (format, expression, text) => {
    const { code, stdout } = await ask([NAMES, '--raw', '--format', format, '--select', expression]);
    expect([code, stdout]).toEqual([0, text]);
  });

  test('--select warns where it finds nothing', async () => {
    const { code, stdout, stderr } = await ask([NAMES, '--select', 'datasets.nodes.name']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'null\n' });
    expect(stderr).toMatch(
      /^warning: --select finds nothing at datasets\.nodes\.name\. Write lists like .+\n$/,
    );
  });

  test('walks a list to its end, and prints each row once', async () => {
    const all = `query ($n: Int, $endCursor: String) { all: datasets(first: $n, after: $endCursor) { nodes { databaseId } totalCount ${PAGE} } }`;
    const { code, stdout } = await query('--as', 'admin', '--paginate', all, '--variable', 'n=5');
    const ids = readJsonLines(stdout).map(({ databaseId }) => databaseId);
    expect([code, new Set(ids).size]).toEqual([0, ids.length]);
    const count = await query('--as', 'admin', '{ datasets(first: 0) { totalCount } }');
    expect(JSON.parse(count.stdout)).toEqual({ datasets: { totalCount: ids.length } });
    expect(ids.length).toBeGreaterThan(5);
  });

  test('walks a list within an object and a fragment, from a given cursor', async () => {
    const fragment = `fragment F on Dataset { snapshots(first: 1, after: $endCursor) { edges { cursor } ${PAGE} } }`;
    const text = `query ($endCursor: String) { node(id: "dataset/12") { id ...F } } ${fragment}`;
    const { code, stdout } = await query('--paginate', text);
    const rows = readJsonLines(stdout);
    expect([code, rows.length]).toEqual([0, 7]);
    const rest = await query('--paginate', text, '--variable', `endCursor=${rows[4]?.['cursor']}`);
    expect(readJsonLines(rest.stdout)).toEqual(rows.slice(5));
  });

  test('does not print the same page for ever when another list takes the cursor', async () => {
    const text = `query ($endCursor: String) { one: datasets(first: 1) { nodes { name } ${PAGE} } two: datasets(after: $endCursor) { totalCount } }`;
    const { code, stdout, stderr } = await query('--paginate', text);
    expect([code, lines(stdout).length]).toEqual([2, 1]);
    expect(stderr).toContain('--paginate needs a query of a list and its cursor');
  });

  test('prints each event of a subscription', async () => {
    const text = 'subscription { actionProgress(id: 102) { outcome } }';
    const { code, stdout } = await query(text);
    expect([code, lines(stdout).at(-1)]).toEqual([0, '{"actionProgress":{"outcome":"SUCCEEDED"}}']);
  });
});

describe('the exit code of query says what is wrong', () => {
  test('1: a refused write, whose payload is printed', async () => {
    const text =
      'mutation { datasetCreate(input: { name: "../bad" }) { dataset { id } userErrors { message path } } }';
    const { code, stdout, stderr } = await query(text);
    expect([code, JSON.parse(stdout)]).toMatchObject([1, { datasetCreate: { dataset: null } }]);
    expect(stderr).toContain('refused: datasetCreate.input.name: ');
  });

  test.each<readonly [readonly string[], string]>([
    [['{ datsets { id } }'], 'Cannot query field "datsets"'],
    [['{ datasets '], 'The document is invalid at line 1, column 12'],
    [['missing.graphql'], 'The file "missing.graphql" cannot be read'],
    [['--paginate', '{ __typename }'], '--paginate needs a query of a list and its cursor'],
    [
      ['--paginate', 'mutation ($endCursor: ID!) { datasetDelete(id: $endCursor) { deletedId } }'],
      '--paginate is for queries with one result, not for mutations,',
    ],
    [
      ['--select', 'datasets[', 'mutation { datasetDelete(id: 12) { deletedId } }'],
      '--select must be a JMESPath',
    ],
    [['--variable', 'id', '{ __typename }'], '--variable must be like id=7.'],
    [['--variables', '{ id', '{ __typename }'], '--variables must be JSON.'],
    [['--formt', 'json', '{ __typename }'], 'Did you mean --format?'],
    [['--format', 'xml', '{ __typename }'], 'Allowed choices are json, ndjson, table, csv.'],
  ])('2: %j, which cannot be read, validated or paged', async (args, message) => {
    const { code, stdout, stderr } = await ask(args);
    expect({ code, stdout, stderr }).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(message),
    });
  });

  test('3: the API cannot be reached', async () => {
    await using free = await listen(() => {});
    await free.close();
    const { code, stderr } = await runInProcess(['query', '--upstream', free.url, NAMES]);
    expect({ code, stderr }).toEqual({
      code: 3,
      stderr: expect.stringMatching(/^optiongraph: The management API at \S+ cannot be reached: .+\n$/),
    });
  });

  test('4: the API does not know the credential, which is not repeated', async () => {
    const secrets = {
      OPTIONGRAPH_AUTHORIZATION: 'Bearer s3cr3t-of-mine',
      OPTIONGRAPH_TOKEN: 's3cr3t-of-mine',
    };
    for (const [name, value] of Object.entries(secrets)) {
      const ending = await runInProcess(['query', '--upstream', sandbox.url, NAMES], { [name]: value });
      expect(ending).toEqual({
        code: 4,
        stdout: '',
        stderr:
          'optiongraph: The management API does not know the credential. Check OPTIONGRAPH_AUTHORIZATION or OPTIONGRAPH_TOKEN.\n',
      });
    }
  });
});

test('a query runs as the caller of a token or password', async () => {
  const { login, password, token } = sandbox.users[1] ?? {};
  const basic = Buffer.from(`${login}:${password}`).toString('base64');
  const args = ['query', '--upstream', sandbox.url, '--format', 'ndjson', NAMES];
  const endings = await Promise.all([
    runInProcess(args, { OPTIONGRAPH_TOKEN: `${token}` }),
    runInProcess(args, { OPTIONGRAPH_AUTHORIZATION: `Basic ${basic}` }),
  ]);
  for (const { code, stdout } of endings)
    expect([code, readJsonLines(stdout).map(({ user }) => user.label)]).toEqual([0, [login, login]]);
});

describe('explain', () => {
  test('lists the calls of a query, and estimates its cost', async () => {
    const { code, stdout, stderr } = await runInProcess([
      'explain',
      '--sandbox',
      '--format',
      'ndjson',
      NAMES,
    ]);
    const calls = readJsonLines(stdout);
    expect([code, calls]).toMatchObject([0, [{ action: 'dataset#index', status: 200 }]]);
    expect(stderr).toMatch(/^Estimated: \d+ points; .+\nMade: 1 calls/);
  });

  test('executes no mutation', async () => {
    const methods = new Set<string>();
    sandbox.onRequest(({ method }) => methods.add(method));
    const text = 'mutation { datasetDelete(id: 12) { deletedId } }';
    const { code, stdout, stderr } = await runInProcess(['explain', '--upstream', sandbox.url, text], {
      OPTIONGRAPH_TOKEN: admin(sandbox).token,
    });
    expect({ code, stdout, stderr, methods }).toEqual({
      code: 0,
      stdout: '',
      stderr: expect.stringMatching(/^Estimated.+\nThe mutation is not executed, .+\n$/),
      methods: new Set(['OPTIONS']),
    });
  });
});
