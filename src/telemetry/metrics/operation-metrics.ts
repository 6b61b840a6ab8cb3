// Measures operations, subscriptions and limits.
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { ObservedCaller, ObservedDocument, Observer, OperationEnd } from '../observer.ts';
import { BoundedNames } from './bounded-names.ts';
import { LabelledMetric } from './labelled-metric.ts';

/** Names of operations that are told apart. */
const MAX_NAMES = 50;
/** Upper bounds in seconds. */
const BUCKETS = [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30];

/** Makes an observer that measures operations. */
export function measureOperations(registry: Registry): Observer {
  const registers = [registry];
  const durations = new LabelledMetric(
    registry,
    ['operation', 'type', 'transport', 'outcome'],
    () =>
      new Histogram({
        name: 'optiongraph_operation_duration_seconds',
        help: 'Time from the arrival of an operation to its answer, or to the end of its subscription',
        buckets: BUCKETS,
        registers: [],
      }),
  );
  const errors = new Counter({
    name: 'optiongraph_operation_errors_total',
    help: 'Operations with at least one error of a code',
    labelNames: ['code'],
    registers,
  });
  // Prometheus sees no increase in a series that begins with 1, and alerts wait for the first of these.
  for (const code of ['INTERNAL', 'OUTCOME_UNKNOWN']) errors.inc({ code }, 0);
  const coalesced = new Counter({
    name: 'optiongraph_coalesced_reads_total',
    help: 'Reads that needed no call of their own, because they shared one',
    registers,
  });
  const subscriptions = new Gauge({
    name: 'optiongraph_subscriptions',
    help: 'Open subscriptions',
    registers,
  });
  const sockets = new Gauge({ name: 'optiongraph_sockets', help: 'Open WebSockets', registers });
  const limits = new Counter({
    name: 'optiongraph_limit_hits_total',
    help: 'What a limit has refused',
    labelNames: ['limit'],
    registers,
  });
  const names = new BoundedNames(MAX_NAMES);

  const labelOf = ({ document, caller, outcome }: OperationEnd): string => {
    if (document === null) return 'invalid';
    if (document.name === null) return 'unnamed';
    return names.labelOf(document.name, isKnownName(document, caller, outcome));
  };

  return {
    operation: () => (end) => {
      const { document, transport, outcome, duration } = end;
      durations
        .series(labelOf(end), document?.type ?? 'unknown', transport, outcome)
        .observe(duration / 1_000);
      for (const code of end.codes) errors.inc({ code });
      if (end.coalesced > 0) coalesced.inc(end.coalesced);
    },
    subscription: () => {
      subscriptions.inc();
      return () => subscriptions.dec();
    },
    socket: () => {
      sockets.inc();
      return () => sockets.dec();
    },
    limit: ({ limit }) => limits.inc({ limit }),
  };
}

/** Whether a name may become a value of the label. Anonymous clients cannot fill the label with names that nobody uses. */
function isKnownName(
  { isTrusted }: ObservedDocument,
  caller: ObservedCaller | null,
  outcome: OperationEnd['outcome'],
): boolean {
  return isTrusted || (outcome === 'ok' && caller !== null && caller.kind !== 'anonymous');
}
