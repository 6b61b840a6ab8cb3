// The command `serve`: serves GraphQL over a management API.
import { CredentialVerifier } from '../callers/credential-verifier.ts';
import { SharedReads } from '../callers/shared-reads.ts';
import { SignInLimit } from '../callers/sign-in-limit.ts';
import { callSavings } from '../config/savings-settings.ts';
import { basePathOf, type ServeConfig } from '../config/serve-settings.ts';
import type { CallSavings } from '../loaders/calls/call-savings.ts';
import type { Log } from '../log/log.ts';
import { defaultOverrides } from '../overrides/defaults.ts';
import { CostBudget } from '../server/cost/cost-budget.ts';
import { createFacade, type Facade } from '../server/facade.ts';
import type { FacadeOptions } from '../server/facade-options.ts';
import { type ListenOptions, openServer } from '../server/server.ts';
import { openMetricsServer, serveLocalMetrics } from '../server/telemetry/serve-metrics.ts';
import { waitUntilReachable } from '../server/wait-until-reachable.ts';
import { KEY_HEADER } from '../snippets/snippets-extension.ts';
import { combineObservers } from '../telemetry/combine-observers.ts';
import { createLogObserver } from '../telemetry/log-observer.ts';
import { createMetrics } from '../telemetry/metrics/metrics.ts';
import type { EmbeddedSandbox } from './embedded-sandbox.ts';
import {
  describeCredentials,
  describeEndpoint,
  describeFacade,
  describeFindings,
  explain,
} from './messages.ts';
import { openLog } from './open-log.ts';
import { openTraces } from './open-traces.ts';
import { endSoon, keepHeapSmall, onStopSignal, passedSocket, print } from './process.ts';
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
    const costBudget = new CostBudget(config.limits.cost);
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
        createFacades(current, costBudget, {
          ...facadeOptions(current, embedded),
          log,
          observer,
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
    if (isForPeople) print(`\n${describeCredentials(sandbox, snippets, KEY_HEADER, true)}`);
    else log.info('Its tokens and keys are printed on a terminal only.', { event: 'start' });
  } catch (error) {
    const wasStopped = shutdown.signal.aborted;
    await closeAll();
    if (!wasStopped) throw error;
  }
}

/** Loads and starts the sandbox. It is loaded only here, so that `serve --upstream` starts faster. */
const openSandbox = async (hasSnippets: boolean, basePath: string): Promise<EmbeddedSandbox> =>
  await (await import('./embedded-sandbox.ts')).openEmbeddedSandbox(hasSnippets, basePath);

function listenOptions(
  { host, port, socket, tls: { certificate, key }, limits }: ServeConfig,
  log: Log,
): ListenOptions {
  const tls = certificate === null || key === null ? null : { certificate, key };
  return { host, port, socket, fileDescriptor: passedSocket(), limits: limits.transport, tls, log };
}

type SharedOptions = Omit<FacadeOptions, 'version' | 'endpoint' | 'shared' | 'savings'> & {
  readonly savings: CallSavings;
};

function facadeOptions(config: ServeConfig, embedded: EmbeddedSandbox | null): Omit<SharedOptions, 'log'> {
  const { upstream, oauth, snippets, limits } = config;
  const { clientId, clientSecret } = oauth;
  const { documents, mode } = config.trustedDocuments;
  // The sandbox is in the same process.
  const connection = embedded === null ? { proxy: config.proxy } : {};
  const url = upstream.url ?? embedded?.options.upstream;
  if (url === undefined) throw new TypeError('serve needs an upstream or the sandbox');
  return {
    ...embedded?.options,
    upstream: url,
    ...(upstream.authorization === null ? {} : { descriptionCredential: upstream.authorization }),
    callers: { schemaMode: config.schemaMode },
    basicFromBrowsers: config.basicFromBrowsers,
    pages: {
      publicUrl: config.publicUrl?.origin ?? null,
      basePath: basePathOf(config),
      origins: config.origins,
    },
    compression: config.compression === 'on',
    readyNeedsUpstream: config.readyNeedsUpstream,
    overrides: config.overrides ?? defaultOverrides,
    trustedProxies: config.trustedProxies,
    cacheDir: config.cacheDir,
    introspection: config.introspection,
    front: config.front,
    executor: config.executor,
    readOnly: config.readOnly,
    ...(config.expose === null ? {} : { expose: config.expose }),
    hide: config.hide,
    anonymousHints: config.anonymousHints,
    trustedDocuments: documents === null ? null : { mode, documents },
    queryLimits: limits.query,
    upstreamLimits: limits.operation,
    descriptionLimits: limits.description,
    transport: { ...upstream.transport, ...connection },
    savings: callSavings(config.savings),
    ...(clientId === null || clientSecret === null ? {} : { oauth: { ...oauth, clientId, clientSecret } }),
    ...(snippets.url === null ? {} : { snippets: { ...snippets, url: snippets.url, transport: connection } }),
  };
}

/** Creates a facade for each version: the first at /graphql, each other at /graphql/<version>. */
async function createFacades(
  { upstream }: ServeConfig,
  costBudget: CostBudget,
  options: SharedOptions,
): Promise<readonly Facade[]> {
  const facades: Facade[] = [];
  const shared = {
    verifier: new CredentialVerifier(),
    signIns: new SignInLimit(),
    reads: new SharedReads(options.savings),
    costBudget,
  };
  const [first = null, ...others] = upstream.versions;
  try {
    for (const version of [first, ...others]) {
      const graphql = `${options.pages?.basePath ?? ''}/graphql`;
      const endpoint = version === first ? graphql : `${graphql}/${encodeURIComponent(version ?? '')}`;
      facades.push(await createFacade({ ...options, version, endpoint, shared }));
    }
    return facades;
  } catch (error) {
    for (const facade of facades) await facade.close();
    throw error;
  }
}
