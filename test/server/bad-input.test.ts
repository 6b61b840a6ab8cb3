// Tests how invalid arguments and requests are reported.

import { describe, expect, it } from 'vitest';
import { type SharedPair, sharePair } from '../helpers/shared-pair.ts';

/** Returns the code and path of each error, sorted by path. */
const codes = (answer: Awaited<ReturnType<SharedPair['ask']>>) =>
  answer.errors
    .map(({ extensions, path }) => [path?.join('.') ?? '', extensions['code']])
    .sort(([a], [b]) => String(a).localeCompare(String(b)));

const pair = sharePair();

describe('bad input', () => {
  it('in one field gives an error for that field only', async () => {
    const answer = await pair.ask(`{
      good: dataset(id: 12) { name }
      unknown: dataset(id: 99999) { name }
      word: dataset(id: "nope") { name }
      nested: dataset(id: "12/3") { name }
      parent: dataset(id: 12) { snapshot(id: "dataset/13/snapshot/1") { id } }
      filter: datasets(filter: { user: "dataset/1" }) { nodes { id } }
    }`);
    expect(answer.status).toBe(200);
    expect(answer.data).toMatchObject({ good: { name: 'atlas' }, parent: { snapshot: null }, unknown: null });
    expect(codes(answer)).toEqual([
      ['filter', 'BAD_USER_INPUT'],
      ['nested', 'BAD_USER_INPUT'],
      ['parent.snapshot', 'BAD_USER_INPUT'],
      ['unknown', 'NOT_FOUND'],
      ['word', 'BAD_USER_INPUT'],
    ]);
  });

  it('never changes the path of the called action', async () => {
    await pair.ask(
      '{ a: dataset(id: "1/../../cluster") { id } b: dataset(id: "1?x=1#y") { id } c: dataset(id: "%2e%2e") { id } }',
    );
    const paths = pair.calls.map(({ path }) => path);
    expect(paths.filter((path) => !/^\/v7\.0\/datasets\/[^/?#]+$/.test(path))).toEqual([]);
  });

  it('is rejected if a cursor belongs to another list or filter', async () => {
    const { data } = await pair.ask<{ datasets: { pageInfo: { endCursor: string } } }>(
      '{ datasets(first: 2) { pageInfo { endCursor } } }',
    );
    const after = data?.datasets.pageInfo.endCursor;
    const answer = await pair.ask(
      `query ($after: String) {
        users(after: $after) { nodes { id } }
        datasets(after: $after, filter: { user: 2 }) { nodes { id } }
      }`,
      { variables: { after } },
    );
    expect(codes(answer)).toEqual([
      ['datasets', 'BAD_USER_INPUT'],
      ['users', 'BAD_USER_INPUT'],
    ]);
  });

  it('among nodes is null, and the others are served', async () => {
    const query = 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }';
    const some = await pair.ask(query, {
      variables: { ids: ['dataset/12', 'dataset/99999', 'x', 'user/2'] },
    });
    expect(some.data).toEqual({ nodes: [{ id: 'dataset/12' }, null, null, { id: 'user/2' }] });
    expect(codes(some)).toEqual([
      ['nodes.1', 'NOT_FOUND'],
      ['nodes.2', 'BAD_USER_INPUT'],
    ]);
  });

  it.each([
    ['an unknown field', '{ datasets { nodes { colour } } }', {}],
    ['a wrong type', '{ datasets(first: "many") { nodes { id } } }', {}],
    ['a wrong enum', '{ datasets(filter: { role: HUGE }) { nodes { id } } }', {}],
    ['a malformed document', '{ datasets { ', {}],
    ['a variable of a wrong type', 'query ($f: Int) { datasets(first: $f) { nodes { id } } }', { f: 'x' }],
    [
      'a date that is none',
      'query ($f: DateTime) { dataset(id: 1) { propertyHistories(filter: { from: $f }) { nodes { id } } } }',
      { f: '2020-02-30' },
    ],
    [
      'too large an integer',
      'query ($f: SafeInt) { datasets(filter: { toDepth: $f }) { nodes { id } } }',
      { f: 2 ** 53 },
    ],
    ['an unsupported operation type', 'subscription { x }', {}],
  ])('such as %s gives an error with a code and no upstream call', async (_name, query, variables) => {
    const answer = await pair.ask(query, { variables });
    expect(answer.errors.length).toBeGreaterThan(0);
    for (const { extensions } of answer.errors) {
      expect(extensions).toMatchObject({ code: 'BAD_USER_INPUT', requestId: expect.any(String) });
    }
    expect(answer.calls).toBe(0);
  });

  it('that breaks a described rule is rejected before a call, with GraphQL names', async () => {
    const answer = await pair.ask('{ clusterSearchResults(value: " ") { databaseId } }');
    expect(answer.calls).toBe(0);
    expect(answer.errors[0]?.extensions).toMatchObject({
      code: 'BAD_USER_INPUT',
      userErrors: [
        { code: 'REQUIRED', path: ['value'], parameter: 'value', message: 'must be present and non-empty' },
      ],
    });
  });
});
