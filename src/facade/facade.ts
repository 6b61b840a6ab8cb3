// Composes the facade: upstream connections, callers, sessions and the GraphQL server.
import type { GraphQLError } from 'graphql';
import { createCallerClients } from '../callers/caller-client.ts';
import { Callers } from '../callers/callers.ts';
import { CredentialVerifier } from '../callers/credential-verifier.ts';
import { Refresh } from '../callers/refresh.ts';
import { createAddressOf, isFromOwnPage, type OwnPages, type Requester } from '../callers/requester.ts';
import { type Session, Sessions } from '../callers/session.ts';
import { SharedReads } from '../callers/shared-reads.ts';
import { SignInLimit } from '../callers/sign-in-limit.ts';
import { createSharedState } from '../loaders/shared-state.ts';
import type { FacadeSizes } from '../plugins/metrics/metrics.ts';
import { OverridesError } from '../schema/model/overrides.ts';
import { NAME_CONFLICT } from '../schema/names/unique-names.ts';
import type { ServedSchema } from '../schema/registry.ts';
import type { SchemaAdditionOptions } from '../schema/schema-addition.ts';
import { CostBudget } from '../server/cost/cost-limit.ts';
import { Documents } from '../server/documents.ts';
import { executeInProcess } from '../server/execute-in-process.ts';
import { createPlainListener } from '../server/http/plain-post.ts';
import { createSignpost } from '../server/http/server-answers.ts';
import { createYogaBridge, type Yoga } from '../server/http/yoga-bridge.ts';
import { completeLimits } from '../server/limits.ts';
import { createMaskError } from '../server/mask-error.ts';
import { Pipeline } from '../server/pipeline.ts';
import { ALL_HOOKS, checkPlugins, type Services } from '../server/plugin.ts';
import { Results } from '../server/results.ts';
import type { ServableFacade } from '../server/server.ts';
import { OperationsUnderWay, Shutdown } from '../server/under-way.ts';
import { serveWebSockets } from '../server/websocket/serve-websockets.ts';
import { joinAlone } from '../sharing/local-replicas.ts';
import { Watcher } from '../upstream/actions/watcher.ts';
import { ShuttingDownError } from '../upstream/errors.ts';
import { explainToOperator } from '../upstream/explain-failure.ts';
import { AnswerBytes } from '../upstream/http/call-queue.ts';
import { createClientDescriber } from '../upstream/http/client-headers.ts';
import { openConnections } from '../upstream/http/transport.ts';
import { builtInOverrides } from './built-in-overrides.ts';
import type { FacadeOptions } from './facade-options.ts';
import { type CreatePlugin, PLUGINS } from './plugins.ts';

/** A GraphQL API over one management API. */
export interface Facade extends ServableFacade, AsyncDisposable {
  /** Handles HTTP requests through `fetch`. */
  readonly yoga: Yoga;
  /** Carries out operations, which any transport may pass to it. */
  readonly pipeline: Pipeline;
  /** The schema for the description credential. */
  readonly schema: ServedSchema;
  /** The sizes of what it keeps. */
  readonly sizes: FacadeSizes;
  /** Opens the session of a request over another transport than HTTP. */
  openSession(requester: Requester): Promise<Session>;
  /** Fetches the operator's description again now, and that of each caller at their next request. Never rejects. */
  refresh(): Promise<void>;
  /** Converts a thrown error to the error that the client gets. */
  toClientError(error: unknown): GraphQLError;
  /** The actions that operations and subscriptions watch. */
  readonly watcher: Watcher;
  /** Aborts reads, waits for writes under way, and closes the connections to the upstream and the snippet service. */
  close(): Promise<void>;
}

/**
 * Fetches the description, assembles its schema, and makes the GraphQL server. Schemas of callers follow with their requests.
 * @param list The plugins that the options may want. Default: all.
 * @throws UpstreamUnreachableError, DescriptionError, VersionUnknownError, UnknownCredentialsError; TypeError for a
 *   plugin with an unknown hook.
 */
export async function createFacade<Added extends object = object>(
  options: FacadeOptions<Added>,
  list: Readonly<Record<string, CreatePlugin>> = PLUGINS,
): Promise<Facade> {
  const { signal } = options;
  signal?.throwIfAborted();
  checkPlugins(options.plugins ?? [], ALL_HOOKS);
  const connections = connect(options as FacadeOptions, list);
  // Requests under way fail when their connections close.
  const stop = (): void => void connections.close();
  signal?.addEventListener('abort', stop);
  try {
    const facade = await composeFacade(options, connections);
    if (signal?.aborted === true) await facade.close();
    signal?.throwIfAborted();
    return facade;
  } catch (error) {
    await connections.close();
    throw explainToOperator(error, options.upstream);
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}

/** Composes a facade in the order in which its parts need each other. */
async function composeFacade(options: FacadeOptions, connections: Connections): Promise<Facade> {
  const loaded = await loadApi(options, connections);
  const core = createCore(options, connections, loaded);
  const started = startPipeline(options, connections, core);
  return serve(options, connections, core, started);
}

type Connections = ReturnType<typeof connect>;
type Loaded = Awaited<ReturnType<typeof loadApi>>;
type Core = ReturnType<typeof createCore>;
type Started = ReturnType<typeof startPipeline>;

/** Opens the connections to the management API, and creates the plugins that the options want. */
function connect(options: FacadeOptions, list: Readonly<Record<string, CreatePlugin>>) {
  const { upstream, transport, limits, observer = {} } = options;
  const answers = new AnswerBytes(completeLimits(limits).responseMemory);
  const api = openConnections(upstream, { ...transport, answers }, observer);
  const plugins = Object.values(list).flatMap((create) => create(options) ?? []);
  const close = async (): Promise<void> => {
    await Promise.all([api.transport.close(), ...plugins.map((plugin) => plugin.close?.())]);
  };
  return { ...api, answers, plugins, close };
}

/**
 * Finds the operator's description.
 * @throws OverridesError that lists all names of the overrides that no element can have.
 */
async function loadApi(options: FacadeOptions, { transport, plugins }: Connections) {
  const { overrides, extendSchema, shared = {} } = options;
  const replicas = shared.replicas ?? joinAlone();
  const verifier = shared.verifier ?? new CredentialVerifier(replicas);
  const callers = await Callers.load({
    ...options,
    transport,
    verifier,
    replicas,
    overridesFor: overrides ? () => overrides : builtInOverrides,
    extensions: plugins.flatMap(({ schema }) => schema ?? []),
    addition: (extendSchema ?? null) as SchemaAdditionOptions | null,
  });
  const conflicts = callers.base.findings.filter(({ code }) => code === NAME_CONFLICT);
  // A built-in name that a new description has for something else is left out.
  if (overrides && conflicts.length > 0) {
    const lines = conflicts.map(({ path, reason }) => `${path}: ${reason}.`);
    throw new OverridesError(`The overrides cannot be used. ${lines.join(' ')}`);
  }
  return { callers, refresh: new Refresh(options, callers), replicas, verifier };
}

/** Makes what the plugins and the pipeline of a facade need. */
function createCore(
  options: FacadeOptions,
  connections: Connections,
  { callers, refresh, replicas, verifier }: Loaded,
) {
  const { log, observer = {}, shared: given = {} } = options;
  const pages: OwnPages = { publicUrl: null, basePath: '', origins: [], ...options.pages };
  const limits = completeLimits(options.limits);
  const shared = {
    /** Distinguishes the API from others whose replicas share. */
    api: `${options.upstream.href} ${options.version ?? ''}`,
    replicas,
    verifier,
    reads: new SharedReads(replicas),
    signIns: given.signIns ?? new SignInLimit(replicas),
    costBudget: given.costBudget ?? new CostBudget(limits, replicas),
  };
  const describeClient = createClientDescriber(options.clientHeaders);
  const sessions = new Sessions({
    callers,
    describeClient,
    clientFor: createCallerClients({ ...connections, ...shared, callers, observer }),
    basicFromBrowsers: options.basicFromBrowsers === true,
    languageHeader: options.languageHeader,
    openingTime: limits.queryTime,
  });
  return {
    ...shared,
    callers,
    refresh,
    log,
    observer,
    pages,
    limits,
    describeClient,
    sessions,
    endpoint: options.endpoint ?? `${pages.basePath}/graphql`,
    openSession: (requester: Requester) => sessions.open(sessions.findSender(requester)),
    shutdown: new Shutdown(),
    toClientError: createMaskError(log, observer),
  };
}

/** Starts the plugins, and makes the pipeline that all operations pass with them. */
function startPipeline(options: FacadeOptions, connections: Connections, core: Core) {
  const { reads, callers, sessions, limits, shutdown, observer, toClientError } = core;
  const watcher = new Watcher(options.watch, observer, (caller, id, hasSucceeded) =>
    reads.endAction(caller, id, hasSucceeded),
  );
  const services: Services = {
    ...core,
    watcher,
    isFromOwnPage: (header) => isFromOwnPage(header, core.pages),
    execute: (requester, params) => executeInProcess(pipeline, requester, params),
    run: (request) => pipeline.run(request),
    hasSignIn: () => sessions.browsers !== null,
  };
  const plugins = connections.plugins.flatMap(({ start }) => start?.(services) ?? []);
  sessions.browsers = plugins.find(({ browsers }) => browsers !== undefined)?.browsers ?? null;
  const documents = new Documents(limits, options.introspection);
  const pipeline = new Pipeline({
    sessions,
    documents,
    watcher,
    shutdown,
    observer,
    limits,
    underWay: new OperationsUnderWay(limits),
    schemas: () => callers.schemas,
    costBudget: core.costBudget,
    results: new Results(toClientError),
    shared: createSharedState({ limits, shutdown, observer }),
    plugins: [...plugins, ...(options.plugins ?? [])],
  });
  return { watcher, plugins, pipeline };
}

/** Makes what servers and programs use of a facade. */
function serve(options: FacadeOptions, connections: Connections, core: Core, started: Started): Facade {
  const { callers, refresh, reads, sessions, replicas, endpoint, pages, limits } = core;
  const { shutdown, observer, toClientError, openSession } = core;
  const { watcher, plugins, pipeline } = started;
  const addressOf = createAddressOf(options.trustedProxies);
  const stopListening = reads.onWrite((caller) => watcher.hurry(caller));
  const http = {
    endpoint,
    pipeline,
    pages,
    addressOf,
    toClientError,
    observer,
    limits,
    routes: [...plugins.flatMap(({ page }) => page ?? []), createSignpost(endpoint, pages.basePath)],
  };
  const yoga = createYogaBridge(http);
  const { health, answers } = connections;
  const endStreams = (): void => {
    watcher.close();
    const error = new ShuttingDownError('The server is shutting down; send the query again in a moment.');
    for (const plugin of plugins) plugin.endStreams?.({ errors: [toClientError(error)] });
  };
  const close = async (): Promise<void> => {
    refresh[Symbol.dispose]();
    stopListening();
    shutdown.abort();
    endStreams();
    for (const plugin of plugins) await plugin.close?.();
    await shutdown.writes.idle();
    await connections.close();
  };
  const listener = createPlainListener(yoga, http);
  // Last, because nothing would end it if a step before it failed.
  refresh.begin();
  return {
    endpoint,
    yoga,
    listener,
    pipeline,
    addressOf,
    pages,
    observer,
    watcher,
    shutdown,
    toClientError,
    openSession,
    endStreams,
    get schema() {
      return callers.base;
    },
    get sizes() {
      return { ...callers.sizes, answers };
    },
    get health() {
      return { upstream: health.report, descriptionAge: refresh.age, sharing: replicas.report };
    },
    serveWebSockets: () => serveWebSockets({ ...http, shutdown, sessions }),
    refresh: () => refresh.fetchNow(),
    close,
    [Symbol.asyncDispose]: close,
  };
}
