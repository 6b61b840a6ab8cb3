// Tests `optiongraph query` and other commands at a running Optiongraph in place of a management API.
import { beforeAll, describe, expect, test } from 'vitest';
import { runInProcess } from '../../../test/helpers/cli-in-process.ts';
import { readJsonLines } from '../../../test/helpers/json-lines.ts';
import { listen } from '../../../test/helpers/plain-server.ts';
import { sharePair } from '../../../test/helpers/shared-pair.ts';

const extendSchema = {
  typeDefs: `extend type Query { motd: String torn(after: String): Torn }
    type Torn { nodes: [String!] pageInfo: PageInfo! }`,
  resolvers: {
    Query: { motd: () => 'hello', torn: () => ({ pageInfo: { hasNextPage: false, endCursor: null } }) },
    Torn: { nodes: () => Promise.reject(new Error('no nodes')) },
  },
};
const pair = sharePair({ sandbox: { step: 1 }, facade: { extendSchema } });
let env: Readonly<Record<string, string>>;
beforeAll(() => {
  env = { OPTIONGRAPH_TOKEN: pair.headers('admin')[pair.sandbox.tokenHeader] ?? '' };
});

const run = (args: readonly string[], given = env) =>
  runInProcess([...args, '--upstream', new URL('/', pair.url).href], given);

describe('at a running Optiongraph, by its root or its endpoint', () => {
  test('query executes there, with the credential and the server’s own fields', async () => {
    const document = '{ motd session { user { label } } }';
    for (const url of [pair.url, new URL('/', pair.url).href]) {
      const { code, stdout, stderr } = await runInProcess(['query', document, '--upstream', url], env);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(JSON.parse(stdout)).toEqual({ motd: 'hello', session: { user: { label: 'admin' } } });
    }
  });

  test('query reads all pages of a list', async () => {
    const { code, stdout } = await run([
      'query',
      '--paginate',
      'query ($endCursor: String) { datasets(first: 50, after: $endCursor) { nodes { databaseId } pageInfo { hasNextPage endCursor } } }',
    ]);
    const { data } = await pair.ask<{ datasets: { totalCount: number } }>(
      '{ datasets(first: 1) { totalCount } }',
    );
    expect([code, readJsonLines(stdout).length]).toEqual([0, data?.datasets.totalCount]);
  });

  test('query shows the errors of a list without rows', async () => {
    const document =
      'query ($endCursor: String) { torn(after: $endCursor) { nodes pageInfo { hasNextPage endCursor } } }';
    const { stdout, stderr } = await run(['query', '--paginate', document]);
    expect([stdout, stderr]).toEqual(['', expect.stringMatching(/^error: /)]);
  });

  test('query executes a mutation with a key once', async () => {
    const document = 'mutation { datasetSnapshotCreate(dataset: 12) { snapshot { id } } }';
    const results = [];
    for (const key of ['a key', 'a key', 'another'])
      results.push(JSON.parse((await run(['query', '--idempotency-key', key, document])).stdout));
    expect(results[1]).toEqual(results[0]);
    expect(results[2]).not.toEqual(results[0]);
    const invalid = await run(['query', '--idempotency-key', 'key', '{ motd }']);
    expect(invalid).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--idempotency-key is for mutations'),
    });
    const local = await runInProcess(['query', '--sandbox', '--idempotency-key', 'key', document], {});
    expect(local).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('needs a server that remembers keys'),
    });
  });

  test('watch follows an action, by server-sent events', async () => {
    const { data } = await pair.ask<{ datasetSnapshotCreate: { actionState: { id: string } } }>(
      'mutation { datasetSnapshotCreate(dataset: 12) { actionState { id } } }',
    );
    const { code, stdout } = await run(['watch', String(data?.datasetSnapshotCreate.actionState.id)]);
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { finished: true }]);
  });

  test('an anonymous caller is told how to be somebody, and an unknown credential is refused', async () => {
    const anonymous = await run(['query', '{ datasets { nodes { id } } }'], {});
    expect(anonymous).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('give a credential as OPTIONGRAPH_TOKEN'),
    });
    const unknown = await run(['query', '{ motd }'], { OPTIONGRAPH_TOKEN: 'nobody' });
    expect(unknown).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('does not know the credential'),
    });
    const stream = await run(['query', 'subscription { nothing }'], {});
    expect(stream).toMatchObject({ code: 4, stderr: expect.stringContaining('nothing') });
  });

  test('other commands say what it is', async () => {
    const { code, stderr } = await run(['describe']);
    expect([code, stderr]).toEqual([
      3,
      `optiongraph: ${new URL('/', pair.url).href.slice(0, -1)}/graphql is a GraphQL server. Only "query", "watch" and "explain" use one; this command needs the address of the management API.\n`,
    ]);
  });
});

test('a server that speaks neither is none', async () => {
  await using plain = await listen((_request, response) => void response.end('hello'));
  const { code, stderr } = await runInProcess(['query', '{ a }', '--upstream', plain.url]);
  expect([code, stderr]).toEqual([3, expect.stringContaining('this is not a HaveAPI server')]);
});
