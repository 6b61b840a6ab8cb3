// Composes the facade: upstream connections, callers, sessions and the GraphQL server.
import type { GraphQLError } from 'graphql';
import { CallerClients } from '../callers/caller-client.ts';
import { CredentialVerifier } from '../callers/credential-verifier.ts';
import { loadCallers } from '../callers/load-callers.ts';
import { createAddressOf, isFromOwnPage, type OwnPages, type Requester } from '../callers/requester.ts';
import { openSession, openUpgrade, type Session, type SessionSource } from '../callers/session.ts';
import { SharedReads } from '../callers/shared-reads.ts';
import { SignInLimit } from '../callers/sign-in-limit.ts';
import { createSharedState } from '../loaders/shared-state.ts';
import type { FacadeSizes } from '../plugins/metrics/metrics.ts';
import { OverridesError } from '../schema/model/overrides.ts';
import { NAME_CONFLICT } from '../schema/names/given-names.ts';
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
import { ALL_HOOKS, checkPlugins, type Services, type StartedPlugin } from '../server/plugin.ts';
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
import { openConnections } from '../upstream/http/connections.ts';
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

type Connections = ReturnType<typeof connect>;

/** Opens the connections to the management API, and creates the plugins that the options want. */
function connect(options: FacadeOptions, list: Readonly<Record<string, CreatePlugin>>) {
  const { upstream, transport, limits, shared, observer = {} } = options;
  const answers = shared?.answers ?? new AnswerBytes(completeLimits(limits).responseMemory);
  const api = openConnections(upstream, { ...transport, answers }, observer);
  const plugins = Object.values(list).flatMap((create) => create(options) ?? []);
  const close = async (): Promise<void> => {
    await Promise.all([api.transport.close(), ...plugins.map((plugin) => plugin.close?.())]);
  };
  return { ...api, answers, plugins, close };
}

/** Finds the operator's description, and begins to refresh it. */
async function load(options: FacadeOptions, { transport, plugins }: Connections, parts: SharedParts) {
  const { overrides, extendSchema = null } = options;
  const loaded = await loadCallers(
    { ...options, overridesFor: overrides ? () => overrides : builtInOverrides },
    transport,
    parts.verifier,
    plugins.flatMap(({ schema }) => schema ?? []),
    extendSchema as SchemaAdditionOptions | null,
    parts.replicas,
  );
  // A built-in name that a new description has for something else is left out.
  if (overrides) refuseConflicts(loaded);
  return loaded;
}

/** @throws OverridesError that lists all names of the overrides that no element can have. */
function refuseConflicts({ callers, refresh }: Awaited<ReturnType<typeof loadCallers>>): void {
  const conflicts = callers.base.findings.filter(({ code }) => code === NAME_CONFLICT);
  if (conflicts.length === 0) return;
  refresh[Symbol.dispose]();
  const lines = conflicts.map(({ path, reason }) => `${path}: ${reason}.`);
  throw new OverridesError(`The overrides cannot be used. ${lines.join(' ')}`);
}

/** Collects what the facades of a process share, or makes it for this one. */
function share({ shared = {}, upstream, version, limits }: FacadeOptions) {
  const replicas = shared.replicas ?? joinAlone();
  return {
    /** Distinguishes the API from others whose replicas share. */
    api: `${upstream.href} ${version ?? ''}`,
    replicas,
    reads: shared.reads ?? new SharedReads(replicas),
    verifier: shared.verifier ?? new CredentialVerifier(replicas),
    signIns: shared.signIns ?? new SignInLimit(replicas),
    costBudget: shared.costBudget ?? new CostBudget(completeLimits(limits), replicas),
  };
}

type SharedParts = ReturnType<typeof share>;
type LoadedCallers = Awaited<ReturnType<typeof load>>;

/** What the plugins and the road of a facade are made from. */
type Core = ReturnType<typeof createCore>;

function createCore(
  options: FacadeOptions,
  connections: Connections,
  parts: SharedParts,
  { callers }: LoadedCallers,
) {
  const { log, observer = {} } = options;
  const pages: OwnPages = { publicUrl: null, basePath: '', origins: [], ...options.pages };
  return {
    ...parts,
    ...{ callers, log, observer, pages },
    endpoint: options.endpoint ?? `${pages.basePath}/graphql`,
    limits: completeLimits(options.limits),
    shutdown: new Shutdown(),
    clients: new CallerClients({ ...connections, ...parts, callers, observer }),
    toClientError: createMaskError(log, observer),
    describeClient: createClientDescriber(options.clientHeaders),
  };
}

/** Starts the plugins, and makes the pipeline that all operations pass with them. */
function openRoad(options: FacadeOptions, connections: Connections, core: Core) {
  const { reads, callers, clients, limits, shutdown, observer, toClientError, describeClient } = core;
  const watcher = new Watcher(options.watch, observer, (caller, id, hasSucceeded) =>
    reads.endAction(caller, id, hasSucceeded),
  );
  const services: Services = {
    ...core,
    watcher,
    openSession: (requester) => openSession(requester, sessions),
    isFromOwnPage: (header) => isFromOwnPage(header, core.pages),
    execute: (requester, params) => executeInProcess(pipeline, requester, params),
    run: (request) => pipeline.run(request),
    hasSignIn: () => sessions.browsers !== null,
  };
  const plugins: readonly StartedPlugin[] = connections.plugins.flatMap(
    ({ start }) => start?.(services) ?? [],
  );
  const sessions: SessionSource = {
    ...{ callers, clients, describeClient },
    basicFromBrowsers: options.basicFromBrowsers ?? false,
    browsers: plugins.find(({ browsers }) => browsers !== undefined)?.browsers ?? null,
    languageHeader: options.languageHeader,
    openingTime: limits.queryTime,
  };
  const documents = new Documents(limits, options.introspection);
  const pipeline = new Pipeline({
    ...{ sessions, documents, watcher, shutdown, observer, limits },
    underWay: new OperationsUnderWay(limits),
    schemas: () => callers.schemas,
    costBudget: core.costBudget,
    results: new Results(toClientError),
    shared: createSharedState({ limits, shutdown, observer }),
    plugins: [...plugins, ...(options.plugins ?? [])],
  });
  return { watcher, plugins, sessions, pipeline };
}

async function composeFacade(options: FacadeOptions, connections: Connections): Promise<Facade> {
  const parts = share(options);
  const loaded = await load(options, connections, parts);
  const { callers, refresh } = loaded;
  const core = createCore(options, connections, parts, loaded);
  const { endpoint, pages, limits, shutdown, observer, toClientError } = core;
  const { watcher, plugins, sessions, pipeline } = openRoad(options, connections, core);
  const stopListening = parts.reads.onWrite((caller) => watcher.hurry(caller));
  const addressOf = createAddressOf(options.trustedProxies);
  const http = {
    ...{ endpoint, pipeline, pages, addressOf, toClientError, observer, limits },
    routes: [...plugins.flatMap(({ page }) => page ?? []), createSignpost(endpoint, pages.basePath)],
    compression: options.compression ?? true,
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
  return {
    ...{ endpoint, yoga, pipeline, addressOf, pages, endStreams, observer, toClientError, watcher, shutdown },
    listener: createPlainListener(yoga, http),
    get schema() {
      return callers.base;
    },
    get sizes() {
      return { ...callers.sizes, answers };
    },
    health: {
      get report() {
        return { upstream: health.report, descriptionAge: refresh.age, sharing: parts.replicas.report };
      },
    },
    openSession: (requester) => openSession(requester, sessions),
    serveWebSockets: () =>
      serveWebSockets({
        ...{ pipeline, pages, addressOf, observer, shutdown, toClientError },
        messageSize: limits.bodySize,
        openUpgrade: (upgrade) => openUpgrade(upgrade, sessions),
      }),
    refresh: () => refresh.fetchNow(),
    close,
    [Symbol.asyncDispose]: close,
  };
}
