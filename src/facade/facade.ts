// Composes the facade: upstream connections, callers, sessions and the GraphQL server.
import type { RequestListener } from 'node:http';
import type { GraphQLError } from 'graphql';
import type { YogaServerInstance } from 'graphql-yoga';
import { createBrowserSessions } from '../callers/browsers/create-browser-sessions.ts';
import type { OwnPages } from '../callers/browsers/own-pages.ts';
import { CallScheduler } from '../callers/call-scheduler.ts';
import { CallerClients } from '../callers/caller-client.ts';
import { type AddressOf, createAddressOf } from '../callers/client-address.ts';
import { CredentialVerifier } from '../callers/credential-verifier.ts';
import { loadCallers } from '../callers/load-callers.ts';
import {
  openSession,
  openUpgrade,
  type Requester,
  type Session,
  type SessionReport,
  type SessionSource,
} from '../callers/session.ts';
import { SharedReads } from '../callers/shared-reads.ts';
import { SignInLimit } from '../callers/sign-in-limit.ts';
import { SignOuts } from '../callers/sign-outs.ts';
import { DEFAULT_CALL_SAVINGS } from '../loaders/shared-state.ts';
import type { ServerContext } from '../operation/context.ts';
import { CostBudget } from '../operation/cost/cost-budget.ts';
import { createDocumentCaches } from '../operation/documents/document-cache.ts';
import { TrustedDocuments } from '../operation/documents/trusted-documents.ts';
import { changeLimits, completeLimits } from '../operation/limits.ts';
import { createMaskError } from '../operation/mask-error.ts';
import { Shutdown } from '../operation/shutdown.ts';
import type { KnownOperations } from '../operation/steps/known-operations.ts';
import type { ServedSchema } from '../schema/registry.ts';
import type { SchemaAdditionOptions } from '../schema/schema-addition.ts';
import { LocalDeployment } from '../sharing/local-replicas.ts';
import { sharePolling } from '../sharing/shared-poller.ts';
import { createSnippetsClient } from '../snippets/snippets-client.ts';
import { createSnippetsExtension } from '../snippets/snippets-extension.ts';
import type { FacadeSizes } from '../telemetry/metrics/facade-metrics.ts';
import type { Observer } from '../telemetry/observer.ts';
import type { FacadeReport } from '../transports/http/health.ts';
import { createGraphQLServer } from '../transports/yoga/graphql-server.ts';
import { type OnActionEnd, Watcher } from '../upstream/actions/watcher.ts';
import { explainToOperator } from '../upstream/explain-failure.ts';
import { openConnections } from '../upstream/http/connections.ts';
import type { ChangeableOptions, FacadeOptions } from './facade-options.ts';

/** A GraphQL API over one management API. */
export interface Facade extends AsyncDisposable {
  /** Handles HTTP requests through `fetch`, and operations over other transports. */
  readonly yoga: YogaServerInstance<ServerContext, object>;
  /** Handles the requests of node's HTTP server. */
  readonly listener: RequestListener;
  /** The operations that need no hooks of yoga's plugins; null where all do. */
  readonly known: KnownOperations | null;
  /** The schema for the description credential. */
  readonly schema: ServedSchema;
  /** The sizes of what it keeps. */
  readonly sizes: FacadeSizes;
  /** Returns a client's address, as far as trusted proxies state it. */
  readonly addressOf: AddressOf;
  /** The pages that may open streams and WebSockets. */
  readonly pages: OwnPages;
  /** Whether requests can be served, and what operators want to know about that. */
  readonly health: { readonly isReady: boolean; readonly report: FacadeReport };
  /** Opens the session of a request over another transport than HTTP. @param report Default: nobody observes it. */
  openSession(requester: Requester, report?: SessionReport | null): Promise<Session>;
  /**
   * Opens the session in the cookie of an upgrade request, and renews it if needed. Never rejects, because each operation opens
   * the session again.
   */
  openUpgrade(upgrade: Pick<Requester, 'header' | 'address'>): ReturnType<typeof openUpgrade>;
  /** Fetches the operator's description again now, and that of each caller at their next request. Never rejects. */
  refresh(): Promise<void>;
  /** Uses other options from now on, for operations under way too. */
  reconfigure(options: ChangeableOptions): void;
  /** The documents that clients may name by id. */
  readonly documents: Pick<TrustedDocuments, 'resolve' | 'has'>;
  /** What observes the facade. */
  readonly observer: Observer;
  /** Converts a thrown error to the error that the client gets. */
  toClientError(error: unknown): GraphQLError;
  /** The actions that operations and subscriptions watch. */
  readonly watcher: Watcher;
  /** What is under way, and whether more may begin. */
  readonly shutdown: Shutdown;
  /** Aborts reads, waits for writes under way, and closes the connections to the upstream and the snippet service. */
  close(): Promise<void>;
}

/**
 * Fetches the description, assembles its schema, and makes the GraphQL server. Schemas of callers follow with their requests.
 * @throws UpstreamUnreachableError, DescriptionError, VersionUnknownError, UnknownCredentialsError
 */
export async function createFacade(options: FacadeOptions): Promise<Facade> {
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

/** Opens the connections to the management API and to the snippet service. */
function connect({ upstream, snippets = null, transport, observer = {} }: FacadeOptions) {
  const api = openConnections(upstream.origin, transport, observer);
  const snippetsClient =
    snippets === null ? null : createSnippetsClient(snippets.url, snippets.transport, observer);
  const extensions =
    snippetsClient === null ? [] : [createSnippetsExtension(snippetsClient, snippets?.apiKey ?? null)];
  const close = async (): Promise<void> => {
    await Promise.all([api.close(), snippetsClient?.close()]);
  };
  return { ...api, extensions, close };
}

async function composeFacade(options: FacadeOptions, connections: Connections): Promise<Facade> {
  const { oauth = null, log, observer = {} } = options;
  const { max, transport, polls, health, extensions } = connections;
  const savings = { ...DEFAULT_CALL_SAVINGS, ...options.savings };
  const reads = options.shared?.reads ?? new SharedReads(savings);
  const replicas = options.shared?.replicas ?? new LocalDeployment().join();
  const verifier = options.shared?.verifier ?? new CredentialVerifier({}, replicas);
  const signIns = options.shared?.signIns ?? new SignInLimit({}, replicas);
  const api = `${options.upstream.href} ${options.version ?? ''}`;
  const pages: OwnPages = { publicUrl: null, basePath: '', origins: [], ...options.pages };
  const { endpoint = `${pages.basePath}/graphql` } = options;
  const { callers, refresh, generation } = await loadCallers(
    options,
    transport,
    verifier,
    extensions,
    (options.extendSchema ?? null) as SchemaAdditionOptions | null,
    replicas,
    api,
  );
  const clients = new CallerClients({
    transport,
    polls,
    scheduler: new CallScheduler({ connections: max }),
    callers,
    signIns,
    reads,
    observer,
    onContradiction: () => refresh.onContradiction(),
  });
  const limits = completeLimits(options.limits);
  const sessions: SessionSource = {
    callers,
    clients,
    basicFromBrowsers: options.basicFromBrowsers ?? false,
    browsers: createBrowserSessions(callers.base.description, { ...options, oauth, pages, replicas }),
    openingTime: limits.operation.queryTime,
  };
  if (options.readyNeedsUpstream === true)
    connections.probe(`${options.upstream.pathname}?describe=versions`, options.probe);
  const signOuts = new SignOuts(callers, replicas, api);
  const onEnd: OnActionEnd = (caller, id) => reads.endAction(caller, id);
  const share = sharePolling(replicas, api, options.watch?.lease);
  const watcher = new Watcher(options.watch, observer, onEnd, share);
  const shutdown = new Shutdown();
  const addressOf = createAddressOf(options.trustedProxies);
  const toClientError = createMaskError(log, observer);
  const documents = new TrustedDocuments(options.trustedDocuments ?? null, replicas);
  const documentCaches = createDocumentCaches();
  const { yoga, listener, known } = createGraphQLServer({
    limits,
    endpoint,
    sessions,
    signOuts,
    watcher,
    pages,
    explorerHeaders: options.explorerHeaders ?? {},
    upstream: options.upstream.origin + options.upstream.pathname,
    addressOf,
    toClientError,
    log,
    observer,
    introspection: options.introspection ?? 'on',
    executor: options.executor ?? 'planned',
    anonymousHints: options.anonymousHints ?? false,
    documents,
    plugins: options.plugins ?? [],
    addContext: options.context ?? null,
    shutdown,
    savings,
    compression: options.compression ?? true,
    documentCaches,
    costBudget: options.shared?.costBudget ?? new CostBudget(limits.cost, replicas),
    front: options.front ?? 'fast',
  });
  const reconfigure = ({ origins, limits: changed }: ChangeableOptions): void => {
    Object.assign(pages, { origins });
    changeLimits(limits, changed);
    // The limits have decided about the documents in the caches.
    documentCaches.documentCache.clear();
    documentCaches.errorCache.clear();
  };
  const close = async (): Promise<void> => {
    refresh[Symbol.dispose]();
    generation[Symbol.dispose]();
    documents[Symbol.dispose]();
    signOuts[Symbol.dispose]();
    shutdown.abort();
    watcher.close();
    await shutdown.writes.idle();
    await connections.close();
  };
  return {
    yoga,
    listener,
    known,
    get schema() {
      return callers.base;
    },
    get sizes() {
      return callers.sizes;
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
    openSession: (requester, report) => openSession(requester, sessions, report),
    openUpgrade: (upgrade) => openUpgrade(upgrade, sessions),
    refresh: () => refresh.fetchNow(),
    reconfigure,
    documents,
    observer,
    toClientError,
    watcher,
    shutdown,
    close,
    [Symbol.asyncDispose]: close,
  };
}
