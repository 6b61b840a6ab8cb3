// Makes spans of what a facade reports.
import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type TextMapPropagator,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type {
  ObservedOperation,
  Observer,
  OperationEnd,
  UpstreamCall,
  UpstreamCallEnd,
} from '../../observer.ts';

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
  /** Starts a span below that of a cause. @param begun What is named as the cause of further spans. */
  const start = (
    name: string,
    cause: object | null,
    { begun, attributes = {} }: { readonly begun?: object; readonly attributes?: Attributes } = {},
  ): Span => {
    const parent = contextOf(cause);
    const span = tracer.startSpan(name, { attributes }, parent);
    if (begun !== undefined) contexts.set(begun, trace.setSpan(parent, span));
    return span;
  };

  return {
    operation(begun) {
      const parent = propagator.extract(ROOT_CONTEXT, begun, HEADERS);
      const span = tracer.startSpan('GraphQL Operation', { kind: SpanKind.SERVER }, parent);
      contexts.set(begun, trace.setSpan(parent, span));
      return (end) => {
        describeOperation(span, begun, end);
        span.end();
      };
    },
    traceId: (operation) => trace.getSpanContext(contextOf(operation))?.traceId ?? null,
    step({ cause, step }) {
      const before = contextOf(cause);
      // What the operation causes during a step is below the step.
      const span = start(STEPS[step], cause, { begun: cause });
      return ({ hasFailed }) => {
        contexts.set(cause, before);
        if (hasFailed) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      };
    },
    upstreamCall(call) {
      const { cause, method, template } = call;
      const parent = contextOf(cause);
      const span = tracer.startSpan(
        `${method} ${template}`,
        { kind: SpanKind.CLIENT, attributes: describeCall(call) },
        parent,
      );
      propagator.inject(trace.setSpan(parent, span), call.extraHeaders, {
        set: (headers, name, value) => {
          headers[name] = value;
        },
      });
      return (end) => {
        describeCallEnd(span, end);
        span.end();
      };
    },
    queueWait({ cause, action }) {
      const span = start('wait for a connection', cause, { attributes: { 'optiongraph.action': action } });
      return () => span.end();
    },
    batch(begun) {
      const { cause, action, size } = begun;
      const attributes = { 'optiongraph.action': action, 'optiongraph.batch.size': size };
      const span = start('batch', cause, { begun, attributes });
      return () => span.end();
    },
    actionWait(begun) {
      const span = start('wait for an action', begun.cause, { begun });
      return ({ isFinished }) => span.setAttribute('optiongraph.action.finished', isFinished).end();
    },
    poller(begun) {
      const span = start(POLLERS[begun.poller], begun.cause, { begun });
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
  span.setAttributes({
    'optiongraph.request_id': requestId,
    'optiongraph.transport': transport,
    'optiongraph.outcome': outcome,
    'optiongraph.coalesced': coalesced,
    ...(cost !== null && { 'optiongraph.cost': cost }),
    ...(status !== null && { 'http.response.status_code': status }),
  });
  if (document !== null) {
    const { type, name, hash } = document;
    // The name of the operation is no part of the span's name, because clients can choose any number of names.
    span.updateName(type);
    span.setAttributes({
      'graphql.operation.type': type,
      ...(name !== null && { 'graphql.operation.name': name.slice(0, NAME_LENGTH) }),
      'optiongraph.document.hash': hash,
    });
  }
  const [firstCode] = codes;
  if (firstCode === undefined) return;
  span.setAttributes({ 'error.type': firstCode, 'optiongraph.error.codes': [...codes] });
  span.setStatus({ code: SpanStatusCode.ERROR });
}

/** The attributes of HTTP clients but `url.full`, which contains values. */
function describeCall({ action, method, template, origin }: UpstreamCall): Attributes {
  const { hostname, port, protocol } = new URL(origin);
  return {
    'http.request.method': method,
    'url.template': template,
    'server.address': hostname,
    'server.port': Number(port === '' ? { 'http:': 80, 'https:': 443 }[protocol] : port),
    ...(action !== null && { 'optiongraph.action': action }),
  };
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
