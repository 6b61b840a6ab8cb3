// Makes spans of what a facade reports.
import {
  type Context,
  defaultTextMapSetter,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  type SpanOptions,
  SpanStatusCode,
  type TextMapPropagator,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { ObservedOperation, Observer, OperationEnd, UpstreamCallEnd } from '../../observer.ts';

/** Characters of a name that a client chose. */
const NAME_LENGTH = 100;

const STEPS = {
  session: 'open the session',
  parse: 'graphql.parse',
  validate: 'graphql.validate',
  execute: 'graphql.execute',
} as const;

const POLLERS = { action: 'poll an action', list: 'poll the list of actions' } as const;

/**
 * Makes an observer that traces operations and all that they cause.
 * @param tracer Creates the spans.
 * @param propagator Reads the context of a client's trace from the headers of an operation, and writes that of a span to the headers of a
 *   call. It should know only headers that may be sent to the management API.
 */
export function createTraceObserver(tracer: Tracer, propagator: TextMapPropagator): Observer {
  /** The context in which the spans are created of what an operation, a batch, a wait or a poller causes. */
  const contexts = new WeakMap<object, Context>();
  const contextOf = (cause: object | null): Context =>
    (cause === null ? undefined : contexts.get(cause)) ?? ROOT_CONTEXT;
  /** Starts a span. @param begun What further spans name as their cause. */
  const start = (name: string, parent: Context, begun: object | null, options: SpanOptions = {}): Span => {
    const span = tracer.startSpan(name, options, parent);
    if (begun !== null) contexts.set(begun, trace.setSpan(parent, span));
    return span;
  };

  return {
    operation(begun) {
      const parent = propagator.extract(ROOT_CONTEXT, begun, HEADERS);
      const span = start('GraphQL Operation', parent, begun, { kind: SpanKind.SERVER });
      return (end) => {
        describeOperation(span, begun, end);
        span.end();
      };
    },
    traceId: (operation) => trace.getSpanContext(contextOf(operation))?.traceId ?? null,
    step({ cause, step }) {
      const before = contextOf(cause);
      // What the operation causes during a step is below the step.
      const span = start(STEPS[step], before, cause);
      return ({ hasFailed }) => {
        contexts.set(cause, before);
        if (hasFailed) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      };
    },
    upstreamCall({ cause, action, method, template, origin, extraHeaders }) {
      const { hostname, port, protocol } = new URL(origin);
      const parent = contextOf(cause);
      // The attributes of HTTP clients but `url.full`, which contains values.
      const attributes = {
        'http.request.method': method,
        'url.template': template,
        'server.address': hostname,
        'server.port': Number(port === '' ? { 'http:': 80, 'https:': 443 }[protocol] : port),
        'optiongraph.action': action ?? undefined,
      };
      const span = start(`${method} ${template}`, parent, null, { kind: SpanKind.CLIENT, attributes });
      propagator.inject(trace.setSpan(parent, span), extraHeaders, defaultTextMapSetter);
      return (end) => {
        describeCallEnd(span, end);
        span.end();
      };
    },
    queueWait({ cause, action }) {
      const attributes = { 'optiongraph.action': action };
      const span = start('wait for a connection', contextOf(cause), null, { attributes });
      return () => span.end();
    },
    batch(begun) {
      const attributes = { 'optiongraph.action': begun.action, 'optiongraph.batch.size': begun.size };
      const span = start('batch', contextOf(begun.cause), begun, { attributes });
      return () => span.end();
    },
    actionWait(begun) {
      const span = start('wait for an action', contextOf(begun.cause), begun);
      return ({ isFinished }) => span.setAttribute('optiongraph.action.finished', isFinished).end();
    },
    poller(begun) {
      const span = start(POLLERS[begun.poller], contextOf(begun.cause), begun);
      return () => span.end();
    },
  };
}

/** Reads headers of an operation for the propagator, which asks for those that it knows. */
const HEADERS = {
  keys: () => [],
  get: ({ header }: ObservedOperation, name: string) => header(name) ?? undefined,
};

function describeOperation(
  span: Span,
  { requestId }: ObservedOperation,
  { document, transport, status, outcome, codes, cost, coalesced }: OperationEnd,
): void {
  // The name of the operation is no part of the span's name, because clients can choose any number of names.
  if (document !== null) span.updateName(document.type);
  const [firstCode] = codes;
  span.setAttributes({
    'optiongraph.request_id': requestId,
    'optiongraph.transport': transport,
    'optiongraph.outcome': outcome,
    'optiongraph.coalesced': coalesced,
    'optiongraph.cost': cost ?? undefined,
    'http.response.status_code': status ?? undefined,
    'graphql.operation.type': document?.type,
    'graphql.operation.name': document?.name?.slice(0, NAME_LENGTH),
    'optiongraph.document.hash': document?.hash,
    'error.type': firstCode,
    'optiongraph.error.codes': firstCode === undefined ? undefined : [...codes],
  });
  if (firstCode !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
}

function describeCallEnd(span: Span, { status, failure }: UpstreamCallEnd): void {
  if (status !== null) span.setAttribute('http.response.status_code', status);
  // Nobody needs the response any more, which is no error of the call.
  if (failure?.code === 'ABORTED') {
    span.setAttribute('optiongraph.aborted', true);
    return;
  }
  if (failure === null && (status === null || status < 400)) return;
  span.setAttribute('error.type', failure?.code ?? String(status));
  span.setStatus({ code: SpanStatusCode.ERROR, ...(failure?.cause && { message: failure.cause }) });
}
