// Measures the calls of the management API, and what keeps their number low.
import { STATUS_CODES } from 'node:http';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Observer, UpstreamCallEnd } from '../observer.ts';
import { BoundedNames } from './bounded-names.ts';
import { LabelledMetric } from './labelled-metric.ts';

/** Actions that are told apart. */
const MAX_ACTIONS = 200;
/** Upper bounds in seconds. */
const BUCKETS = [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30];

/** Makes an observer that measures calls. */
export function measureUpstream(registry: Registry): Observer {
  const registers = [registry];
  const calls = new LabelledMetric(
    registry,
    ['action', 'status'],
    () =>
      new Counter({
        name: 'optiongraph_upstream_calls_total',
        help: 'Requests to the management API and the snippet service',
        registers: [],
      }),
  );
  const durations = new LabelledMetric(
    registry,
    ['action'],
    () =>
      new Histogram({
        name: 'optiongraph_upstream_call_duration_seconds',
        help: 'Time from a request to the end of its response',
        buckets: BUCKETS,
        registers: [],
      }),
  );
  let underWay = 0;
  new Gauge({
    name: 'optiongraph_upstream_calls_in_progress',
    help: 'Requests without a complete response',
    registers,
    collect() {
      this.set(underWay);
    },
  });
  const invalid = new Counter({
    name: 'optiongraph_upstream_invalid_responses_total',
    help: 'Responses that contradict the description or the protocol',
    labelNames: ['action'],
    registers,
  });
  const batches = new Counter({
    name: 'optiongraph_batches_total',
    help: 'Batches of objects of one resource',
    registers,
  });
  const objects = new Counter({
    name: 'optiongraph_batched_objects_total',
    help: 'Objects in all batches',
    registers,
  });
  const includes = new Counter({
    name: 'optiongraph_includes_total',
    help: 'Associations that reads asked for: used, or refused because the API fails with them',
    labelNames: ['result'],
    registers,
  });
  const pollers = new Gauge({
    name: 'optiongraph_pollers',
    help: 'Pollers of running actions',
    labelNames: ['poller'],
    registers,
  });
  const open = new Gauge({
    name: 'optiongraph_upstream_breakers_open',
    help: 'Circuit breakers that are not closed: above 0 while the management API is down',
    registers,
  });
  const actions = new BoundedNames(MAX_ACTIONS);

  return {
    upstreamCall({ action }) {
      underWay += 1;
      return (end) => {
        const label = actions.labelOf(action ?? 'OPTIONS');
        underWay -= 1;
        calls.series(label, statusOf(end)).inc();
        durations.series(label).observe(end.duration / 1_000);
      };
    },
    invalidResponse: ({ action }) => invalid.inc({ action: actions.labelOf(action) }),
    ...measureQueue(registry),
    batch({ size }) {
      batches.inc();
      objects.inc(size);
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
      if (from === 'closed') open.inc();
      if (to === 'closed') open.dec();
    },
  };
}

function measureQueue(registry: Registry): Observer {
  const queued = new Gauge({
    name: 'optiongraph_queued_calls',
    help: 'Calls that wait for their turn',
    registers: [registry],
  });
  const waits = new Histogram({
    name: 'optiongraph_queue_wait_seconds',
    help: 'Time that calls waited for their turn; calls that need not wait are not counted',
    buckets: BUCKETS,
    registers: [registry],
  });
  return {
    queueWait() {
      queued.inc();
      const end = waits.startTimer();
      return () => {
        queued.dec();
        end();
      };
    },
  };
}

/** The HTTP status as far as it is a standard one, or the code of the failure. */
function statusOf({ status, failure }: UpstreamCallEnd): string {
  if (failure !== null) return failure.code;
  const text = String(status);
  return text in STATUS_CODES ? text : 'other';
}
