// The command `serve`: serves GraphQL over a management API.
import { basePathOf, type ServeConfig } from '../../config/serve-settings.ts';
import type { Log } from '../../log/log.ts';
import { CostBudget } from '../../server/cost/cost-budget.ts';
import type { Facade } from '../../server/facade.ts';
import { type ListenOptions, openServer } from '../../server/server.ts';
import { openMetricsServer, serveLocalMetrics } from '../../server/telemetry/serve-metrics.ts';
import { waitUntilReachable } from '../../server/wait-until-reachable.ts';
import { KEY_HEADER } from '../../snippets/snippets-extension.ts';
import { combineObservers } from '../../telemetry/combine-observers.ts';
import { createLogObserver } from '../../telemetry/log-observer.ts';
import { createMetrics } from '../../telemetry/metrics/metrics.ts';
import {
  CREDENTIALS_HIDDEN,
  describeCredentials,
  describeEndpoint,
  describeFacade,
  describeFindings,
  explain,
} from '../messages.ts';
import { endSoon, keepHeapSmall, onStopSignal, passedSocket, print } from '../process.ts';
import type { EmbeddedSandbox } from '../sandbox/embedded-sandbox.ts';
import { createFacades } from './create-facades.ts';
import { openLog } from './open-log.ts';
import { openReplicas } from './open-replicas.ts';
import { openTraces } from './open-traces.ts';
import { reloadSettings } from './reload.ts';

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
  const { log, isForPeople } = await openLog(config.log);
  const served: Facade[] = [];
  const metrics = createMetrics(programVersion, () => served.map(({ sizes }) => sizes));
  const traces = await openTraces(process.env, programVersion, log);
  const observer = combineObservers([
    createLogObserver(log, config.log),
    metrics.observer,
    ...(traces === null ? [] : [traces.observer]),
  ]);
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
        ...listenOptions(config, log),
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
    const costBudget = new CostBudget(config.limits.cost, replicas);
    let current = config;
    const configure = ({ origins, limits }: ServeConfig): void => {
      server.reload(limits.transport);
      costBudget.resize(limits.cost);
      const changed = { origins, queryLimits: limits.query, upstreamLimits: limits.operation };
      for (const facade of served) facade.reconfigure(changed);
    };
    if (config.metrics.port !== null) {
      const { host, port } = config.metrics;
      const metricsServer = await openMetricsServer(metrics, { host, port });
      closables.push(metricsServer);
      log.info(`Metrics: ${metricsServer.url}`, { event: 'start' });
    }
    process.on('SIGHUP', () => {
      current = reloadSettings(current, readAgain, log);
      configure(current);
      for (const facade of served) void facade.refresh();
    });
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
    if (config.oauth.clientId !== null && config.oauth.sessionSecret === null)
      log.warn('SESSION_SECRET is not set, so browser sessions end when this process ends');
    for (const { schema } of facades)
      for (const line of describeFindings(schema.findings)) log.warn(line, { event: 'finding' });
    const start = { event: 'start', version: programVersion, node: process.version };
    facades.forEach((facade, index) => {
      const url = server.origin + facade.yoga.graphqlEndpoint;
      log.info(`${describeEndpoint(config, index)} ${url}`, {
        ...start,
        url,
        ...describeFacade(config, facade, index),
      });
    });
    if (embedded === null) return;
    const { sandbox, snippets } = embedded;
    log.info(`Embedded sandbox (its REST API): ${sandbox.url}/`, { event: 'start' });
    if (snippets !== null) log.info(`Its snippet service: ${snippets.url}/`, { event: 'start' });
    if (isForPeople) print(`\n${describeCredentials(sandbox, snippets, KEY_HEADER)}`);
    else log.info(CREDENTIALS_HIDDEN, { event: 'start' });
  } catch (error) {
    const wasStopped = shutdown.signal.aborted;
    await closeAll();
    if (!wasStopped) throw error;
  }
}

/** Loads and starts the sandbox. It is loaded only here, so that `serve --upstream` starts faster. */
const openSandbox = async (hasSnippets: boolean, basePath: string): Promise<EmbeddedSandbox> =>
  await (await import('../sandbox/embedded-sandbox.ts')).openEmbeddedSandbox(hasSnippets, basePath);

function listenOptions(
  { host, port, socket, tls: { certificate, key }, limits }: ServeConfig,
  log: Log,
): ListenOptions {
  const tls = certificate === null || key === null ? null : { certificate, key };
  return { host, port, socket, fileDescriptor: passedSocket(), limits: limits.transport, tls, log };
}
