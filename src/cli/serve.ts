// The command `serve`: serves GraphQL over a management API.
import { CredentialVerifier } from '../callers/credential-verifier.ts';
import { SignInLimit } from '../callers/sign-in-limit.ts';
import { basePathOf, type ServeConfig } from '../config/serve-settings.ts';
import { createLog, type Log } from '../log/log.ts';
import { defaultOverrides } from '../overrides/defaults.ts';
import { CostBudget } from '../server/cost/cost-budget.ts';
import { createFacade, type Facade } from '../server/facade.ts';
import type { FacadeOptions } from '../server/facade-options.ts';
import { type ListenOptions, openServer } from '../server/server.ts';
import { waitUntilReachable } from '../server/wait-until-reachable.ts';
import { KEY_HEADER } from '../snippets/snippets-extension.ts';
import type { EmbeddedSandbox } from './embedded-sandbox.ts';
import { describeCredentials, describeFindings, explain } from './messages.ts';
import { onStopSignal, passedSocket, print } from './process.ts';
import { reloadSettings } from './reload.ts';

/** Serves until a signal stops the process. */
export async function serve(config: ServeConfig, readAgain: () => ServeConfig): Promise<void> {
  const log = createLog((line) => void process.stderr.write(line));
  const closables: { close(): Promise<void> }[] = [];
  const shutdown = new AbortController();
  const closeAll = async (): Promise<void> => {
    shutdown.abort();
    for (const closable of closables) await closable.close();
  };
  try {
    const server = await openServer(listenOptions(config, log), basePathOf(config));
    closables.push(server);
    // Before the address is printed, because a program that waits for it may send a signal at once.
    onStopSignal(closeAll);
    const served: Facade[] = [];
    const costBudget = new CostBudget(config.limits.cost);
    let current = config;
    const configure = ({ origins, limits }: ServeConfig): void => {
      server.reload(limits.transport);
      costBudget.resize(limits.cost);
      const changed = { origins, queryLimits: limits.query, upstreamLimits: limits.operation };
      for (const facade of served) facade.reconfigure(changed);
    };
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
          ...facadeOptions(current, embedded, log),
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
    for (const { schema } of facades) for (const line of describeFindings(schema.findings)) log.warn(line);
    const { documents, mode } = config.trustedDocuments;
    const hasExplorer = documents === null || mode === 'allow';
    facades.forEach(({ yoga }, index) => {
      const title =
        index === 0
          ? hasExplorer
            ? 'GraphQL, and GraphiQL in a browser:'
            : 'GraphQL for trusted documents:'
          : `The same for version ${config.upstream.versions[index]}:`;
      print(`${title.padEnd(35)} ${server.origin}${yoga.graphqlEndpoint}`);
    });
    if (embedded === null) return;
    const { sandbox, snippets } = embedded;
    print(`Embedded sandbox (its REST API):    ${sandbox.url}/`);
    if (snippets !== null) print(`Its snippet service:                ${snippets.url}/`);
    print(`\n${describeCredentials(sandbox, snippets, KEY_HEADER, process.stdout.isTTY)}`);
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

type SharedOptions = Omit<FacadeOptions, 'version' | 'endpoint' | 'shared'>;

function facadeOptions(config: ServeConfig, embedded: EmbeddedSandbox | null, log: Log): SharedOptions {
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
    ...(clientId === null || clientSecret === null ? {} : { oauth: { ...oauth, clientId, clientSecret } }),
    ...(snippets.url === null ? {} : { snippets: { ...snippets, url: snippets.url, transport: connection } }),
    log,
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
