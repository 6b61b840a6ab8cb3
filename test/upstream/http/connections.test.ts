// Tests what each request to the management API passes: time limits, retries and the circuit breaker.
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { FacadeOptions } from '../../../src/facade/facade-options.ts';
import { action, resource, show } from '../../helpers/describe-api.ts';
import { openDescribed } from '../../helpers/described.ts';
import { type Answer, type Handler, hangUp, ok, raw, refuse, reply } from '../../helpers/stub-upstream.ts';

const BOOK = { id: 'Integer', title: 'String' } as const;
const WRITTEN = { title: 'String' } as const;
const RESOURCES = {
  book: resource({
    show: show('book', 'books', BOOK),
    create: action({ path: '/books', method: 'POST', namespace: 'book', input: WRITTEN, output: BOOK }),
  }),
};
const book = (id: number, title = `title ${id}`) => ({ id, title });
const SOUND: Readonly<Record<string, Handler>> = {
  'book#show': ({ path: [id] }) => ok({ book: book(Number(id)) }),
  'book#create': () => ok({ book: book(9) }),
};
const QUICK = { retry: { delay: 1 } };

const open = (handlers: Readonly<Record<string, Handler>> = {}, options: Partial<FacadeOptions> = {}) =>
  openDescribed(RESOURCES, { ...SOUND, ...handlers }, { transport: QUICK, ...options });

const READ = '{ book(id: 1) { title } }';
const WRITE = 'mutation { bookCreate(input: { title: "x" }) { book { title } } }';

/** Answers the first calls badly, and the others well. */
const failingFirst = (count: number, answer: Answer, well: Answer): Handler => {
  let calls = 0;
  return () => {
    calls += 1;
    return calls <= count ? answer : well;
  };
};

/** Sends the headers, and then a byte now and again. */
const dribble: Answer = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const timer = setInterval(() => response.write(' '), 20);
  response.once('close', () => clearInterval(timer));
};

/** Answers what is not HTTP. */
const garbage: Answer = (response) => {
  response.socket?.end('HTTP/9.9 what\r\n\r\n');
};

describe('the time of a call', () => {
  it.each([
    ['read', READ, 'UPSTREAM_TIMEOUT', 'book#show'],
    ['write', WRITE, 'OUTCOME_UNKNOWN', 'book#create'],
  ])('ends although the answer of a %s dribbles', async (_what, query, code, scope) => {
    const transport = { timeout: 1_000 };
    await using at = await open({ [scope]: () => dribble }, { transport });
    const { errors } = await at.ask(query);
    expect(errors).toMatchObject([{ extensions: { code } }]);
    expect(at.upstream.calls.map((call) => call.scope)).toEqual([scope]);
  });
});

describe('a failing call', () => {
  it.each([
    ['the connection breaks', hangUp],
    ['the answer is not HTTP', garbage],
    ['a proxy answers 502', raw('<html>', 502)],
    ['the API answers 503', refuse('busy', null, 503)],
    ['the API answers 429 and says when to retry', retryLater(429)],
  ])('is sent twice again if it reads and %s', async (_when, answer) => {
    await using at = await open({ 'book#show': failingFirst(2, answer, ok({ book: book(1) })) });
    expect((await at.ask(READ)).data).toEqual({ book: { title: 'title 1' } });
    expect(at.upstream.calls).toHaveLength(3);
  });

  it.each([
    ['the connection breaks', hangUp],
    ['the answer is not HTTP', garbage],
    ['a proxy answers 502', raw('<html>', 502)],
  ])('is not sent again if it writes and %s', async (_when, answer) => {
    await using at = await open({ 'book#create': () => answer });
    expect((await at.ask(WRITE)).errors).toMatchObject([{ extensions: { code: 'OUTCOME_UNKNOWN' } }]);
    expect(at.upstream.calls).toHaveLength(1);
  });

  it('lets others have its turn while it waits to be sent again', async () => {
    const firstFails = failingFirst(1, retryLater(503, 2), ok({ book: book(1) }));
    const handlers: Record<string, Handler> = {
      'book#show': (call) => (call.path[0] === '1' ? firstFails(call) : ok({ book: book(2) })),
    };
    await using at = await open(handlers, { transport: { connections: 1 } });
    const waiting = at.ask(READ);
    await expect.poll(() => at.upstream.calls.length).toBe(1);
    expect((await at.ask('{ book(id: 2) { title } }')).errors).toEqual([]);
    expect((await waiting).data).toEqual({ book: { title: 'title 1' } });
    expect(at.upstream.calls.map(({ path }) => path[0])).toEqual(['1', '2', '1']);
  });

  it('is not sent again if the server asks to wait for long', async () => {
    await using at = await open({ 'book#show': () => retryLater(503, 60) });
    expect((await at.ask(READ)).errors).toMatchObject([{ extensions: { code: 'UPSTREAM_UNAVAILABLE' } }]);
    expect(at.upstream.calls).toHaveLength(1);
  });
});

describe('an API that is down', () => {
  afterEach(() => void vi.useRealTimers());

  it('is tried again at intervals, and used as soon as it answers', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    await using at = await open({ 'book#show': () => hangUp });
    for (let count = 0; count < 7; count += 1) await at.ask(READ);
    at.upstream.calls.length = 0;
    const { errors } = await at.ask(READ);
    expect(errors).toMatchObject([
      { message: expect.stringContaining('is down'), extensions: { code: 'UPSTREAM_UNAVAILABLE' } },
    ]);
    expect((await at.ask(WRITE)).errors).toMatchObject([{ extensions: { code: 'UPSTREAM_UNAVAILABLE' } }]);
    expect(at.upstream.calls).toEqual([]);
    at.upstream.handlers.set('book#show', () => ok({ book: book(1) }));
    expect((await at.ask(READ)).data).toBeNull();
    vi.setSystemTime(Date.now() + 5_000);
    expect((await at.ask(READ)).data).toEqual({ book: { title: 'title 1' } });
    expect((await at.ask(WRITE)).errors).toEqual([]);
  });
});

function retryLater(status: number, seconds = 0): Answer {
  return (response) => {
    response.setHeader('retry-after', String(seconds));
    reply({ status: false, response: null, message: 'later', errors: null }, status)(response);
  };
}
