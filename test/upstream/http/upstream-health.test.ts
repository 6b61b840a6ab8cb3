// Tests when the circuit breaker of the management API opens and closes.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { BreakerState } from '../../../src/observer.ts';
import { UpstreamUnreachableError } from '../../../src/upstream/errors.ts';
import { UpstreamHealth } from '../../../src/upstream/http/upstream-health.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

const failure = new UpstreamUnreachableError('refused', {}, { mayHaveArrived: false });

const REQUEST = {};

function createHealth() {
  const changes: BreakerState[] = [];
  const health = new UpstreamHealth({ breaker: ({ to }) => void changes.push(to) });
  const fail = (times: number): void => {
    for (let count = 0; count < times; count += 1) health.recordEnd(REQUEST, failure);
  };
  return { health, changes, fail };
}

it('counts failures in a row: an answer starts the count again', () => {
  const { health, fail } = createHealth();
  fail(19);
  health.recordEnd(REQUEST, null);
  fail(19);
  expect([health.admit(REQUEST), health.report.breaker]).toEqual([true, 'closed']);
  fail(1);
  expect([health.admit(REQUEST), health.report.breaker]).toEqual([false, 'open']);
});

it('admits one trial after a pause, which grows with each trial that fails', () => {
  const { health, changes, fail } = createHealth();
  fail(20);
  for (const pause of [500, 1_000, 2_000, 4_000, 5_000, 5_000]) {
    vi.setSystemTime(Date.now() + pause - 1);
    expect(health.admit(REQUEST)).toBe(false);
    vi.setSystemTime(Date.now() + 1);
    expect([health.admit(REQUEST), health.admit(REQUEST)]).toEqual([true, false]);
    fail(1);
  }
  vi.setSystemTime(Date.now() + 5_000);
  expect(health.admit(REQUEST)).toBe(true);
  health.recordEnd(REQUEST, null);
  expect(health.admit(REQUEST)).toBe(true);
  expect(changes.slice(-2)).toEqual(['half-open', 'closed']);
});

it('closes after a late answer, and after a trial without an outcome', () => {
  const { health, fail } = createHealth();
  fail(20);
  health.recordEnd(REQUEST, null);
  expect(health.report).toMatchObject({ breaker: 'closed', isAnswering: true });
  fail(20);
  vi.setSystemTime(Date.now() + 60_000);
  health.admit(REQUEST);
  health.recordEnd({}, new Error('The client of an earlier request left.'));
  expect(health.report.breaker).toBe('trying');
  health.recordEnd(REQUEST, new Error('The client left.'));
  expect(health.report).toMatchObject({ breaker: 'closed', isAnswering: false });
  fail(1);
  expect(health.report.breaker).toBe('closed');
});
