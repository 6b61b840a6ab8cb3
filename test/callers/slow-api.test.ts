// Tests that an API which answers slowly makes new callers fail soon, while known ones go on, and that each request ends in its time.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createFacade } from '../../src/facade/facade.ts';
import { startServer } from '../../src/transports/server.ts';
import { action, describeApi, resource } from '../helpers/describe-api.ts';
import { collectLog } from '../helpers/facade.ts';
import { type Answer, ok, silence, startStub } from '../helpers/stub-upstream.ts';
import { post } from '../helpers/transports.ts';

const SHELF = describeApi({
  shelf: resource({ show: action({ path: '/shelf', namespace: 'shelf', output: { id: 'Integer' } }) }),
});
const FOUND = { shelf: { id: 'shelf' } };

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] }));
afterEach(() => void vi.useRealTimers());

/** What the upstream is asked for. */
type Kind = 'verification' | 'description' | 'call';
/** Answers one request. Undefined: successfully. */
type AnswerTo = (token: string, kind: Kind) => Answer | undefined;

/** Opens a facade over a stub that records its requests. */
async function open(answerTo: AnswerTo) {
  const requests: { readonly token: string; readonly kind: Kind }[] = [];
  const answer = (token: unknown, kind: Kind): Answer => {
    if (typeof token !== 'string') return ok(SHELF);
    requests.push({ token, kind });
    return answerTo(token, kind) ?? ok(kind === 'call' ? { shelf: { id: 1 } } : SHELF);
  };
  const stub = await startStub(SHELF, {
    'shelf#show': ({ headers }) => answer(headers['x-library-token'], 'call'),
  });
  stub.onOptions = ({ 'x-library-token': token }, { search }) =>
    answer(token, search.startsWith('?method=') ? 'verification' : 'description');
  let opening = 0;
  const countOpening = ({ step }: { readonly step: string }): undefined => {
    if (step === 'session') opening += 1;
  };
  const facade = await createFacade({
    upstream: stub.url,
    log: collectLog(),
    observer: { operation: () => undefined, step: countOpening },
  });
  const server = await startServer(facade, { host: '127.0.0.1', port: 0 });
  const client = {
    requests,
    /** Number of operations that have begun to open their session. */
    get opening() {
      return opening;
    },
    countOf: (kind: Kind) => requests.filter((request) => request.kind === kind).length,
    /** Reads as a token, and returns the code of the error, the status and how the client may repeat the read. */
    async read(token: string, address = '192.0.2.1') {
      const response = await post(
        server.url,
        { query: '{ shelf { id } }' },
        { accept: 'application/graphql-response+json', 'x-library-token': token, 'x-forwarded-for': address },
      );
      const { data, errors } = (await response.json()) as {
        data?: unknown;
        errors?: { extensions: { code: string } }[];
      };
      const { status, headers } = response;
      return {
        status,
        data,
        code: errors?.[0]?.extensions.code ?? null,
        retryAfter: headers.get('retry-after'),
      };
    },
    /** Begins a read whose answer the test awaits later. */
    begin(token: string, address?: string) {
      const answer = client.read(token, address);
      answer.catch(() => undefined);
      return { token, answer };
    },
    async [Symbol.asyncDispose]() {
      vi.useRealTimers();
      // What still waits fails, so that the server need not wait for it.
      await stub[Symbol.asyncDispose]();
      await server.close();
      await facade.close();
    },
  };
  return client;
}

/** Waits for a condition without the clock, which `expect.poll` would move. */
async function until(isTrue: () => boolean): Promise<void> {
  for (let turn = 0; !isTrue(); turn += 1) {
    if (turn > 100_000) expect.fail(`expected ${isTrue}`);
    await nextTurn();
  }
}

const BUSY = { status: 503, code: 'UPSTREAM_BUSY', retryAfter: '1' };
const isNew = (token: string): boolean => token.startsWith('new');

describe('an API that verifies no new credential', () => {
  const isHung: AnswerTo = (token, kind) => (isNew(token) && kind === 'verification' ? silence : undefined);

  it('leaves none of 200 reads of ten new tokens without an answer', async () => {
    await using at = await open(isHung);
    const reads = Array.from({ length: 200 }, (_, index) => at.begin(`new ${index % 10}`));
    await until(() => at.opening === 200 && at.countOf('verification') === 4);
    // Four of a network are verified. The six others are refused when none of the four has had an answer for five seconds.
    const verified = new Set(at.requests.map(({ token }) => token));
    await vi.advanceTimersByTimeAsync(5_000);
    const waiting = reads.filter(({ token }) => !verified.has(token));
    expect(waiting).toHaveLength(120);
    for (const { answer } of waiting) expect(await answer).toMatchObject(BUSY);
    // So is each that follows, at once.
    expect(await at.read('new 10')).toMatchObject(BUSY);
    await vi.advanceTimersByTimeAsync(5_000);
    for (const { token, answer } of reads)
      expect((await answer).code).toBe(verified.has(token) ? 'UPSTREAM_TIMEOUT' : 'UPSTREAM_BUSY');
    expect(at.countOf('call')).toBe(0);
    // The places of the four are free again.
    at.begin('new 11');
    await until(() => at.requests.some(({ token }) => token === 'new 11'));
  });

  it('delays no known one of their network, even if it is due to be verified again', async () => {
    await using at = await open(isHung);
    expect(await at.read('known')).toMatchObject({ data: FOUND });
    for (let token = 0; token < 10; token += 1) at.begin(`new ${token}`);
    await until(() => at.opening === 11 && at.countOf('verification') === 5);
    expect(await at.read('known')).toMatchObject({ data: FOUND });
    vi.setSystemTime(Date.now() + 300_001);
    expect(await at.read('known')).toMatchObject({ data: FOUND });
    expect(at.countOf('verification')).toBe(6);
    expect(at.countOf('call')).toBe(3);
  });

  it('leaves new ones of other networks a place', async () => {
    await using at = await open((token, kind) => (token.endsWith('good') ? undefined : isHung(token, kind)));
    for (let token = 0; token < 10; token += 1) {
      at.begin(`new ${token}`);
      at.begin(`new also ${token}`, '192.0.2.2');
    }
    await until(() => at.opening === 20 && at.countOf('verification') === 6);
    expect(await at.read('new and good', '192.0.2.3')).toMatchObject({ data: FOUND });
  });
});

describe('an API that describes nothing to new callers', () => {
  it('makes further ones of their network fail, and leaves those of others a place', async () => {
    await using at = await open((token, kind) =>
      isNew(token) && kind === 'description' ? silence : undefined,
    );
    const reads = Array.from({ length: 5 }, (_, token) => at.begin(`new ${token}`));
    await until(() => at.countOf('verification') === 5 && at.countOf('description') === 2);
    expect(await at.read('good', '192.0.2.2')).toMatchObject({ data: FOUND });
    const described = new Set(
      at.requests.flatMap(({ token, kind }) => (kind === 'description' ? token : [])),
    );
    await vi.advanceTimersByTimeAsync(5_000);
    for (const { token, answer } of reads)
      if (!described.has(token)) expect(await answer).toMatchObject(BUSY);
    expect(await at.read('good', '192.0.2.2')).toMatchObject({ data: FOUND });
    await vi.advanceTimersByTimeAsync(25_000);
    for (const { token, answer } of reads)
      expect((await answer).code).toBe(described.has(token) ? 'UPSTREAM_TIMEOUT' : 'UPSTREAM_BUSY');
  });

  it('lets callers wait as long as it describes something to others of their network', async () => {
    const pending: (() => void)[] = [];
    await using at = await open((_token, kind) =>
      kind === 'description' ? (response) => void pending.push(() => ok(SHELF)(response)) : undefined,
    );
    const reads = Array.from({ length: 8 }, (_, token) => at.begin(`new ${token}`));
    for (let described = 0; described < 8; described += 1) {
      await until(() => pending.length === Math.min(8, described + 2));
      await vi.advanceTimersByTimeAsync(2_000);
      pending[described]?.();
    }
    for (const { answer } of reads) expect(await answer).toMatchObject({ data: FOUND });
  });
});

describe('the time of an operation', () => {
  it('includes the opening of its session', async () => {
    const pending: (() => void)[] = [];
    await using at = await open((_token, kind) =>
      kind === 'description'
        ? (response) => void pending.push(() => ok(SHELF)(response))
        : kind === 'call'
          ? silence
          : undefined,
    );
    const { answer } = at.begin('new');
    await until(() => pending.length === 1);
    await vi.advanceTimersByTimeAsync(9_000);
    pending[0]?.();
    await until(() => at.countOf('call') === 1);
    await vi.advanceTimersByTimeAsync(21_000);
    expect(await answer).toMatchObject({ code: 'UPSTREAM_TIMEOUT' });
  });
});
