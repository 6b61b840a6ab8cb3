// Tests that the answers which a process receives at a time take no more memory than they may.
import { describe, expect, it } from 'vitest';
import { action, list, resource } from '../../helpers/describe-api.ts';
import { openDescribed } from '../../helpers/described.ts';
import { type Answer, type Handler, ok, raw } from '../../helpers/stub-upstream.ts';

const BOOK = { id: 'Integer', title: 'String' } as const;
const WRITTEN = { title: 'String' } as const;
const RESOURCES = {
  book: resource({
    index: list('book', 'books', BOOK, { input: { limit: 'Integer' } }),
    create: action({ path: '/books', method: 'POST', namespace: 'book', input: WRITTEN, output: BOOK }),
  }),
};
const ROWS = Array.from({ length: 1_000 }, (_, id) => ({ id: id + 1, title: 'x'.repeat(1_000) }));
const LARGE = JSON.stringify({ status: true, response: { books: ROWS } });
/** The first bytes of a large answer, the rest when the test says so. */
function holdRests() {
  const rests: (() => void)[] = [];
  const answer: Answer = (response) => {
    response.writeHead(200);
    response.write(LARGE.slice(0, -1_000));
    rests.push(() => void response.end(LARGE.slice(-1_000)));
  };
  return { rests, answer };
}

async function open(handlers: Readonly<Record<string, Handler>>, limit: number) {
  const waiting = new Set<object>();
  const api = await openDescribed(RESOURCES, handlers, {
    limits: { responseMemory: limit },
    observer: {
      queueWait(wait) {
        waiting.add(wait);
        return () => void waiting.delete(wait);
      },
    },
    transport: { timeout: 600_000, retry: { retries: 0 } },
  });
  return Object.assign(api, { answers: api.facade.sizes.answers, waiting });
}

/** Reads books by a call of its own for each number. */
const books = (first: number): string => `{ books(first: ${first}) { nodes { title } } }`;
const codesOf = ({ errors }: { readonly errors: readonly { readonly extensions: object }[] }) =>
  errors.map(({ extensions }) => (extensions as { readonly code: string }).code);

describe('answers that are being received', () => {
  it('let further calls wait from half of the limit on, and all are answered', async () => {
    const { rests, answer } = holdRests();
    await using api = await open({ 'book#index': () => answer }, 3 * LARGE.length);
    const first = [api.ask(books(1)), api.ask(books(2))];
    await expect.poll(() => api.answers.held).toBeGreaterThan(1.9 * LARGE.length);
    const others = [3, 4, 5].map((count) => api.ask(books(count)));
    await expect.poll(() => api.waiting.size).toBe(3);
    expect(api.upstream.calls).toHaveLength(2);
    for (let index = 0; index < 5; index += 1) {
      await expect.poll(() => rests.length).toBeGreaterThan(index);
      rests[index]?.();
    }
    expect((await Promise.all([...first, ...others])).flatMap(codesOf)).toEqual([]);
    expect([api.answers.held, api.waiting.size]).toEqual([0, 0]);
  });

  it('beyond the limit are refused, and give back what they took', async () => {
    const answers = { 'book#index': () => raw(LARGE, 200, 'application/json') };
    await using api = await open(answers, LARGE.length / 2);
    expect(codesOf(await api.ask(books(1)))).toEqual(['UPSTREAM_BUDGET_EXCEEDED']);
    expect(api.answers.held).toBe(0);
    api.upstream.handlers.set('book#index', () => ok({ books: [] }));
    expect(codesOf(await api.ask(books(2)))).toEqual([]);
  });

  it('are refused before they arrive if they announce more than 16 MiB', async () => {
    await using api = await openDescribed(RESOURCES, {
      'book#index': () => (response) => {
        response.writeHead(200, { 'content-length': 16 * 1024 * 1024 + 1 }).flushHeaders();
      },
    });
    expect(codesOf(await api.ask(books(1)))).toEqual(['UPSTREAM_RESPONSE_TOO_LARGE']);
  });

  it('leave the outcome of a write unknown where its answer is too large', async () => {
    const large = ok({ book: { id: 1, title: 'x'.repeat(1_000_000) } });
    await using api = await open({ 'book#create': () => large }, 500_000);
    const result = await api.ask('mutation { bookCreate(input: { title: "x" }) { book { title } } }');
    expect(codesOf(result)).toEqual(['OUTCOME_UNKNOWN']);
    expect(api.upstream.calls).toHaveLength(1);
    expect(api.answers.held).toBe(0);
  });

  it('give back what was read of one that broke off', async () => {
    const breakOff: Answer = (response) => {
      response.writeHead(200, { 'content-length': LARGE.length });
      response.write(LARGE.slice(0, 100_000), () => response.destroy());
    };
    await using api = await open({ 'book#index': () => breakOff }, 3 * LARGE.length);
    expect(codesOf(await api.ask(books(1)))).toEqual(['UPSTREAM_UNAVAILABLE']);
    expect(api.answers.held).toBe(0);
  });
});

describe('a long answer', () => {
  it('has the digits of long integers, or an error instead of others', async () => {
    const exact = (rows: number) =>
      JSON.stringify({ status: true, response: { books: ROWS.slice(0, rows) } }).replace(
        '"title":"x',
        '"title":9007199254740993,"more":"x',
      );
    await using api = await openDescribed(RESOURCES, {
      'book#index': ({ query }) =>
        raw(exact(Number(query.get('book[limit]')) < 500 ? 100 : 1_000), 200, 'application/json'),
    });
    const titleOf = async (first: number) => {
      const answer = await api.ask<{ books: { nodes: { title: unknown }[] } }>(
        `{ books(first: ${first}) { nodes { title } } }`,
      );
      return { ...answer, title: answer.data?.books.nodes[0]?.title };
    };
    expect((await titleOf(100)).title).toBe('9007199254740993');
    const long = await titleOf(999);
    expect(long.title).toBeNull();
    expect(codesOf(long)).toEqual(['UPSTREAM_INVALID_RESPONSE']);
  });

  it.each([
    ['markup', `<html>${'secret '.repeat(100_000)}</html>`],
    ['text', LARGE.slice(0, -1)],
    ['an empty response', ' '.repeat(1_000_000)],
  ])('is refused as a short one is: %s', async (kind, body) => {
    await using api = await openDescribed(RESOURCES, {
      'book#index': () => raw(body, 200, 'application/json'),
    });
    const { errors } = await api.ask(books(1));
    expect(errors).toMatchObject([
      { message: expect.stringContaining(kind), extensions: { code: 'UPSTREAM_INVALID_RESPONSE' } },
    ]);
    expect(JSON.stringify(errors)).not.toContain('secret');
  });

  it('is refused if one of its many rows is no object', async () => {
    await using api = await openDescribed(RESOURCES, {
      'book#index': () => ok({ books: [...Array(300_000).fill({}), 1] }),
    });
    expect(codesOf(await api.ask(books(1)))).toEqual(['UPSTREAM_INVALID_RESPONSE']);
  });
});
