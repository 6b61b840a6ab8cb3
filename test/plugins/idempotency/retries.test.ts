// Tests mutations with keys that clients send again: each is executed once, and each retry gets the first answer.
import { beforeEach, describe, expect, it } from 'vitest';
import type { Replicas } from '../../../src/sharing/replicas.ts';
import { DEPARTURES } from '../../helpers/departures.ts';
import { holdAnswers, holdAnswersOf } from '../../helpers/held-answers.ts';
import { LocalDeployment } from '../../helpers/local-deployment.ts';
import { shareWorkshop } from '../../helpers/shared-api.ts';
import { hangUp, ok, refuse, reply } from '../../helpers/stub-upstream.ts';
import { post, TRANSPORTS } from '../../helpers/transports.ts';
import { openWorkshop, type Workshop } from '../../helpers/workshop.ts';

const shop = shareWorkshop();

const STAMP = 'mutation { toolStamp(id: 5) { tool { id name } secret userErrors { code } } }';

/** The caller of a test, who has sent no key before. */
let headers: Readonly<Record<string, string>> = {};
let tests = 0;
beforeEach(() => {
  tests += 1;
  headers = { 'x-library-token': `caller ${tests}` };
});
const keyed = (key: string, caller = headers) => ({ headers: { ...caller, 'idempotency-key': key } });

/** Answers that differ, so that a repeated write would show. */
const counted = () => {
  let count = 0;
  return () => {
    count += 1;
    return ok({ tool: { id: 5, name: `stamped ${count}`, weight: 1, owner: null, secret: 's' } });
  };
};

const writesOf = ({ upstream }: Workshop): readonly string[] =>
  upstream.calls.map(({ scope }) => scope).filter((scope) => !/#show$|#poll$/.test(scope));

/** Replicas of one process, with the times for which records of keys are kept. */
function recordingReplicas(): { readonly replicas: Replicas; readonly kept: readonly number[] } {
  const local = new LocalDeployment().join();
  const kept: number[] = [];
  const isRecord = (name: string): boolean => name.startsWith('["idempotency"');
  return {
    kept,
    replicas: {
      ...local,
      add: async (name, value, keptFor) => {
        if (isRecord(name)) kept.push(keptFor);
        return local.add(name, value, keptFor);
      },
      store: async (name, value, keptFor) => {
        if (isRecord(name)) kept.push(keptFor);
        return local.store(name, value, keptFor);
      },
    },
  };
}

describe.each(TRANSPORTS)('over %s, a mutation with a key', (_name, send) => {
  it('is executed once, and each retry gets its answer', async () => {
    shop.answer({ 'tool#stamp': counted() });
    const request = { query: STAMP, extensions: { idempotencyKey: 'a key' } };
    const first = await send(shop.url, request, headers);
    const retry = await send(shop.url, request, headers);
    expect(first.data).toMatchObject({ toolStamp: { tool: { name: 'stamped 1' } } });
    expect(retry.data).toEqual(first.data);
    const { replay, upstream, cost } = retry.extensions ?? {};
    expect(replay).toEqual({ requestId: expect.any(String), at: expect.stringMatching(/^20\d\d-/) });
    expect(upstream).toEqual(first.extensions?.['upstream']);
    // Its own, not that of the first.
    expect(cost).toMatchObject({ limit: expect.any(Number) });
    expect(writesOf(shop)).toEqual(['tool#stamp']);
  });

  it('has none where the extension is null, and is executed again', async () => {
    shop.answer({ 'tool#stamp': counted() });
    const request = { query: STAMP, extensions: { idempotencyKey: null } };
    await send(shop.url, request, headers);
    await send(shop.url, request, headers);
    expect(writesOf(shop)).toEqual(['tool#stamp', 'tool#stamp']);
  });

  it('that is under way is joined', async () => {
    const stamps = holdAnswersOf(counted());
    shop.answer({ 'tool#stamp': stamps.handler });
    const request = { query: STAMP, extensions: { idempotencyKey: 'a key' } };
    const first = send(shop.url, request, headers);
    const write = await stamps.take(0);
    const retries = [send(shop.url, request, headers), send(shop.url, request, headers)];
    // It has arrived after them.
    expect(await send(shop.url, { query: '{ session { authenticated } }' }, headers)).toHaveProperty('data');
    write.release();
    const { data } = await first;
    for (const retry of await Promise.all(retries)) expect(retry.data).toEqual(data);
    expect(writesOf(shop)).toEqual(['tool#stamp']);
  });

  it.each([
    ['another document', { query: STAMP.replace('id name', 'name') }],
    ['other variables', { query: STAMP, variables: { unused: 1 } }],
  ])('must not be sent with %s', async (_what, other) => {
    const extensions = { idempotencyKey: 'a key' };
    await send(shop.url, { query: STAMP, extensions }, headers);
    const { data, errors } = await send(shop.url, { ...other, extensions }, headers);
    expect(data).toBeUndefined();
    expect(errors).toMatchObject([{ extensions: { code: 'CONFLICT', retryable: false } }]);
    expect(writesOf(shop)).toEqual(['tool#stamp']);
  });
});

describe.each(DEPARTURES)('a client that leaves over %s', (_name, depart) => {
  it('does not end its mutation, and a retry gets the answer', async () => {
    const stamps = holdAnswersOf(counted());
    shop.answer({ 'tool#stamp': stamps.handler });
    const query =
      'mutation { one: toolStamp(id: 5) { tool { name } } two: toolStamp(id: 6) { tool { name owner { name } } } }';
    const client = await depart(shop.url, query, headers, { idempotencyKey: 'a key' });
    const first = await stamps.take(0);
    await client.leave();
    first.release();
    (await stamps.take(1)).release();
    const { data, errors } = await shop.ask(query, keyed('"a key"'));
    expect(errors).toEqual([]);
    expect(data).toEqual({
      one: { tool: { name: 'stamped 1' } },
      two: { tool: { name: 'stamped 2', owner: null } },
    });
    expect(writesOf(shop)).toEqual(['tool#stamp', 'tool#stamp']);
  });
});

describe('over HTTP', () => {
  it('a conflict has the status 422 of the draft, and an invalid key 400', async () => {
    const accept = { accept: 'application/graphql-response+json' };
    const ask = (query: string, key: string) =>
      shop.ask(query, { headers: { ...keyed(key).headers, ...accept } });
    await ask(STAMP, 'a-key');
    expect(await ask('mutation { toolStamp(id: 6) { userErrors { code } } }', 'a-key')).toMatchObject({
      status: 422,
    });
    expect(await ask(STAMP, 'two keys')).toMatchObject({ status: 400 });
  });

  it('the order of variables does not matter', async () => {
    const query =
      'mutation ($input: ToolUpdateInput!) { toolUpdate(id: 5, input: $input) { userErrors { code } } }';
    const ask = (input: object) => shop.ask(query, { ...keyed('key'), variables: { input } });
    await ask({ name: 'saw', weight: 2 });
    expect((await ask({ weight: 2, name: 'saw' })).errors).toEqual([]);
    expect(writesOf(shop)).toEqual(['tool#update']);
  });

  it('a query with a key is answered as any other', async () => {
    for (const id of [5, 6])
      expect((await shop.ask(`{ tool(id: ${id}) { name } }`, keyed('key'))).data).toEqual({
        tool: { name: `tool ${id}` },
      });
  });

  it('a dry run is not answered by the record of a write', async () => {
    shop.answer({ 'tool#stamp': counted() });
    await shop.ask(STAMP, keyed('key'));
    const { headers } = keyed('key');
    const dry = await post(shop.url, { query: STAMP, extensions: { dryRun: true } }, headers);
    expect(await dry.json()).toMatchObject({ errors: [{ extensions: { code: 'CONFLICT' } }] });
    expect(writesOf(shop)).toHaveLength(1);
  });

  it('the keys of two credentials do not meet', async () => {
    shop.answer({ 'tool#stamp': counted() });
    for (const token of ['one', 'two']) await shop.ask(STAMP, keyed('key', { 'x-library-token': token }));
    expect(writesOf(shop)).toHaveLength(2);
  });

  it('a result with errors is answered again, with their places', async () => {
    const handler = (call: { readonly path: readonly string[] }) =>
      call.path[0] === '5' ? counted()() : refuse('no', null, 500);
    shop.answer({ 'tool#stamp': handler });
    const query =
      'mutation { one: toolStamp(id: 5) { tool { name } } two: toolStamp(id: 6) { tool { name } } }';
    const first = JSON.parse((await shop.ask(query, keyed('key'))).text);
    const retry = JSON.parse((await shop.ask(query, keyed('key'))).text);
    expect(first.errors).toMatchObject([
      { path: ['two'], locations: [{ line: 1 }], extensions: { code: 'UPSTREAM_ERROR' } },
    ]);
    expect([retry.data, retry.errors]).toEqual([first.data, first.errors]);
    expect(writesOf(shop)).toHaveLength(2);
  });

  it('a deferred part comes with the whole result', async () => {
    shop.answer({ 'tool#stamp': counted() });
    const query = 'mutation { toolStamp(id: 5) { tool { id ... @defer { name } } } }';
    const ask = () =>
      shop.ask(query, { headers: { ...keyed('key').headers, accept: 'application/json, multipart/mixed' } });
    for (const { data } of [await ask(), await ask()])
      expect(data).toEqual({ toolStamp: { tool: { id: 'tool/5', name: 'stamped 1' } } });
  });
});

describe('is not recorded, and so is executed again,', () => {
  it.each([
    ['what is invalid', 'mutation { toolCreate(input: { name: "x" }) { userErrors { code } } }', {}],
    ['a document with an error', 'mutation { toolStamp(id: 5) { nothing } }', {}],
    ['an invalid id', 'mutation { toolStamp(id: "x") { userErrors { code } } }', {}],
  ])('%s', async (_what, refused) => {
    shop.answer({ 'tool#stamp': counted() });
    await shop.ask(refused, keyed('key'));
    expect((await shop.ask(STAMP, keyed('key'))).data).toMatchObject({
      toolStamp: { tool: { name: 'stamped 1' } },
    });
  });

  it('a write that certainly did not reach the API', async () => {
    let isDown = true;
    const answer = counted();
    shop.answer({ 'tool#stamp': () => (isDown ? reply('', 503) : answer()) });
    const refused = await shop.ask(STAMP, keyed('key'));
    expect(refused.errors).toMatchObject([{ extensions: { code: 'UPSTREAM_UNAVAILABLE', retryable: true } }]);
    isDown = false;
    expect((await shop.ask(STAMP, keyed('key'))).errors).toEqual([]);
  });
});

describe('is recorded as it is:', () => {
  it.each([
    ['an unknown outcome', () => hangUp, { errors: [{ extensions: { code: 'OUTCOME_UNKNOWN' } }] }],
    [
      'a refusal',
      () => refuse('no', null, 409),
      { data: { toolStamp: { userErrors: [{ code: 'CONFLICT' }] } } },
    ],
  ])('%s', async (_what, answer, expected) => {
    shop.answer({ 'tool#stamp': answer });
    expect(await shop.ask(STAMP, keyed('key'))).toMatchObject(expected);
    shop.upstream.handlers.set('tool#stamp', counted());
    expect(await shop.ask(STAMP, keyed('key'))).toMatchObject(expected);
    expect(writesOf(shop)).toEqual(['tool#stamp']);
  });

  it('a large result, of which only the fact is kept', async () => {
    await using shop = await openWorkshop({}, { limits: { recordedResultSize: 40 } });
    const first = await shop.ask(STAMP, keyed('key'));
    expect(first.errors).toEqual([]);
    const retry = await shop.ask(STAMP, keyed('key'));
    expect(retry.errors).toMatchObject([
      {
        message: expect.stringContaining('its writes were carried out'),
        extensions: { code: 'COST_LIMIT_EXCEEDED', retryable: false, result: { limit: 40 } },
      },
    ]);
    expect(writesOf(shop)).toEqual(['tool#stamp']);
  });
});

it('is remembered for a day', async () => {
  const { replicas, kept } = recordingReplicas();
  await using shop = await openWorkshop({}, { shared: { replicas } });
  await shop.ask(STAMP, keyed('key'));
  expect(kept).toEqual([86_400_000, 86_400_000]);
});

it('takes no more room than a caller may have', async () => {
  await using shop = await openWorkshop({}, { limits: { recordedBytesOfCaller: 2_048 } });
  // What is refused before a call is not recorded.
  for (const key of ['a', 'b', 'c']) {
    const invalid = await shop.ask('mutation { toolStamp(id: "?") { userErrors { code } } }', keyed(key));
    expect(invalid).toMatchObject({ errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] });
  }
  for (const key of ['one', 'two']) expect((await shop.ask(STAMP, keyed(key))).errors).toEqual([]);
  const refused = await shop.ask(STAMP, keyed('three'));
  expect(refused).toMatchObject({
    status: 429,
    errors: [{ extensions: { code: 'COST_LIMIT_EXCEEDED', retryAfter: expect.any(Number) } }],
  });
  // What is recorded is answered, and others are not concerned.
  expect((await shop.ask(STAMP, keyed('one'))).errors).toEqual([]);
  expect((await shop.ask(STAMP, keyed('three', { 'x-library-token': 'two' }))).errors).toEqual([]);
});

it('takes no more than a quarter of all room from one network, however many tokens it has', async () => {
  await using shop = await openWorkshop({}, { limits: { recordedBytes: 8_192 } });
  const { url } = await shop.listen();
  const [, send] = TRANSPORTS[0] ?? expect.fail();
  const ask = (token: string, address: string) =>
    send(
      url,
      { query: STAMP, extensions: { idempotencyKey: 'key' } },
      { 'x-library-token': token, 'x-forwarded-for': address },
    );
  const one = '192.0.2.1';
  for (const token of ['one', 'two']) expect((await ask(token, one)).errors).toBeUndefined();
  for (const token of ['three', 'four', 'five', 'six', 'seven', 'eight', 'nine'])
    expect((await ask(token, one)).errors).toMatchObject([{ extensions: { code: 'COST_LIMIT_EXCEEDED' } }]);
  expect((await ask('ten', '192.0.2.2')).errors).toBeUndefined();
});

it('is counted in bytes', async () => {
  const stamp = () => ok({ tool: { id: 5, name: '\u{1f528}'.repeat(300), weight: 1, owner: null } });
  const limits = { recordedResultSize: 1_000 };
  await using shop = await openWorkshop({ 'tool#stamp': stamp }, { limits });
  await shop.ask(STAMP, keyed('key'));
  expect((await shop.ask(STAMP, keyed('key'))).errors).toMatchObject([
    { extensions: { code: 'COST_LIMIT_EXCEEDED' } },
  ]);
});

it('is not answered to a credential that has been revoked since', async () => {
  shop.answer({ 'tool#stamp': counted() });
  expect((await shop.ask(STAMP, keyed('key'))).errors).toEqual([]);
  shop.upstream.onOptions = () => refuse('who?', null, 401);
  expect((await shop.ask(STAMP, keyed('key'))).errors).toMatchObject([
    { extensions: { code: 'UNAUTHENTICATED' } },
  ]);
  expect(writesOf(shop)).toEqual(['tool#stamp']);
});

it('waits for its record when the server closes', async () => {
  const stamps = holdAnswers(ok({ tool: { id: 5, name: 'saw', weight: 1, owner: null } }));
  const { replicas, kept } = recordingReplicas();
  await using shop = await openWorkshop({ 'tool#stamp': stamps.handler }, { shared: { replicas } });
  const { url, close } = await shop.listen();
  const [, depart] = DEPARTURES[0] ?? [];
  const client = await depart?.(url, STAMP, headers, { idempotencyKey: 'key' });
  const write = await stamps.take(0);
  await client?.leave();
  const closed = close();
  write.release();
  await closed;
  expect(kept).toHaveLength(2);
});
