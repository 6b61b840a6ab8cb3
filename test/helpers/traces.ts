// Receives the traces of a facade by OTLP over HTTP.
import type { IncomingHttpHeaders } from 'node:http';
import { vi } from 'vitest';
import type { Observer } from '../../src/observer.ts';
import { startTraces } from '../../src/plugins/traces/start-traces.ts';
import { collectLog } from './facade.ts';
import { listen, readText } from './plain-server.ts';
import { recordOutput } from './secrecy.ts';

/** A span, as OTLP sends it in JSON. */
interface SentSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly attributes: readonly SentAttribute[];
  readonly status: { readonly code: number; readonly message?: string };
}

interface SentAttribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface SentTraces {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly SentAttribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[];
  }[];
}

/** A span that a collector has received. */
export interface ReceivedSpan extends Omit<SentSpan, 'attributes'> {
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** A collector of traces. */
export interface Collector extends AsyncDisposable {
  readonly url: string;
  /** The headers of each request. */
  readonly requests: readonly IncomingHttpHeaders[];
  /** Each body, as text. */
  readonly bodies: readonly string[];
  /** What sent the traces; null before the first ones. */
  readonly resource: Readonly<Record<string, unknown>> | null;
  /** The spans that were sent in JSON: by the time of their start, and each before those below it. */
  readonly spans: readonly ReceivedSpan[];
}

/** Starts a collector. @param status HTTP status of its responses; null for none. */
export async function startCollector(status: number | null = 200): Promise<Collector> {
  const requests: IncomingHttpHeaders[] = [];
  const bodies: string[] = [];
  const server = await listen(async (request, response) => {
    const body = await readText(request);
    recordOutput('a trace', body);
    requests.push(request.headers);
    bodies.push(body);
    if (status !== null) response.writeHead(status).end();
  });
  const received = () =>
    bodies
      .filter((body) => body.startsWith('{'))
      .flatMap((body) => (JSON.parse(body) as SentTraces).resourceSpans);
  return {
    url: server.url,
    requests,
    bodies,
    get resource() {
      const [first] = received();
      return first === undefined ? null : readAttributes(first.resource.attributes);
    },
    get spans() {
      const spans = received()
        .flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
        .map((span) => ({ ...span, attributes: readAttributes(span.attributes) }))
        .sort((a, b) => Number(BigInt(a.startTimeUnixNano) - BigInt(b.startTimeUnixNano)));
      return listTree(spans).map(({ span }) => span);
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** The traces of a facade. */
export interface Tracing extends AsyncDisposable {
  /** Options of the facade. */
  readonly options: { readonly observer: Observer };
  readonly collector: Collector;
  /** Sends all spans. Returns those of operations and of what they cause. */
  finish(): Promise<readonly ReceivedSpan[]>;
}

/** Traces to a collector of its own. @param env Variables of OpenTelemetry. */
export async function openTracing(env: Readonly<Record<string, string>> = {}): Promise<Tracing> {
  const collector = await startCollector();
  const variables = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    ...env,
  };
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  const traces = startTraces('1.2.3', collectLog());
  vi.unstubAllEnvs();
  return {
    options: { observer: traces.observer },
    collector,
    async finish() {
      await traces.close();
      const roots = collector.spans
        .filter(({ name }) => name.startsWith('OPTIONS '))
        .map(({ spanId }) => spanId);
      return collector.spans.filter(({ spanId }) => !roots.includes(spanId));
    },
    async [Symbol.asyncDispose]() {
      await traces.close();
      await collector[Symbol.asyncDispose]();
    },
  };
}

/** Writes spans as a tree: a line for each span, indented below its parent. */
export function drawTree(spans: readonly ReceivedSpan[]): string {
  return listTree(spans)
    .map(({ span, depth }) => '  '.repeat(depth) + span.name)
    .join('\n');
}

/** Lists spans with their depth, each before those below it. Several spans can have the same time. */
function listTree(spans: readonly ReceivedSpan[]) {
  const ids = new Set(spans.map(({ spanId }) => spanId));
  const list = (parents: readonly ReceivedSpan[], depth: number): { span: ReceivedSpan; depth: number }[] =>
    parents.flatMap((span) => [
      { span, depth },
      ...list(
        spans.filter(({ parentSpanId }) => parentSpanId === span.spanId),
        depth + 1,
      ),
    ]);
  return list(
    spans.filter(({ parentSpanId = '' }) => !ids.has(parentSpanId)),
    0,
  );
}

function readAttributes(attributes: readonly SentAttribute[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, readValue(value)]));
}

function readValue(value: Readonly<Record<string, unknown>>): unknown {
  const { arrayValue } = value as {
    readonly arrayValue?: { readonly values: readonly SentAttribute['value'][] };
  };
  return arrayValue === undefined ? Object.values(value)[0] : arrayValue.values.map(readValue);
}
