// Tests that the answers of all operations together take no more memory than they may, and that each query is answered or refused.
import { describe, expect, it } from 'vitest';
import type { LimitOptions } from '../../../src/operation/limits.ts';
import { AnswerMemory } from '../../../src/scheduling/answer-memory.ts';
import { action, list, resource } from '../../helpers/describe-api.ts';
import { openDescribed } from '../../helpers/described.ts';
import { holdAnswers } from '../../helpers/held-answers.ts';
import { type Answer, type Handler, ok } from '../../helpers/stub-upstream.ts';

const MIB = 1024 * 1024;
/** Memory for four answers of four MiB, which one client alone may use up to two thirds of. */
const LIMIT = 32 * MIB;

const BOOK = { id: 'Integer', title: 'String' } as const;
const RESOURCES = {
  book: resource({
    index: list('book', 'books', BOOK, { input: { limit: 'Integer' } }),
    create: action({
      path: '/books',
      method: 'POST',
      namespace: 'book',
      input: { title: 'String' },
      output: BOOK,
    }),
  }),
  note: resource({ index: list('note', 'notes', BOOK, { input: { limit: 'Integer' } }) }),
};

const LARGE = JSON.stringify({
  status: true,
  response: { books: Array.from({ length: 4_000 }, (_, id) => ({ id: id + 1, title: 'x'.repeat(1_000) })) },
});
/** Four megabytes whose length is announced, or not. */
const announced: Answer = (response) =>
  void response.writeHead(200, { 'content-length': LARGE.length }).end(LARGE);
const chunked: Answer = (response) => {
  response.writeHead(200);
  for (let from = 0; from < LARGE.length; from += 50_000) response.write(LARGE.slice(from, from + 50_000));
  response.end();
};

async function open(
  handlers: Readonly<Record<string, Handler>>,
  { limit = LIMIT, timeout = 30_000, limits = {} as LimitOptions } = {},
) {
  const answers = new AnswerMemory(limit);
  const api = await openDescribed(
    RESOURCES,
    { 'note#index': () => ok({ notes: [{ id: 1, title: 'short' }] }), ...handlers },
    { shared: { answers }, transport: { timeout }, limits },
  );
  return Object.assign(api, { answers });
}

/** Reads books by a call of its own for each number. */
const books = (first: number): string => `{ books(first: ${first}) { nodes { title } } }`;
const codesOf = ({ errors }: { readonly errors: readonly { readonly extensions: object }[] }) =>
  errors.map(({ extensions }) => (extensions as { readonly code: string }).code);

/** Watches how much is held until a promise is settled. */
async function watchPeak<T>(
  answers: AnswerMemory,
  result: Promise<T>,
): Promise<{ value: T; peak: number; waiting: number }> {
  let [peak, waiting, isSettled] = [0, 0, false];
  const settled = result.finally(() => {
    isSettled = true;
  });
  while (!isSettled) {
    peak = Math.max(peak, answers.held);
    waiting = Math.max(waiting, answers.waiting);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { value: await settled, peak, waiting };
}

describe('the answers of all operations', () => {
  it.each([
    ['of one client', 'announced', announced, () => 'one'],
    ['of many clients', 'announced', announced, (index: number) => `${index}`],
    ['of one client', 'not announced', chunked, () => 'one'],
    ['of many clients', 'not announced', chunked, (index: number) => `${index}`],
  ] as const)('are bounded together: %s, their lengths %s', async (_clients, _length, answer, tokenOf) => {
    await using api = await open({ 'book#index': () => answer });
    const queries = Array.from({ length: 40 }, (_, index) =>
      api.ask(books(index + 1), { token: tokenOf(index) }),
    );
    const { value, peak, waiting } = await watchPeak(api.answers, Promise.all(queries));
    expect(peak).toBeLessThanOrEqual(LIMIT);
    expect(peak).toBeGreaterThan(LARGE.length);
    expect(waiting).toBeGreaterThan(0);
    // Each takes all its room at once, so that none must end for another.
    expect(value.flatMap(codesOf)).toEqual([]);
    for (const [index, { data }] of value.entries())
      expect(data).toMatchObject({ books: { nodes: { length: index + 1 } } });
    expect(api.answers.held).toBe(0);
    expect(api.answers.waiting).toBe(0);
  });

  it('count once for operations that share them, until the last one ends', async () => {
    const held = holdAnswers(announced);
    await using api = await open({ 'book#index': held.handler });
    const queries = Array.from({ length: 40 }, () => api.ask(books(1)));
    (await held.take(0)).release();
    const { value, peak } = await watchPeak(api.answers, Promise.all(queries));
    expect(value.flatMap(codesOf)).toEqual([]);
    // What waits for it takes a little, too.
    expect(Math.floor(peak / LARGE.length)).toBe(2);
    expect(api.upstream.calls).toHaveLength(1);
    expect(api.answers.held).toBe(0);
  });

  it('do not keep others from reading short ones', async () => {
    const { held, holding, ...rest } = await holdAll();
    await using api = rest.api;
    const { held: taken, waiting } = api.facade.sizes.answers;
    expect([taken, waiting]).toEqual([api.answers.held, 1]);
    const { errors } = await api.ask('{ notes(first: 1) { nodes { title } } }', { token: 'five' });
    expect(errors).toEqual([]);
    for (let index = 0; index < 4; index += 1) void held.take(index).then(({ release }) => release());
    expect((await Promise.all(holding)).flatMap(codesOf)).toEqual([]);
    expect(api.answers.held).toBe(0);
  });

  it('let those who wait go when their time is over, or their client has left', async () => {
    await using api = await open({ 'book#index': () => announced }, { timeout: 2_000 });
    // Others hold most of the memory.
    for (const [key, size] of [
      ['a', 10],
      ['b', 2],
    ] as const) {
      const reader = { goOn: () => undefined, end: () => undefined };
      expect(api.answers.openRoom({ network: key, key }).take(size * MIB, reader)).toBe(true);
    }
    const { held } = api.answers;
    await api.ask('{ notes(first: 1) { nodes { title } } }');
    const client = new AbortController();
    const left = api.facade.yoga.fetch('http://facade/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-library-token': 'one' },
      body: JSON.stringify({ query: books(1) }),
      signal: client.signal,
    });
    await expect.poll(() => api.answers.waiting).toBe(1);
    client.abort();
    await Promise.resolve(left).catch(() => undefined);
    await expect.poll(() => api.answers.waiting).toBe(0);
    // The API is not late, and no failure of it is counted.
    expect(codesOf(await api.ask(books(1)))).toEqual(['UPSTREAM_BUDGET_EXCEEDED']);
    expect(api.answers.waiting).toBe(0);
    expect(api.answers.held).toBe(held);
  });

  it('have no room for a write whose answer is too large, so that its outcome is unknown', async () => {
    const large = ok({ book: { id: 1, title: 'x'.repeat(MIB) } });
    await using api = await open({ 'book#create': () => large }, { limit: 2 * MIB });
    const result = await api.ask('mutation { bookCreate(input: { title: "x" }) { book { title } } }');
    expect(codesOf(result)).toEqual(['OUTCOME_UNKNOWN']);
    expect(api.upstream.calls).toHaveLength(1);
    expect(api.answers.held).toBe(0);
  });

  it('give back what was read of one that broke off', async () => {
    let calls = 0;
    const breakOff: Answer = (response) => {
      response.writeHead(200, { 'content-length': LARGE.length });
      response.write(LARGE.slice(0, 1_000_000), () => response.destroy());
    };
    const handler: Handler = () => {
      calls += 1;
      return calls <= 2 ? breakOff : announced;
    };
    // There is room for one answer only.
    await using api = await open({ 'book#index': handler }, { limit: 3.5 * LARGE.length });
    expect(codesOf(await api.ask(books(1)))).toEqual([]);
    expect(calls).toBe(3);
    expect(api.answers.held).toBe(0);
  });
});

/** Lets three clients hold the memory, and a fourth one wait for it, until their notes arrive. */
async function holdAll() {
  const held = holdAnswers(ok({ notes: [] }));
  const handlers: Readonly<Record<string, Handler>> = {
    'book#index': () => announced,
    'note#index': (call) => (call.query.get('note[limit]') === '2' ? ok({ notes: [] }) : held.handler(call)),
  };
  const api = await open(handlers);
  const query = '{ books(first: 1) { nodes { title } } notes(first: 5) { nodes { title } } }';
  const holding = ['one', 'two', 'three', 'four'].map((token) => api.ask(query, { token }));
  await expect.poll(() => api.answers.waiting).toBe(1);
  return { api, held, holding };
}
