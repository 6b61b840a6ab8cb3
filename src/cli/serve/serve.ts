// The command `serve`: serves GraphQL over a management API.

import type { EmbeddedSandbox } from '@optiongraph/tools/embedded-sandbox';
import { basePathOf, type ServeConfig } from '../../config/serve-settings.ts';
import type { Facade } from '../../facade/facade.ts';
import { combineObservers, type Observer } from '../../observer.ts';
import { createLogObserver } from '../../plugins/log/log-observer.ts';
import { createMetrics } from '../../plugins/metrics/metrics.ts';
import { openMetricsServer, serveLocalMetrics } from '../../plugins/metrics/serve-metrics.ts';
import { CostBudget } from '../../server/cost/cost-limit.ts';
import { type ListenOptions, openServer } from '../../server/server.ts';
import { joinAlone } from '../../sharing/local-replicas.ts';
import type { Replicas } from '../../sharing/replicas.ts';
import { explain } from '../explain.ts';
import { endSoon, keepHeapSmall, onStopSignal, outliveReader, passedSocket } from '../process.ts';
import { announce, announceSandbox } from './announce.ts';
import { createFacades } from './create-facades.ts';
import { openAudit } from './open-audit.ts';
import { openLog } from './open-log.ts';
import { openTraces } from './open-traces.ts';
import { reloadSettings } from './reload.ts';
import { waitUntilReachable } from './wait-until-reachable.ts';

/**
 * Serves until a signal stops the process.
 * @param readAgain Reads the settings again.
 * @param programVersion The version of this program.
 */
export async function serve(
  config: ServeConfig,
  readAgain: () => ServeConfig,
  programVersion: string,
): Promise<void> {
  keepHeapSmall();
  outliveReader();
  const { log, isForPeople } = openLog(config, () => metrics.observer.logLoss?.({ lines: 1 }));
  const served: Facade[] = [];
  const metrics = createMetrics(programVersion, () => served.map(({ sizes }) => sizes));
  const traces = await openTraces(process.env, programVersion, log);
  const observer = combineObservers([
    withoutFailuresUntil(() => served.length > 0, createLogObserver(log, config.log)),
    metrics.observer,
    ...(traces === null ? [] : [traces.observer]),
  ]);
  const audit = openAudit(config, log);
  const closables: { close(): Promise<void> }[] = [];
  const shutdown = new AbortController();
  const closeAll = async (): Promise<void> => {
    shutdown.abort();
    for (const closable of closables) await closable.close();
    const isComplete = (await traces?.close()) ?? true;
    // The SDK goes on to repeat what has failed.
    if (!isComplete) endSoon();
  };
  try {
    const server = await openServer(
      {
        ...listenOptions(config),
        observer,
        ...(config.metrics.port === null ? { metrics: serveLocalMetrics(metrics) } : {}),
      },
      basePathOf(config),
    );
    closables.push(server);
    // Before the address is printed, because a program that waits for it may send a signal at once.
    onStopSignal(closeAll);
    const replicas = await openReplicas(config, observer);
    closables.push(replicas);
    const costBudget = new CostBudget(config.limits, replicas);
    let current = config;
    const configure = ({ origins, limits }: ServeConfig): void => {
      costBudget.resize(limits);
      for (const facade of served) facade.reconfigure({ origins, limits });
    };
    if (config.metrics.port !== null) {
      const { host, port } = config.metrics;
      const metricsServer = await openMetricsServer(metrics, { host, port });
      closables.push(metricsServer);
      log.info(`Metrics: ${metricsServer.url}`, { event: 'start' });
    }
    const reload = (): void => {
      current = reloadSettings(current, readAgain, log);
      configure(current);
      audit?.reopen();
      for (const facade of served) void facade.refresh();
    };
    process.on('SIGHUP', reload);
    const embedded = config.sandbox
      ? await openSandbox(config.snippets.url === null, basePathOf(config))
      : null;
    if (embedded !== null) closables.push(embedded);
    const facades = await waitUntilReachable(
      () =>
        createFacades(current, embedded, {
          log,
          observer,
          costBudget,
          replicas,
          audit: audit && { write: audit.write, secret: config.oauth.sessionSecret?.[0] ?? null },
          signal: shutdown.signal,
        }),
      log,
      (error) => explain(error).message,
      shutdown.signal,
    );
    served.push(...facades);
    // The settings may have changed while the facades were made.
    configure(current);
    server.serve(facades);
    if (embedded !== null) announceSandbox(embedded, isForPeople, log);
    const start = { origin: server.origin, programVersion, isForPeople };
    announce(config, facades, start, log);
  } catch (error) {
    const wasStopped = shutdown.signal.aborted;
    await closeAll();
    if (!wasStopped) throw error;
  }
}

/** Leaves out the failures of a start, which each attempt reports by itself. */
function withoutFailuresUntil(isServing: () => boolean, observer: Observer): Observer {
  const { upstreamCall, breaker, assembly } = observer;
  return {
    ...observer,
    ...(upstreamCall && { upstreamCall: (call) => (isServing() ? upstreamCall(call) : undefined) }),
    ...(breaker && { breaker: (change) => (isServing() ? breaker(change) : undefined) }),
    ...(assembly && {
      assembly: (begun) => {
        const end = assembly(begun);
        return (ended) => (isServing() || ended.problem === null ? end?.(ended) : undefined);
      },
    }),
  };
}

/** Loads and starts the sandbox. It is loaded only here, so that `serve --upstream` starts faster. */
const openSandbox = async (hasSnippets: boolean, basePath: string): Promise<EmbeddedSandbox> =>
  await (await import('@optiongraph/tools/embedded-sandbox')).openEmbeddedSandbox(hasSnippets, basePath);

function listenOptions({ host, port, socket, publicUrl, limits, ...config }: ServeConfig): ListenOptions {
  const allowedHosts = [...config.allowedHosts, ...(publicUrl === null ? [] : [publicUrl.hostname])];
  return { host, port, socket, fileDescriptor: passedSocket(), allowedHosts, limits };
}

/**
 * Joins the replicas that share through Redis. Without Redis, its client is not loaded, and there are no other replicas.
 */
async function openReplicas(
  { redis: { address, ca, prefix }, oauth }: Pick<ServeConfig, 'redis' | 'oauth'>,
  observer: Observer,
): Promise<Replicas> {
  if (address === null) return joinAlone();
  const { joinRedisReplicas } = await import('../../sharing/redis/redis-replicas.ts');
  return joinRedisReplicas({ address, ca, prefix, secrets: oauth.sessionSecret ?? [], observer });
}
