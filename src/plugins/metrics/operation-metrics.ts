// Measures operations, subscriptions and limits.
import type { Gauge, Registry } from 'prom-client';
import type { Observer, OperationEnd } from '../../observer.ts';
import { BoundedNames, defineMetrics, TIMES } from './define-metrics.ts';

/** Names of operations with a series of their own. */
const MAX_NAMES = 50;
/** Deprecated elements with a series of their own. */
const MAX_DEPRECATED = 200;
/** The close codes of RFC 6455 that occur, and those of graphql-transport-ws. */
const CLOSE_CODES: ReadonlySet<number> = new Set([
  ...[1000, 1001, 1002, 1005, 1006, 1007, 1009, 1011],
  ...[4400, 4401, 4403, 4406, 4408, 4409, 4429, 4500],
]);

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
  const deprecatedUses = counter(
    'optiongraph_deprecated_uses_total',
    'Operations that use a deprecated element',
    'element',
  );
  const subscription = countOpen(gauge('optiongraph_subscriptions', 'Open subscriptions'));
  const liveQuery = countOpen(gauge('optiongraph_live_queries', 'Open live queries'));
  const sockets = gauge('optiongraph_sockets', 'Open WebSockets');
  const closes = counter('optiongraph_socket_closes_total', 'Closed WebSockets by their close code', 'code');
  const limits = counter('optiongraph_limit_hits_total', 'What a limit has refused', 'limit');
  const refusals = counter(
    'optiongraph_refusals_total',
    'Requests for a host that is not served, and of pages whose origin is not listed',
    'reason',
  );
  const names = new BoundedNames(MAX_NAMES);
  const elements = new BoundedNames(MAX_DEPRECATED);

  return {
    operation: () => (end) => {
      const { document, transport, outcome, codes, duration } = end;
      const labels = { operation: nameOf(end, names), type: document?.type ?? 'unknown', transport, outcome };
      durations.observe(labels, duration / 1_000);
      for (const code of codes) errors.inc({ code });
      coalesced.inc(end.coalesced);
      for (const element of end.deprecated) deprecatedUses.inc({ element: elements.labelOf(element) });
    },
    subscription,
    liveQuery,
    socket: () => {
      sockets.inc();
      return ({ code }) => {
        sockets.dec();
        closes.inc({ code: CLOSE_CODES.has(code) ? code : 'other' });
      };
    },
    refusal: ({ reason }) => refusals.inc({ reason }),
    limit: ({ limit }) => limits.inc({ limit }),
  };
}

/** Observes what opens and closes. */
const countOpen = (open: Gauge) => () => {
  open.inc();
  return () => open.dec();
};

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
