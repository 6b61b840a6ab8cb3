// Tests that a verification or a description that hangs delays its caller's operations for a short time.
import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { FacadeOptions } from '../../src/facade/facade-options.ts';
import { action, describeApi, resource } from '../helpers/describe-api.ts';
import { openApi } from '../helpers/described.ts';
import type { ask } from '../helpers/facade.ts';
import { type Answer, hangUp, ok, silence } from '../helpers/stub-upstream.ts';
import { openTelemetry } from '../helpers/telemetry.ts';

const SHELF = describeApi({
  shelf: resource({ show: action({ path: '/shelf', namespace: 'shelf', output: { id: 'Integer' } }) }),
});
const QUERY = 'query Mine { shelf { id } }';
const FOUND = { shelf: { id: 'shelf' } };

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

/** A request that the stub has received. */
interface OptionsRequest {
  readonly token: string;
  readonly isAborted: boolean;
}

/** Opens a facade over a stub that answers the verifications and the descriptions of callers in order. Default: with a success. */
async function open(
  answers: { readonly verifications?: Answer[]; readonly descriptions?: Answer[] },
  options: Partial<FacadeOptions> = {},
) {
  const { verifications = [], descriptions = [] } = answers;
  const telemetry = openTelemetry(0);
  const handlers = { 'shelf#show': () => ok({ shelf: { id: 1 } }) };
  const api = await openApi(SHELF, handlers, { ...telemetry.options, ...options });
  const verified: OptionsRequest[] = [];
  const described: OptionsRequest[] = [];
  api.upstream.onOptions = ({ 'x-library-token': token }, { search }) => {
    const isVerification = search.startsWith('?method=');
    const answer = (isVerification ? verifications : descriptions).shift() ?? ok(SHELF);
    return (response: ServerResponse) => {
      const request = { token: String(token), isAborted: false };
      response.once('close', () => {
        request.isAborted = !response.writableFinished;
      });
      (isVerification ? verified : described).push(request);
      answer(response);
    };
  };
  return { ...api, telemetry, verified, described };
}

/** An answer that the test gives later. */
function held(): { readonly answer: Answer; release(answer: Answer): void } {
  let release = (_answer: Answer): void => undefined;
  const answer: Answer = (response) => {
    release = (released) => released(response);
  };
  return { answer, release: (released) => release(released) };
}

/** Waits for a condition without the clock, which `expect.poll` would move. */
async function until(isTrue: () => boolean): Promise<void> {
  const end = performance.now() + 5_000;
  while (!isTrue()) {
    if (performance.now() > end) expect.fail(`expected ${isTrue}`);
    await nextTurn();
  }
}

const codesOf = ({ errors }: Awaited<ReturnType<typeof ask>>) =>
  errors.map(({ extensions }) => extensions['code']);

describe('a verification that is never answered', () => {
  it('is repeated once after three seconds, for all operations of the credential', async () => {
    await using at = await open({ verifications: [silence] });
    const answers = [QUERY, 'query Other { shelf { id } }'].map((query) => at.ask(query, { token: 'ann' }));
    await until(() => at.verified.length === 1);
    await vi.advanceTimersByTimeAsync(2_900);
    expect((await at.ask(QUERY, { token: 'ben' })).data).toEqual(FOUND);
    expect(at.verified.map(({ token }) => token)).toEqual(['ann', 'ben']);
    await vi.advanceTimersByTimeAsync(200);
    for (const { data, errors } of await Promise.all(answers))
      expect({ data, errors }).toEqual({ data: FOUND, errors: [] });
    expect(at.verified.map(({ token }) => token)).toEqual(['ann', 'ben', 'ann']);
    await until(() => at.verified[0]?.isAborted === true);
  });

  it('ends when the repetition is not answered either, and the next operation begins another', async () => {
    await using at = await open({ verifications: [silence, silence] });
    const answers = [at.ask(QUERY, { token: 'ann' }), at.ask(QUERY, { token: 'ann' })];
    await until(() => at.verified.length === 1);
    await vi.advanceTimersByTimeAsync(3_100);
    await until(() => at.verified.length === 2);
    expect(at.telemetry.lines('operation')).toEqual([]);
    await vi.advanceTimersByTimeAsync(3_100);
    for (const answer of await Promise.all(answers)) expect(codesOf(answer)).toEqual(['UPSTREAM_TIMEOUT']);
    await until(() => at.verified.every(({ isAborted }) => isAborted));
    expect((await at.ask(QUERY, { token: 'ann' })).data).toEqual(FOUND);
    expect(at.verified).toHaveLength(3);
  });

  it('is named in the line of a failed call, with the operation that began it', async () => {
    await using at = await open({ verifications: [silence, silence] });
    const answers = [QUERY, 'query Other { shelf { id } }'].map((query) => at.ask(query, { token: 'ann' }));
    await until(() => at.verified.length === 1);
    await vi.advanceTimersByTimeAsync(3_100);
    await until(() => at.verified.length === 2);
    await vi.advanceTimersByTimeAsync(3_100);
    await Promise.all(answers);
    const lines = at.telemetry.lines('operation');
    for (const line of lines)
      expect(line).toMatchObject({
        caller: 'token',
        callerKey: expect.stringMatching(/^.{12}$/),
        outcome: 'failed',
        codes: ['UPSTREAM_TIMEOUT'],
        calls: 0,
      });
    expect(new Set(lines.map(({ callerKey }) => callerKey)).size).toBe(1);
    const failures = at.telemetry.lines('upstream_failure');
    // Both requests have failed, and name the operation that has waited longest.
    expect(failures).toHaveLength(2);
    expect(new Set(failures.map(({ requestId }) => requestId)).size).toBe(1);
    expect(lines.map(({ requestId }) => requestId)).toContain(failures[0]?.['requestId']);
    expect(failures[0]).toMatchObject({ method: 'OPTIONS', template: '/shelf', code: 'TIMEOUT' });
  });
});

describe('a verification that fails', () => {
  it('is not repeated later', async () => {
    await using at = await open({ verifications: [hangUp] }, { transport: { retry: { retries: 0 } } });
    expect(codesOf(await at.ask(QUERY, { token: 'ann' }))).toEqual(['UPSTREAM_UNAVAILABLE']);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(at.verified).toHaveLength(1);
  });
});

describe('an operation that waits for a verification', () => {
  it('ends when its client leaves, and leaves the verification to the others', async () => {
    const check = held();
    await using at = await open({ verifications: [check.answer] });
    const server = await at.listen();
    const send = (query: string, signal: AbortSignal | null): Promise<Response> =>
      fetch(server.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-library-token': 'ann' },
        body: JSON.stringify({ query }),
        signal,
      });
    const client = new AbortController();
    const left = send('query Leaving { shelf { id } }', client.signal).catch(({ name }) => name);
    await until(() => at.verified.length === 1);
    const stayed = send(QUERY, null);
    client.abort();
    expect(await left).toBe('AbortError');
    await until(() => at.telemetry.lines('operation').length === 1);
    expect(at.telemetry.lines('operation')).toMatchObject([{ outcome: 'left', caller: 'token' }]);
    check.release(ok({}));
    expect(await (await stayed).json()).toMatchObject({ data: FOUND });
    expect(at.verified).toEqual([{ token: 'ann', isAborted: false }]);
  });

  it('ends when its own time is over, and leaves the verification to the others', async () => {
    const check = held();
    const limits = { queryTime: 1_000 };
    await using at = await open({ verifications: [check.answer] }, { limits });
    const first = at.ask(QUERY, { token: 'ann' });
    await until(() => at.verified.length === 1);
    await vi.advanceTimersByTimeAsync(500);
    const second = at.ask(QUERY, { token: 'ann' });
    await vi.advanceTimersByTimeAsync(500);
    expect(codesOf(await first)).toEqual(['UPSTREAM_TIMEOUT']);
    check.release(ok({}));
    expect((await second).data).toEqual(FOUND);
    expect(at.verified).toEqual([{ token: 'ann', isAborted: false }]);
  });
});
