// Tests a supergraph of two subgraphs behind Hive Gateway, over HTTP.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startPair } from '../../helpers/facade.ts';
import { overSse } from '../../helpers/streams.ts';
import { type Router, type Subscriptions, startRouter } from './router.ts';

const AUTHORS = ['user/1', 'user/2', 'user/1'];
const users = (...ids: readonly number[]) => ids.map((id) => ({ __typename: 'User', id: `user/${id}` }));

describe('a router over two subgraphs', () => {
  let router: Router;
  beforeAll(async () => {
    router = await startRouter(AUTHORS);
  });
  afterAll(() => router[Symbol.asyncDispose]());

  it('asks for the objects of another subgraph once, and for each object once', async () => {
    const query = '{ notes { text page { hasNextPage } author { id login } } }';
    const { data, errors, calls } = await router.ask(query, 'admin');
    expect(errors).toEqual([]);
    const page = { hasNextPage: false };
    expect(data).toEqual({
      notes: [
        { text: 'note of user/1', page, author: { id: 'user/1', login: 'admin' } },
        { text: 'note of user/2', page, author: { id: 'user/2', login: 'user' } },
        { text: 'note of user/1', page, author: { id: 'user/1', login: 'admin' } },
      ],
    });
    expect(calls).toBe(2);
  });

  it('adds the fields of another subgraph to the rows of a list by one batch', async () => {
    router.notes.batches.length = 0;
    const { data, calls } = await router.ask(
      '{ users(first: 3) { nodes { login notes { text } } } }',
      'admin',
    );
    expect(data).toEqual({
      users: {
        nodes: [
          { login: 'admin', notes: [{ text: 'note of user/1' }, { text: 'note of user/1' }] },
          { login: 'user', notes: [{ text: 'note of user/2' }] },
          { login: 'support', notes: [] },
        ],
      },
    });
    expect(calls).toBe(1);
    expect(router.notes.batches).toEqual([users(1, 2, 3)]);
  });

  it('passes credentials on, so that each caller has their own rights', async () => {
    const { data, errors } = await router.ask('{ notes { author { login } } }', 'user');
    const [hidden, own] = [{ author: { login: null } }, { author: { login: 'user' } }];
    expect(data).toEqual({ notes: [hidden, own, hidden] });
    expect(errors.map(({ path, extensions: { code } }) => ({ path, code }))).toEqual(
      [0, 2].map((index) => ({ path: ['notes', index, 'author', 'login'], code: 'NOT_FOUND' })),
    );
  });

  it('reports what the schema of the caller lacks', async () => {
    const migrate =
      'mutation { datasetMigrate(id: "dataset/12", input: { pool: "pool/2" }) { userErrors { code } } }';
    const refused = await router.ask(migrate, 'user');
    expect(refused.errors.map((error) => error.message)).toContain(
      'Cannot query field "datasetMigrate" on type "Mutation". It needs other rights than yours.',
    );
    expect(refused.calls).toBe(0);
    const anonymous = await router.ask('{ notes { text author { login } } }', null);
    expect(new Set(anonymous.errors.map((error) => error.message))).toEqual(
      new Set(['Fragment cannot be spread here as objects of type "_Entity" can never be of type "User".']),
    );
    expect(anonymous.data).toMatchObject({ notes: [{ text: 'note of user/1' }, {}, {}] });
  });
});

it('a subscription that prefers multipart, and accepts server-sent events, gets the latter', async () => {
  await using pair = await startPair({ facade: { federation: true } });
  const leaving = new AbortController();
  const response = await pair.facade.yoga.fetch('http://facade.test/graphql', {
    method: 'POST',
    signal: leaving.signal,
    headers: {
      'content-type': 'application/json',
      accept: 'multipart/mixed;subscriptionSpec="1.0", text/event-stream',
      ...pair.headers('user'),
    },
    body: JSON.stringify({ query: 'subscription { pendingActions { id } }' }),
  });
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  leaving.abort();
});

describe.each<Subscriptions>(['sse', 'ws'])('a subscription over %s', (subscriptions) => {
  it('follows an action through a router, with the fields of another subgraph', async () => {
    await using router = await startRouter([], subscriptions);
    const { pair } = router;
    const create =
      'mutation { datasetSnapshotCreate(dataset: "dataset/12", input: { label: "x" }) { actionState { id } } }';
    const { data } = await pair.ask<{ datasetSnapshotCreate: { actionState: { id: string } } }>(create, {
      login: 'user',
    });
    const id = data?.datasetSnapshotCreate.actionState.id;
    const subscription = `subscription { actionProgress(id: "${id}", minInterval: 0.1) { outcome remark } }`;
    await using stream = overSse(router.url, subscription, pair.headers('user'));
    const outcomes: unknown[] = [];
    for (let event = await stream.next(); event !== undefined; event = await stream.next()) {
      outcomes.push(event);
      pair.sandbox.advance();
    }
    const remark = `remark on ${id}`;
    expect(outcomes.at(0)).toEqual({ actionProgress: { outcome: 'RUNNING', remark } });
    expect(outcomes.at(-1)).toEqual({ actionProgress: { outcome: 'SUCCEEDED', remark } });
  });
});
