// Composes the facade: upstream connections, callers, sessions and the GraphQL server.
import type { GraphQLError } from 'graphql';
import { CallerClients } from '../callers/caller-client.ts';
import { createAddressOf } from '../callers/client-address.ts';
import { CredentialVerifier } from '../callers/credential-verifier.ts';
import { loadCallers } from '../callers/load-callers.ts';
import type { OwnPages } from '../callers/own-pages.ts';
import { SharedReads } from '../callers/reads/shared-reads.ts';
import {
  openSession,
  openUpgrade,
  type Requester,
  type Session,
  type SessionSource,
} from '../callers/session.ts';
import { SignInLimit } from '../callers/sign-in-limit.ts';
import { SignOuts } from '../callers/sign-outs.ts';
import { createSharedState } from '../loaders/shared-state.ts';
import { useAddedContext } from '../operation/context.ts';
import { CostBudget, CostLimit } from '../operation/cost/cost-limit.ts';
import { Documents } from '../operation/documents/documents.ts';
import { RightsHints } from '../operation/documents/rights-hints.ts';
import { TrustedDocuments } from '../operation/documents/trusted-documents.ts';
import { useIncremental } from '../operation/incremental/use-incremental.ts';
import { Introspection } from '../operation/introspection.ts';
import { changeLimits, completeLimits } from '../operation/limits.ts';
import { createMaskError } from '../operation/mask-error.ts';
import { OperationsUnderWay } from '../operation/operations-under-way.ts';
import { Pipeline } from '../operation/pipeline.ts';
import { Results } from '../operation/results/results.ts';
import { Shutdown } from '../operation/shutdown.ts';
import { Audit } from '../plugins/audit/audit.ts';
import { FEDERATION } from '../plugins/federation/federation.ts';
import { Retries } from '../plugins/idempotency/retries.ts';
import { useIdempotency } from '../plugins/idempotency/use-idempotency.ts';
import { LiveQueries } from '../plugins/live/use-live.ts';
import type { FacadeSizes } from '../plugins/metrics/facade-metrics.ts';
import { createSignIn } from '../plugins/sign-in/sign-in.ts';
import { createSnippets } from '../plugins/snippets/snippets.ts';
import type { ServedSchema } from '../schema/registry.ts';
import type { SchemaAdditionOptions } from '../schema/schema-addition.ts';
import { joinAlone } from '../sharing/local-replicas.ts';
import { createPlainListener } from '../transports/http/plain-post.ts';
import { createYogaBridge, type Yoga } from '../transports/http/yoga-bridge.ts';
import type { ServableFacade } from '../transports/server.ts';
import { serveWebSockets } from '../transports/websocket/serve-websockets.ts';
import { Watcher } from '../upstream/actions/watcher.ts';
import { ShuttingDownError } from '../upstream/errors.ts';
import { explainToOperator } from '../upstream/explain-failure.ts';
import { AnswerBytes } from '../upstream/http/answer-bytes.ts';
import { createClientDescriber } from '../upstream/http/client-headers.ts';
import { openConnections } from '../upstream/http/connections.ts';
import { builtInOverrides } from './built-in-overrides.ts';
import { createRoutes } from './create-routes.ts';
import type { ChangeableOptions, FacadeOptions } from './facade-options.ts';

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
  /** Uses other options from now on, for operations under way too. */
  reconfigure(options: ChangeableOptions): void;
  /** Converts a thrown error to the error that the client gets. */
  toClientError(error: unknown): GraphQLError;
  /** The actions that operations and subscriptions watch. */
  readonly watcher: Watcher;
  /** Aborts reads, waits for writes under way, and closes the connections to the upstream and the snippet service. */
  close(): Promise<void>;
}

/**
 * Fetches the description, assembles its schema, and makes the GraphQL server. Schemas of callers follow with their requests.
 * @throws UpstreamUnreachableError, DescriptionError, VersionUnknownError, UnknownCredentialsError
 */
export async function createFacade<Added extends object = object>(
  options: FacadeOptions<Added>,
): Promise<Facade> {
  const { signal } = options;
  signal?.throwIfAborted();
  const connections = connect(options);
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

/** Opens the connections to the management API and of plugins, and lists what plugins add to schemas. */
function connect(options: FacadeOptions) {
  const { upstream, transport, limits, shared, observer = {} } = options;
  const answers = shared?.answers ?? new AnswerBytes(completeLimits(limits).upstream.memory);
  const api = openConnections(upstream, { ...transport, answers }, observer);
  const snippets = options.snippets ? createSnippets(options.snippets, observer) : null;
  const extensions = [
    ...(snippets === null ? [] : [snippets.schema]),
    ...(options.federation === true ? [FEDERATION] : []),
  ];
  const close = async (): Promise<void> => {
    await Promise.all([api.close(), snippets?.close()]);
  };
  return { ...api, answers, extensions, close };
}

async function composeFacade(options: FacadeOptions, connections: Connections): Promise<Facade> {
  const { log, overrides, plugins = [], observer = {} } = options;
  const { transport, polls, health, answers, extensions } = connections;
  const replicas = options.shared?.replicas ?? joinAlone();
  const reads = options.shared?.reads ?? new SharedReads(replicas);
  const verifier = options.shared?.verifier ?? new CredentialVerifier(replicas);
  const signIns = options.shared?.signIns ?? new SignInLimit(replicas);
  const api = `${options.upstream.href} ${options.version ?? ''}`;
  const pages: OwnPages = { publicUrl: null, basePath: '', origins: [], ...options.pages };
  const { endpoint = `${pages.basePath}/graphql` } = options;
  const { callers, refresh } = await loadCallers(
    { ...options, overridesFor: overrides ? () => overrides : builtInOverrides },
    transport,
    verifier,
    extensions,
    (options.extendSchema ?? null) as SchemaAdditionOptions | null,
    replicas,
  );
  const clients = new CallerClients({
    transport,
    polls,
    callers,
    signIns,
    reads,
    observer,
    onMissingPath: (caller, action) => refresh.onMissingPath(caller, action),
  });
  const limits = completeLimits(options.limits);
  const describeClient = createClientDescriber(options.clientHeaders);
  const { oauth = null, upstream } = options;
  const signIn =
    oauth &&
    createSignIn(callers.base.description, { ...options, oauth, upstream, pages, replicas, describeClient });
  const sessions: SessionSource = {
    callers,
    clients,
    basicFromBrowsers: options.basicFromBrowsers ?? false,
    browsers: signIn?.sessions ?? null,
    describeClient,
    languageHeader: options.languageHeader,
    openingTime: limits.operation.queryTime,
  };
  if (options.readyNeedsUpstream === true)
    connections.probe(`${options.upstream.pathname}?describe=versions`, options.probe);
  const signOuts = new SignOuts(callers, replicas, api);
  const audit = options.audit ? new Audit(options.audit, replicas, api, observer) : null;
  const watcher = new Watcher(options.watch, observer, (caller, id, hasSucceeded) => {
    reads.endAction(caller, id);
    audit?.endAction(id, hasSucceeded);
  });
  const shutdown = new Shutdown();
  const addressOf = createAddressOf(options.trustedProxies);
  const toClientError = createMaskError(log, observer);
  const trusted = new TrustedDocuments(options.trustedDocuments ?? null, replicas);
  const documents = new Documents(limits.document);
  const { costBudget = new CostBudget(limits.cost, replicas) } = options.shared ?? {};
  const shared = createSharedState({ limits: limits.upstream, shutdown, observer });
  const stopListening = reads.onWrite((caller) => watcher.hurry(caller));
  const liveQueries = new LiveQueries({ reads, watcher, limits: limits.live, observer, toClientError });
  const introspection = new Introspection(options.introspection ?? 'on');
  const { context: addContext = null } = options;
  const pipeline = new Pipeline({
    sessions,
    underWay: new OperationsUnderWay(limits.operation),
    documents,
    hints: new RightsHints(() => callers.schemas, options.anonymousHints ?? false),
    costs: new CostLimit(limits.cost, costBudget),
    introspection,
    results: new Results(toClientError, introspection),
    watcher,
    shared,
    limits: limits.operation,
    shutdown,
    observer,
    plugins: [
      trusted.plugin,
      liveQueries.plugin,
      useIdempotency(
        new Retries({
          ...{ replicas, api, shutdown },
          limits: limits.idempotency,
          verify: (caller) => callers.verify(caller),
        }),
      ),
      ...(audit === null ? [] : [audit.plugin]),
      useIncremental(),
      ...(addContext === null ? [] : [useAddedContext(addContext)]),
      ...plugins,
    ],
  });
  const http = {
    endpoint,
    pipeline,
    pages,
    routes: createRoutes(
      options,
      endpoint,
      pages,
      sessions,
      signIn?.createRoutes({ signOuts, toClientError }) ?? null,
    ),
    addressOf,
    toClientError,
    observer,
    limits: limits.transport,
    compression: options.compression ?? true,
  };
  const yoga = createYogaBridge(http);
  const reconfigure = ({ origins, limits: changed }: ChangeableOptions): void => {
    Object.assign(pages, { origins });
    changeLimits(limits, changed);
    answers.resize(limits.upstream.memory);
    // The limits have decided about the documents that are kept.
    documents.clear();
  };
  const endStreams = (): void => {
    watcher.close();
    const error = new ShuttingDownError('The server is shutting down; send the query again in a moment.');
    liveQueries.end({ errors: [toClientError(error)] });
  };
  const close = async (): Promise<void> => {
    refresh[Symbol.dispose]();
    trusted[Symbol.dispose]();
    signOuts[Symbol.dispose]();
    stopListening();
    shutdown.abort();
    endStreams();
    liveQueries[Symbol.dispose]();
    await shutdown.writes.idle();
    await connections.close();
  };
  return {
    endpoint,
    yoga,
    listener: createPlainListener(yoga, http),
    pipeline,
    get schema() {
      return callers.base;
    },
    get sizes() {
      return { ...callers.sizes, answers };
    },
    addressOf,
    pages,
    health: {
      get isReady() {
        return !health.isDown;
      },
      get report() {
        return { upstream: health.report, descriptionAge: refresh.age, sharing: replicas.report };
      },
    },
    openSession: (requester) => openSession(requester, sessions),
    serveWebSockets: () =>
      serveWebSockets({
        ...{ pipeline, addressOf, observer, shutdown, toClientError },
        messageSize: limits.transport.bodySize,
        openUpgrade: (upgrade) => openUpgrade(upgrade, sessions),
      }),
    endStreams,
    refresh: () => refresh.fetchNow(),
    reconfigure,
    observer,
    toClientError,
    watcher,
    shutdown,
    close,
    [Symbol.asyncDispose]: close,
  };
}
