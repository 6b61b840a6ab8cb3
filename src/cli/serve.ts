// The command `serve`: serves GraphQL over a management API.
import { CredentialVerifier } from '../callers/credential-verifier.ts';
import { SignInLimit } from '../callers/sign-in-limit.ts';
import type { ServeConfig } from '../config/serve-settings.ts';
import { defaultOverrides } from '../overrides/defaults.ts';
import { CostBudget } from '../server/cost/cost-budget.ts';
import { createFacade, type Facade } from '../server/facade.ts';
import type { FacadeOptions } from '../server/facade-options.ts';
import { openServer } from '../server/server.ts';
import { openMetricsServer, serveLocalMetrics } from '../server/telemetry/serve-metrics.ts';
import { waitUntilReachable } from '../server/wait-until-reachable.ts';
import { KEY_HEADER } from '../snippets/snippets-extension.ts';
import { combineObservers } from '../telemetry/combine-observers.ts';
import { createLogObserver } from '../telemetry/log-observer.ts';
import { createMetrics } from '../telemetry/metrics/metrics.ts';
import type { EmbeddedSandbox } from './embedded-sandbox.ts';
import { describeCredentials, describeEndpoint, describeFacade, describeFindings } from './messages.ts';
import { openLog } from './open-log.ts';
import { openTraces } from './open-traces.ts';
import { endSoon, onStopSignal, print } from './process.ts';

/** Serves until a signal stops the process. @param programVersion The version of this program. */
export async function serve(config: ServeConfig, programVersion: string): Promise<void> {
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
    const server = await openServer({
      host: config.host,
      port: config.port,
      limits: config.limits.transport,
      observer,
      ...(config.metrics.port === null ? { metrics: serveLocalMetrics(metrics) } : {}),
    });
    closables.push(server);
    // Before the address is printed, because a program that waits for it may send a signal at once.
    onStopSignal(closeAll);
    if (config.metrics.port !== null) {
      const { host, port } = config.metrics;
      const metricsServer = await openMetricsServer(metrics, { host, port });
      closables.push(metricsServer);
      log.info(`Metrics: ${metricsServer.url}`, { event: 'start' });
    }
    process.on('SIGHUP', () => {
      for (const facade of served) void facade.refresh();
    });
    const embedded = config.sandbox ? await openSandbox(config.snippets.url === null) : null;
    if (embedded !== null) closables.push(embedded);
    const facades = await waitUntilReachable(
      () =>
        createFacades(config, { ...facadeOptions(config, embedded), log, observer, signal: shutdown.signal }),
      log,
      shutdown.signal,
    );
    served.push(...facades);
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
const openSandbox = async (hasSnippets: boolean): Promise<EmbeddedSandbox> =>
  await (await import('./embedded-sandbox.ts')).openEmbeddedSandbox(hasSnippets);

type SharedOptions = Omit<FacadeOptions, 'version' | 'endpoint' | 'shared'>;

function facadeOptions(config: ServeConfig, embedded: EmbeddedSandbox | null): Omit<SharedOptions, 'log'> {
  const { upstream, oauth, snippets, limits } = config;
  const { clientId, clientSecret } = oauth;
  const { documents, mode } = config.trustedDocuments;
  const url = upstream.url ?? embedded?.options.upstream;
  if (url === undefined) throw new TypeError('serve needs an upstream or the sandbox');
  return {
    ...embedded?.options,
    upstream: url,
    ...(upstream.authorization === null ? {} : { descriptionCredential: upstream.authorization }),
    callers: { schemaMode: config.schemaMode },
    basicFromBrowsers: config.basicFromBrowsers,
    pages: { publicUrl: config.publicUrl?.origin ?? null, origins: config.origins },
    overrides: config.overrides ?? defaultOverrides,
    trustedProxies: config.trustedProxies,
    cacheDir: config.cacheDir,
    introspection: config.introspection,
    readOnly: config.readOnly,
    ...(config.expose === null ? {} : { expose: config.expose }),
    hide: config.hide,
    anonymousHints: config.anonymousHints,
    trustedDocuments: documents === null ? null : { mode, documents },
    queryLimits: limits.query,
    upstreamLimits: limits.operation,
    descriptionLimits: limits.description,
    transport: upstream.transport,
    ...(clientId === null || clientSecret === null ? {} : { oauth: { ...oauth, clientId, clientSecret } }),
    ...(snippets.url === null ? {} : { snippets: { ...snippets, url: snippets.url } }),
  };
}

/** Creates a facade for each version: the first at /graphql, each other at /graphql/<version>. */
async function createFacades(
  { upstream, limits }: ServeConfig,
  options: SharedOptions,
): Promise<readonly Facade[]> {
  const facades: Facade[] = [];
  const shared = {
    verifier: new CredentialVerifier(),
    signIns: new SignInLimit(),
    costBudget: new CostBudget(limits.cost),
  };
  const [first = null, ...others] = upstream.versions;
  try {
    for (const version of [first, ...others]) {
      const endpoint = version === first ? '/graphql' : `/graphql/${encodeURIComponent(version ?? '')}`;
      facades.push(await createFacade({ ...options, version, endpoint, shared }));
    }
    return facades;
  } catch (error) {
    for (const facade of facades) await facade.close();
    throw error;
  }
}
