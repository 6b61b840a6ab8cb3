// Measures operations, subscriptions and limits.
import type { Registry } from 'prom-client';
import type { Observer, OperationEnd } from '../observer.ts';
import { BoundedNames, defineMetrics, TIMES } from './define-metrics.ts';

/** Names of operations that are told apart. */
const MAX_NAMES = 50;

/** Makes an observer that measures operations. */
export function measureOperations(registry: Registry): Observer {
  const { counter, gauge, histogram } = defineMetrics(registry);
  const durations = histogram(
    'optiongraph_operation_duration_seconds',
    'Time from the arrival of an operation to its answer, or to the end of its subscription',
    TIMES,
    'operation',
    'type',
    'transport',
    'outcome',
  );
  const errors = counter(
    'optiongraph_operation_errors_total',
    'Operations with at least one error of a code',
    'code',
  );
  // Prometheus sees no increase in a series that begins with 1, and alerts wait for the first of these.
  for (const code of ['INTERNAL', 'OUTCOME_UNKNOWN']) errors.inc({ code }, 0);
  const coalesced = counter(
    'optiongraph_coalesced_reads_total',
    'Reads that needed no call of their own, because they shared one',
  );
  const subscriptions = gauge('optiongraph_subscriptions', 'Open subscriptions');
  const sockets = gauge('optiongraph_sockets', 'Open WebSockets');
  const limits = counter('optiongraph_limit_hits_total', 'What a limit has refused', 'limit');
  const names = new BoundedNames(MAX_NAMES);

  return {
    operation: () => (end) => {
      const { document, transport, outcome, codes, duration } = end;
      const labels = { operation: nameOf(end, names), type: document?.type ?? 'unknown', transport, outcome };
      durations.observe(labels, duration / 1_000);
      for (const code of codes) errors.inc({ code });
      coalesced.inc(end.coalesced);
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

/** The label of an operation's name. Anonymous clients cannot fill it with names that nobody uses. */
function nameOf({ document, caller, outcome }: OperationEnd, names: BoundedNames): string {
  if (document === null) return 'invalid';
  const { name, isTrusted } = document;
  if (name === null) return 'unnamed';
  return names.labelOf(
    name,
    isTrusted || (outcome === 'ok' && (caller?.kind ?? 'anonymous') !== 'anonymous'),
  );
}
