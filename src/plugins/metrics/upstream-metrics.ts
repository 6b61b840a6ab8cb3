// Measures the calls of the management API, and what keeps their number low.
import { STATUS_CODES } from 'node:http';
import type { Registry } from 'prom-client';
import type { Observer, UpstreamCallEnd } from '../../observer.ts';
import { BoundedNames, defineMetrics, TIMES } from './define-metrics.ts';

/** Actions with a series of their own. */
const MAX_ACTIONS = 200;

/** Makes an observer that measures calls. */
export function measureUpstream(registry: Registry): Observer {
  const { counter, gauge, size, histogram } = defineMetrics(registry);
  const calls = counter(
    'optiongraph_upstream_calls_total',
    'Requests to the management API and the snippet service',
    'action',
    'status',
  );
  const durations = histogram(
    'optiongraph_upstream_call_duration_seconds',
    'Time from a request to the end of its response',
    TIMES,
    'action',
  );
  let underWay = 0;
  size('optiongraph_upstream_calls_in_progress', 'Requests without a complete response', () => underWay);
  const invalid = counter(
    'optiongraph_upstream_invalid_responses_total',
    'Responses that contradict the description or the protocol',
    'action',
  );
  const batches = counter('optiongraph_batches_total', 'Batches of objects of one resource');
  const objects = counter('optiongraph_batched_objects_total', 'Objects in all batches');
  const includes = counter(
    'optiongraph_includes_total',
    'Associations that reads asked for: used, or refused',
    'result',
  );
  const pollers = gauge('optiongraph_pollers', 'Pollers of running actions', 'poller');
  const openBreakers = gauge(
    'optiongraph_upstream_breakers_open',
    'Circuit breakers that are not closed: above 0 while the management API is down',
  );
  const queued = gauge('optiongraph_queued_calls', 'Calls that wait for their turn');
  const waits = histogram(
    'optiongraph_queue_wait_seconds',
    'Time that calls waited for their turn, if they had to',
    TIMES,
  );
  const actions = new BoundedNames(MAX_ACTIONS);

  return {
    upstreamCall({ action: scope }) {
      underWay += 1;
      return (end) => {
        const action = actions.labelOf(scope ?? 'OPTIONS');
        underWay -= 1;
        calls.inc({ action, status: statusOf(end) });
        durations.observe({ action }, end.duration / 1_000);
      };
    },
    invalidResponse: ({ action }) => invalid.inc({ action: actions.labelOf(action) }),
    queueWait() {
      queued.inc();
      const end = waits.startTimer();
      return () => {
        queued.dec();
        end();
      };
    },
    batch(batch) {
      batches.inc();
      objects.inc(batch.size);
      return undefined;
    },
    includes({ used, refused }) {
      includes.inc({ result: 'used' }, used);
      includes.inc({ result: 'refused' }, refused);
    },
    poller({ poller }) {
      pollers.inc({ poller });
      return () => pollers.dec({ poller });
    },
    breaker({ from, to }) {
      if (from === 'closed') openBreakers.inc();
      if (to === 'closed') openBreakers.dec();
    },
  };
}

/** The HTTP status as far as it is a standard one, or the code of the failure. */
function statusOf({ status, failure }: UpstreamCallEnd): string {
  if (failure !== null) return failure.code;
  const text = String(status);
  return text in STATUS_CODES ? text : 'other';
}
