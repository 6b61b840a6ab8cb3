// Collects metrics for Prometheus, and serves them: those of operations and calls, of what facades keep and share, and of the process.
import { createServer, STATUS_CODES } from 'node:http';
import {
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type MetricConfiguration,
  Registry,
} from 'prom-client';
import type { Callers } from '../../callers/callers.ts';
import type { Observer, OperationEnd, UpstreamCallEnd } from '../../observer.ts';
import { listen } from '../../server/http/listen.ts';
import { ServedHosts } from '../../server/http/served-hosts.ts';
import { answerError, foreignHostError } from '../../server/http/server-answers.ts';

/** What each metric says, and the names of its labels. */
type Definitions = Readonly<Record<string, readonly [help: string, ...labelNames: string[]]>>;

const COUNTERS = {
  log_losses_total: ['Lines of the log that could not be written'],
  operation_errors_total: ['Operations with at least one error of a code', 'code'],
  coalesced_reads_total: ['Reads that needed no call of their own, because they shared one'],
  socket_closes_total: ['Closed WebSockets by their close code', 'code'],
  limit_hits_total: ['What a limit has refused', 'limit'],
  refusals_total: ['Requests for a host that is not served, and of pages of unlisted origins', 'reason'],
  upstream_calls_total: ['Requests to the management API and the snippet service', 'action', 'status'],
  upstream_invalid_responses_total: ['Responses that contradict description or protocol', 'action'],
  batches_total: ['Batches of objects of one resource'],
  batched_objects_total: ['Objects in all batches'],
  includes_total: ['Associations that reads asked for: used, or refused', 'result'],
  schema_changes_total: ["New descriptions that have replaced the operator's schema"],
  sharing_losses_total: ['How often Redis could not be used any more'],
} satisfies Definitions;

const GAUGES = {
  info: ['Always 1, with the version of Optiongraph', 'version'],
  subscriptions: ['Open subscriptions'],
  live_queries: ['Open live queries'],
  sockets: ['Open WebSockets'],
  upstream_calls_in_progress: ['Requests without a complete response'],
  pollers: ['Pollers of running actions', 'poller'],
  upstream_breakers_open: ['Circuit breakers that are not closed: above 0 while the management API is down'],
  queued_calls: ['Calls that wait for their turn'],
  sharing_alone: ['1 while Redis is configured and cannot be used, so that this replica goes on by itself'],
  schemas: ['Schemas that are kept'],
  schema_description_characters: ['Size of the descriptions of the schemas that are kept'],
  callers: ['Callers whose description is known'],
  answer_memory_bytes: ['Bytes of the responses of the management API that are being received'],
} satisfies Definitions;

/** Times in seconds. */
const HISTOGRAMS = {
  operation_duration_seconds: [
    'Time from the arrival of an operation to its answer, or to the end of its subscription',
    ...['operation', 'type', 'transport', 'outcome'],
  ],
  upstream_call_duration_seconds: ['Time from a request to the end of its response', 'action'],
  queue_wait_seconds: ['Time that calls waited for their turn, if they had to'],
  schema_assembly_duration_seconds: ['Time to assemble a schema from a description', 'result'],
} satisfies Definitions;

/** Upper bounds of all histograms. */
const BUCKETS = [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30];

/** The metrics of a process. */
export interface Metrics {
  readonly observer: Observer;
  /** The media type of the text. */
  readonly contentType: string;
  /** Writes all metrics in Prometheus' text format. */
  text(): Promise<string>;
}

/** The sizes of what a facade keeps. */
export type FacadeSizes = Callers['sizes'] & {
  /** Bytes of the answers of the management API that are being received. */
  readonly answers: { readonly held: number };
};

/**
 * Makes metrics, with those of the process, such as processor time and the delay of the event loop.
 * @param version Of this program.
 * @param readSizes Returns the sizes of the facade; null while there is none. Called when the metrics are read.
 */
export function createMetrics(version: string, readSizes: () => FacadeSizes | null): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const metrics = define(registry, readSizes);
  const { info, operation_errors_total, schema_assembly_duration_seconds } = metrics;
  info.set({ version }, 1);
  // Prometheus sees no increase in a series that begins with 1, and alerts wait for the first of these.
  for (const code of ['INTERNAL', 'OUTCOME_UNKNOWN']) operation_errors_total.inc({ code }, 0);
  for (const result of ['served', 'failed']) schema_assembly_duration_seconds.zero({ result });
  return {
    observer: { ...measureOperations(metrics), ...measureCalls(metrics), ...measureFacades(metrics) },
    contentType: registry.contentType,
    text: () => registry.metrics(),
  };
}

function define(registry: Registry, readSizes: () => FacadeSizes | null) {
  const create = <D extends Definitions, M>(
    definitions: D,
    Metric: new (configuration: MetricConfiguration<string>) => M,
    configure: (name: string) => object = () => ({}),
  ) => {
    const metrics = Object.entries(definitions).map(([name, [help, ...labelNames]]) => {
      const common = { name: `optiongraph_${name}`, help, labelNames, registers: [registry] };
      return [name, new Metric({ ...common, ...configure(name) })];
    });
    return Object.fromEntries(metrics) as { readonly [K in keyof D]: M };
  };
  /** Gauges whose value is read when the metrics are. */
  const reads: Readonly<Record<string, (sizes: FacadeSizes) => number>> = {
    schemas: ({ schemas }) => schemas,
    schema_description_characters: ({ schemaCharacters }) => schemaCharacters,
    callers: ({ callers }) => callers,
    answer_memory_bytes: ({ answers }) => answers.held,
  };
  const readLate = (name: string) => ({
    collect(this: Gauge) {
      const sizes = readSizes();
      const read = reads[name];
      if (sizes !== null && read !== undefined) this.set(read(sizes));
    },
  });
  return {
    ...create(COUNTERS, Counter),
    ...create(GAUGES, Gauge, readLate),
    ...create(HISTOGRAMS, Histogram, () => ({ buckets: BUCKETS })),
  };
}

type AllMetrics = ReturnType<typeof define>;

/** Makes the values of a label that others choose: the first names, and `other` for those that are too many or may not be added. */
function createLabels(max: number): (name: string, mayAdd?: boolean) => string {
  const known = new Set<string>();
  return (name, mayAdd = true) => {
    if (mayAdd && known.size < max) known.add(name);
    return known.has(name) ? name : 'other';
  };
}

function measureOperations(metrics: AllMetrics): Observer {
  const labelOf = createLabels(50);
  return {
    operation: () => (end) => {
      const { document, transport, outcome, codes, duration } = end;
      const operation = nameOf(end, labelOf);
      const labels = { operation, type: document?.type ?? 'unknown', transport, outcome };
      metrics.operation_duration_seconds.observe(labels, duration / 1_000);
      for (const code of codes) metrics.operation_errors_total.inc({ code });
      metrics.coalesced_reads_total.inc(end.coalesced);
    },
    subscription: countOpen(metrics.subscriptions),
    liveQuery: countOpen(metrics.live_queries),
    socket() {
      metrics.sockets.inc();
      return ({ code }) => {
        metrics.sockets.dec();
        metrics.socket_closes_total.inc({ code: CLOSE_CODES.has(code) ? code : 'other' });
      };
    },
    refusal: ({ reason }) => metrics.refusals_total.inc({ reason }),
    limit: ({ limit }) => metrics.limit_hits_total.inc({ limit }),
  };
}

/** The label of an operation's name. Anonymous clients cannot fill it with names that nobody uses. */
function nameOf(
  { document, caller, outcome }: OperationEnd,
  labelOf: ReturnType<typeof createLabels>,
): string {
  if (document === null) return 'invalid';
  const { name, isTrusted } = document;
  if (name === null) return 'unnamed';
  const isOfUser = outcome === 'ok' && caller !== null && caller.kind !== 'anonymous';
  return labelOf(name, isTrusted || isOfUser);
}

/** Observes what begins and ends. */
const countOpen = (open: Gauge) => () => {
  open.inc();
  return () => open.dec();
};

/** The close codes of RFC 6455 that occur, and those of graphql-transport-ws. */
const CLOSE_CODES: ReadonlySet<number> = new Set([
  ...[1000, 1001, 1002, 1005, 1006, 1007, 1009, 1011],
  ...[4400, 4401, 4403, 4406, 4408, 4409, 4429, 4500],
]);

function measureCalls(metrics: AllMetrics): Observer {
  const labelOf = createLabels(200);
  return {
    upstreamCall({ action: scope }) {
      metrics.upstream_calls_in_progress.inc();
      return (end) => {
        const action = labelOf(scope ?? 'OPTIONS');
        metrics.upstream_calls_in_progress.dec();
        metrics.upstream_calls_total.inc({ action, status: statusOf(end) });
        metrics.upstream_call_duration_seconds.observe({ action }, end.duration / 1_000);
      };
    },
    invalidResponse: ({ action }) =>
      metrics.upstream_invalid_responses_total.inc({ action: labelOf(action) }),
    queueWait() {
      metrics.queued_calls.inc();
      const end = metrics.queue_wait_seconds.startTimer();
      return () => {
        metrics.queued_calls.dec();
        end();
      };
    },
    batch({ size }) {
      metrics.batches_total.inc();
      metrics.batched_objects_total.inc(size);
      return undefined;
    },
    includes({ used, refused }) {
      metrics.includes_total.inc({ result: 'used' }, used);
      metrics.includes_total.inc({ result: 'refused' }, refused);
    },
    poller({ poller }) {
      metrics.pollers.inc({ poller });
      return () => metrics.pollers.dec({ poller });
    },
    breaker({ from, to }) {
      if (from === 'closed') metrics.upstream_breakers_open.inc();
      if (to === 'closed') metrics.upstream_breakers_open.dec();
    },
  };
}

/** The HTTP status as far as it is a standard one, or the code of the failure. */
function statusOf({ status, failure }: UpstreamCallEnd): string {
  if (failure !== null) return failure.code;
  return String(status) in STATUS_CODES ? String(status) : 'other';
}

/** Measures schemas, the log, and whether replicas can share. */
const measureFacades = (metrics: AllMetrics): Observer => ({
  assembly:
    () =>
    ({ problem, duration }) =>
      metrics.schema_assembly_duration_seconds.observe(
        { result: problem === null ? 'served' : 'failed' },
        duration / 1_000,
      ),
  schemaChange: () => metrics.schema_changes_total.inc(),
  sharing({ isAlone }) {
    metrics.sharing_alone.set(isAlone ? 1 : 0);
    if (isAlone) metrics.sharing_losses_total.inc();
  },
  logLoss: ({ lines }) => metrics.log_losses_total.inc(lines),
});

/** Path of the metrics. */
const PATH = '/metrics';

/**
 * Serves metrics at a port of its own to everyone who reaches it, except for pages of other hosts (see `ServedHosts`). Rejects with
 * node's error when it cannot listen.
 */
export async function openMetricsServer(
  { text, contentType }: Metrics,
  { host, port }: { readonly host: string; readonly port: number },
) {
  const server = createServer(async (request, response) => {
    if (hosts.find(request) !== 'served') return answerError(request, response, foreignHostError(request));
    const body = request.url === PATH ? await text().catch(() => null) : undefined;
    if (typeof body !== 'string') return response.writeHead(body === null ? 500 : 404).end();
    response.writeHead(200, { 'content-type': contentType, 'cache-control': 'no-store' }).end(body);
  });
  const hosts = new ServedHosts(server, { host });
  const authority = await listen(server, { host, port });
  return {
    url: `http://${authority}${PATH}`,
    async close(): Promise<void> {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
