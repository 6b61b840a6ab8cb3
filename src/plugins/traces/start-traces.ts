// Sends traces to a collector, as OpenTelemetry's environment variables say. Imports its SDK, so it is imported only when needed.
import {
  type ExportResult,
  ExportResultCode,
  getStringFromEnv,
  W3CTraceContextPropagator,
} from '@opentelemetry/core';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base';
import pTimeout from 'p-timeout';
import type { Log } from '../../log.ts';
import { createTraceObserver } from './trace-observer.ts';

/** Traces that are sent to a collector. */
export type Traces = ReturnType<typeof startTraces>;

/** Longest time in which spans are sent at the end. Milliseconds. */
const FLUSH_TIME = 1_500;

/**
 * Starts to send traces. No tracer is registered globally. The SDK reads the variables now, and uses its default for an invalid one.
 * @param version Of this program.
 * @param log Gets a line when the collector cannot be reached, and when it can be reached again.
 */
export function startTraces(version: string, log: Log) {
  const protocol =
    getStringFromEnv('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') ?? getStringFromEnv('OTEL_EXPORTER_OTLP_PROTOCOL');
  const exporter = protocol === 'http/json' ? new JsonExporter() : new ProtobufExporter();
  const provider = new BasicTracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'optiongraph', 'service.version': version }))
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(reportExports(exporter, log))],
  });
  return {
    observer: createTraceObserver(
      provider.getTracer('optiongraph', version),
      new W3CTraceContextPropagator(),
    ),
    /** Sends the spans that have ended, within 1.5 seconds. Never rejects. Returns whether nothing is left to send. */
    async close(): Promise<boolean> {
      // A failure is in the log already.
      const shutdown = provider.shutdown().catch(() => undefined);
      const isComplete = await pTimeout(
        shutdown.then(() => true),
        { milliseconds: FLUSH_TIME, fallback: () => false },
      );
      if (!isComplete)
        log.warn('the last spans are lost, because the collector does not answer', { event: 'traces' });
      return isComplete;
    },
  };
}

const LOST = 'spans cannot be sent, and are lost; check OTEL_EXPORTER_OTLP_ENDPOINT and the collector';

/** Makes an exporter that writes one log line for each change between success and failure. */
function reportExports(exporter: SpanExporter, log: Log): SpanExporter {
  let isFailing = false;
  const report = ({ code, error }: ExportResult): void => {
    if ((code === ExportResultCode.FAILED) === isFailing) return;
    isFailing = !isFailing;
    // HTTP status, or code of the connection's error. The message could contain what the collector has answered.
    const cause = error !== undefined && 'code' in error ? String(error.code) : null;
    if (isFailing) log.warn(LOST, { event: 'traces', cause });
    else log.info('spans are sent again', { event: 'traces' });
  };
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        report(result);
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
  };
}
