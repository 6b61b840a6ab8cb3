// Tests that an API which answers slowly makes new callers fail soon, while known ones go on, and that each request ends in its time.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createFacade } from '../../src/facade/facade.ts';
import { startServer } from '../../src/server/server.ts';
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

const isNew = (token: string): boolean => token.startsWith('new');

describe('an API that verifies no new credential', () => {
  const isHung: AnswerTo = (token, kind) => (isNew(token) && kind === 'verification' ? silence : undefined);

  it('leaves none of 200 reads of ten new tokens without an answer', async () => {
    await using at = await open(isHung);
    const reads = Array.from({ length: 200 }, (_, index) => at.begin(`new ${index % 10}`));
    await until(() => at.opening === 200 && at.countOf('verification') === 8);
    // Each has three seconds, and is sent once more. The two others get their turn then.
    await vi.advanceTimersByTimeAsync(3_000);
    await until(() => at.countOf('verification') === 16);
    await vi.advanceTimersByTimeAsync(3_000);
    await until(() => at.countOf('verification') === 18);
    await vi.advanceTimersByTimeAsync(3_000);
    await until(() => at.countOf('verification') === 20);
    await vi.advanceTimersByTimeAsync(3_000);
    for (const { answer } of reads) expect((await answer).code).toBe('UPSTREAM_TIMEOUT');
    expect(at.countOf('call')).toBe(0);
  });

  it('delays no known one of their network, even if it is due to be verified again', async () => {
    await using at = await open(isHung);
    expect(await at.read('known')).toMatchObject({ data: FOUND });
    for (let token = 0; token < 10; token += 1) at.begin(`new ${token}`);
    await until(() => at.opening === 11 && at.countOf('verification') === 9);
    expect(await at.read('known')).toMatchObject({ data: FOUND });
    vi.setSystemTime(Date.now() + 300_001);
    expect(await at.read('known')).toMatchObject({ data: FOUND });
    expect(at.countOf('verification')).toBe(10);
    expect(at.countOf('call')).toBe(3);
  });

  it('lets one of another network wait for six seconds at most', async () => {
    await using at = await open((token, kind) => (token.endsWith('good') ? undefined : isHung(token, kind)));
    for (let token = 0; token < 30; token += 1) at.begin(`new ${token}`);
    await until(() => at.opening === 30 && at.countOf('verification') === 8);
    const good = at.begin('new and good', '192.0.2.3');
    await until(() => at.opening === 31);
    await vi.advanceTimersByTimeAsync(3_000);
    await until(() => at.countOf('verification') === 16);
    await vi.advanceTimersByTimeAsync(3_000);
    expect(await good.answer).toMatchObject({ data: FOUND });
  });
});

describe('an API that describes nothing to new callers', () => {
  it('makes them fail after ten seconds, and then serves one of another network', async () => {
    await using at = await open((token, kind) =>
      isNew(token) && kind === 'description' ? silence : undefined,
    );
    const reads = Array.from({ length: 8 }, (_, token) => at.begin(`new ${token}`));
    await until(() => at.countOf('verification') === 8 && at.countOf('description') === 3);
    const good = at.begin('good', '192.0.2.2');
    await until(() => at.countOf('verification') === 9);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await good.answer).toMatchObject({ data: FOUND });
    await vi.advanceTimersByTimeAsync(10_000);
    for (const { answer } of reads) expect((await answer).code).toMatch(/^UPSTREAM_(TIMEOUT|BUSY)$/);
  });
});
