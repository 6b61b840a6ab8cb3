// The command `serve`: serves GraphQL over a management API.
import type { EmbeddedSandbox } from '@optiongraph/tools/embedded-sandbox';
import { basePathOf, type ServeConfig } from '../../config/serve-settings.ts';
import type { Facade } from '../../facade/facade.ts';
import type { Log } from '../../log.ts';
import { combineObservers, type Observer } from '../../observer.ts';
import { createLogObserver } from '../../plugins/log/log-observer.ts';
import { createMetrics, openMetricsServer } from '../../plugins/metrics/metrics.ts';
import type { Traces } from '../../plugins/traces/start-traces.ts';
import { openServer } from '../../server/server.ts';
import { joinAlone } from '../../sharing/local-replicas.ts';
import type { Replicas } from '../../sharing/replicas.ts';
import { VERSION } from '../../upstream/version.ts';
import { endSoon, keepHeapSmall, onStopSignal, outliveReader } from '../process.ts';
import { announce, announceSandbox } from './announce.ts';
import { openAudit } from './open-audit.ts';
import { openFacade } from './open-facade.ts';
import { openLog } from './open-log.ts';

/** Events of a failed attempt to start, whose own line says why it has failed. */
const ATTEMPTS: ReadonlySet<unknown> = new Set(['assembly', 'breaker', 'upstream_failure']);

/** Serves until a signal stops the process. */
export async function serve(config: ServeConfig): Promise<void> {
  keepHeapSmall();
  outliveReader();
  let served: Facade | null = null;
  const metrics = createMetrics(VERSION, () => served?.sizes ?? null);
  const output = openLog(config, () => metrics.observer.logLoss?.({ lines: 1 }));
  const { log } = output;
  const traces = await openTraces(log);
  const warn: Log['warn'] = (message, fields) => {
    if (served !== null || !ATTEMPTS.has(fields?.['event'])) log.warn(message, fields);
  };
  const observer = combineObservers([
    createLogObserver({ ...log, warn }, config.log),
    metrics.observer,
    ...(traces === null ? [] : [traces.observer]),
  ]);
  const { file } = config.audit;
  const secret = config.oauth.sessionSecret?.[0] ?? null;
  const audit = file === null ? null : { write: await openAudit(file, log), secret };
  const closables: { close(): Promise<void> }[] = [];
  const opened = <T extends { close(): Promise<void> }>(part: T): T => {
    closables.push(part);
    return part;
  };
  const shutdown = new AbortController();
  const { signal } = shutdown;
  const closeAll = async (): Promise<void> => {
    shutdown.abort();
    for (const closable of closables) await closable.close();
    const isComplete = (await traces?.close()) ?? true;
    // The SDK goes on to repeat what has failed.
    if (!isComplete) endSoon();
  };
  try {
    const server = opened(await listen(config, observer));
    // Before the address is printed, because a program that waits for it may send a signal at once.
    onStopSignal(closeAll);
    process.on('SIGHUP', () => void served?.refresh());
    const replicas = opened(await openReplicas(config, observer));
    const { host, port } = config.metrics;
    if (port !== null) {
      const { url } = opened(await openMetricsServer(metrics, { host, port }));
      log.info(`Metrics: ${url}`, { event: 'start' });
    }
    const embedded = config.sandbox ? opened(await openSandbox(config)) : null;
    const facade = await openFacade(config, embedded, replicas, { log, observer, audit, signal });
    served = facade;
    server.serve(facade);
    if (embedded !== null) announceSandbox(embedded, output);
    announce(config, facade, server.origin, output);
  } catch (error) {
    const wasStopped = signal.aborted;
    await closeAll();
    if (!wasStopped) throw error;
  }
}

/** Listens. Until there is a facade to serve, requests get 503. */
function listen(config: ServeConfig, observer: Observer) {
  const { host, port, publicUrl, limits } = config;
  const allowedHosts = [...config.allowedHosts, ...(publicUrl === null ? [] : [publicUrl.hostname])];
  return openServer({ host, port, allowedHosts, limits, observer }, basePathOf(config));
}

/** Loads and starts the sandbox. It is loaded only here, so that `serve --upstream` starts faster. */
async function openSandbox(config: ServeConfig): Promise<EmbeddedSandbox> {
  const { openEmbeddedSandbox } = await import('@optiongraph/tools/embedded-sandbox');
  return openEmbeddedSandbox(config.snippets.url === null, basePathOf(config));
}

/** Joins the replicas that share through Redis. Without Redis, its client is not loaded, and there are no other replicas. */
async function openReplicas(
  { redis: { address, ca, prefix }, oauth }: ServeConfig,
  observer: Observer,
): Promise<Replicas> {
  if (address === null) return joinAlone();
  const { joinRedisReplicas } = await import('../../sharing/redis/redis-replicas.ts');
  return joinRedisReplicas({ address, ca, prefix, secrets: oauth.sessionSecret ?? [], observer });
}

/** Starts traces, if OpenTelemetry's variables ask for them. Its SDK is loaded only then. */
async function openTraces(log: Log): Promise<Traces | null> {
  // An empty variable counts as absent.
  const read = (name: string): string | null => process.env[name]?.trim() || null;
  if (read('OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return null;
  const endpoint = read('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') ?? read('OTEL_EXPORTER_OTLP_ENDPOINT');
  if (endpoint === null || read('OTEL_TRACES_EXPORTER') === 'none') return null;
  const { startTraces } = await import('../../plugins/traces/start-traces.ts');
  return startTraces(VERSION, log);
}
