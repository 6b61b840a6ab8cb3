// Logs when a collector of traces fails, and when it works again.
import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import type { SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { Log } from '../log.ts';

/** Makes an exporter that writes one log line for each change between success and failure. */
export function reportExports(exporter: SpanExporter, log: Log): SpanExporter {
  let isFailing = false;
  const report = ({ code, error }: ExportResult): void => {
    if ((code === ExportResultCode.FAILED) === isFailing) return;
    isFailing = !isFailing;
    if (isFailing)
      log.warn('spans cannot be sent, and are lost; check OTEL_EXPORTER_OTLP_ENDPOINT and the collector', {
        event: 'traces',
        cause: causeOf(error),
      });
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

/** HTTP status, or code of the connection's error. The message could contain what the collector has answered. */
function causeOf(error: Error | undefined): string | null {
  const code = error !== undefined && 'code' in error ? error.code : null;
  return typeof code === 'string' || typeof code === 'number' ? String(code) : null;
}
