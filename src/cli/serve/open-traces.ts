// Opens the traces of the program, if OpenTelemetry's environment variables ask for them.
import type { Environment } from '../../config/read-settings.ts';
import type { Log } from '../../log.ts';
import type { Traces } from '../../plugins/traces/start-traces.ts';

/** Opens traces. Null when they are not configured; OpenTelemetry's SDK is not loaded then. */
export async function openTraces(env: Environment, programVersion: string, log: Log): Promise<Traces | null> {
  if (!areConfigured(env, log)) return null;
  const { startTraces } = await import('../../plugins/traces/start-traces.ts');
  return startTraces(programVersion, log);
}

function areConfigured(env: Environment, log: Log): boolean {
  // An empty variable counts as absent.
  const read = (name: string): string | null => env[name]?.trim() || null;
  if (read('OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return false;
  const endpoint = read('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') ?? read('OTEL_EXPORTER_OTLP_ENDPOINT');
  const exporter = read('OTEL_TRACES_EXPORTER') ?? (endpoint === null ? 'none' : 'otlp');
  if (exporter !== 'otlp' && exporter !== 'none')
    log.warn('there are no traces, because OTEL_TRACES_EXPORTER must be "otlp" or "none"', {
      event: 'traces',
    });
  return exporter === 'otlp';
}
