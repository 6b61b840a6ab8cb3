// Tests which answers start the count of failures again.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { UpstreamUnreachableError } from '../../../src/upstream/errors.ts';
import type { Transport, TransportResponse } from '../../../src/upstream/http/transport.ts';
import { UpstreamHealth } from '../../../src/upstream/http/upstream-health.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

const request = { isRead: true, method: 'GET', path: '/', template: '/', headers: {} };
const answer: TransportResponse = { status: 200, body: '', retryAfter: null };

it('starts the count again after a late answer and a trial without an outcome', async () => {
  const health = new UpstreamHealth();
  const send = (outcome: () => Promise<TransportResponse>): Promise<unknown> => {
    const transport: Transport = { send: outcome, close: () => Promise.resolve() };
    return health
      .guard(transport)
      .send(request)
      .catch(() => undefined);
  };
  const fail = () => Promise.reject(new UpstreamUnreachableError('refused', {}, { mayHaveArrived: false }));
  let answerLate: (response: TransportResponse) => void = () => undefined;
  const late = send(() => new Promise((resolve) => (answerLate = resolve)));
  for (let failure = 0; failure < 20; failure += 1) await send(fail);
  expect(health.report.breaker).toBe('open');
  answerLate(answer);
  await late;
  vi.setSystemTime(Date.now() + 60_000);
  await send(() => Promise.reject(new Error('The client left.')));
  expect(health.report.breaker).toBe('closed');

  await send(() => Promise.resolve(answer));
  await send(fail);

  expect(health.report.breaker).toBe('closed');
});
