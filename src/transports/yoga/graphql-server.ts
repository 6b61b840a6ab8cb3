// Configures the GraphQL server: graphql-yoga with its plugins, CORS and the explorer.
import type { RequestListener } from 'node:http';
import type { GraphQLError } from 'graphql';
import { createYoga, type YogaServerInstance } from 'graphql-yoga';
import type { OwnPages } from '../../callers/browsers/own-pages.ts';
import type { AddressOf } from '../../callers/client-address.ts';
import { openSession, type Requester, type Session, type SessionSource } from '../../callers/session.ts';
import type { SignOuts } from '../../callers/sign-outs.ts';
import { type CallSavings, createSharedState } from '../../loaders/shared-state.ts';
import {
  type AddContext,
  createContext,
  createContextFactory,
  type ServerContext,
  type ServerPlugin,
} from '../../operation/context.ts';
import type { CostBudget } from '../../operation/cost/cost-budget.ts';
import { CostLimit } from '../../operation/cost/cost-limit.ts';
import { limitSize, withResultLimit } from '../../operation/cost/result-limit.ts';
import type { DocumentCaches } from '../../operation/documents/document-cache.ts';
import type { TrustedDocuments } from '../../operation/documents/trusted-documents.ts';
import {
  useIncrementalValidation,
  withIncrementalDelivery,
} from '../../operation/incremental/incremental-delivery.ts';
import type { Limits } from '../../operation/limits.ts';
import {
  reportSubscription,
  useDocumentReports,
  useHttpReports,
  withExecutionReport,
} from '../../operation/reports/use-operation-reports.ts';
import type { Shutdown } from '../../operation/shutdown.ts';
import {
  createExecutors,
  type Executor,
  type ExecutorName,
  type ExecutorSteps,
} from '../../operation/steps/executor.ts';
import {
  type IntrospectionAccess,
  useIntrospectionAccess,
  withIntrospectionAccess,
} from '../../operation/steps/introspection-access.ts';
import { KnownOperations } from '../../operation/steps/known-operations.ts';
import { withIntrospectionCache } from '../../operation/steps/with-introspection-cache.ts';
import { withOperationEnd } from '../../operation/steps/with-operation-end.ts';
import { withReportedErrors } from '../../operation/steps/with-reported-errors.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Observer } from '../../telemetry/observer.ts';
import type { Watcher } from '../../upstream/actions/watcher.ts';
import { Explorer } from '../explorer/explorer.ts';
import { createFastPath, type FrontName } from '../http/fast-path/fast-path.ts';
import { runOnce, useExecutedResults } from '../http/fast-path/use-executed-results.ts';
import { useCompression } from '../http/use-compression.ts';
import { maskHookErrors } from './mask-hook-errors.ts';
import { useAbandonedStreams } from './use-abandoned-streams.ts';
import { useBodyLimit } from './use-body-limit.ts';
import { useBrowserSignIn } from './use-browser-sign-in.ts';
import { useCors } from './use-cors.ts';
import { useDocumentCache } from './use-document-cache.ts';
import { useDocumentLimits } from './use-document-limits.ts';
import { useExamples } from './use-examples.ts';
import { useExplorer } from './use-explorer.ts';
import { useHttpStatus } from './use-http-status.ts';
import { useOperationCost } from './use-operation-cost.ts';
import { useRequestChecks } from './use-request-checks.ts';
import { useRequestId } from './use-request-id.ts';
import { useResponseHeaders } from './use-response-headers.ts';
import { useRightsHint } from './use-rights-hint.ts';
import { useSession } from './use-session.ts';
import { useTrustedDocuments } from './use-trusted-documents.ts';

/** What the GraphQL server is made from. */
export interface GraphQLServerOptions {
  /** Path of GraphQL. */
  readonly endpoint: string;
  readonly sessions: SessionSource;
  readonly signOuts: SignOuts;
  readonly watcher: Watcher;
  /** The pages that may use the cookie of a browser's session, and open streams. */
  readonly pages: OwnPages;
  /** Headers that GraphiQL's header editor holds at first. */
  readonly explorerHeaders: Readonly<Record<string, string>>;
  /** Address of the management API, which the explorer shows. */
  readonly upstream: string;
  readonly addressOf: AddressOf;
  readonly toClientError: (error: unknown) => GraphQLError;
  readonly log: Log;
  readonly observer: Observer;
  readonly limits: Limits;
  readonly costBudget: CostBudget;
  readonly introspection: IntrospectionAccess;
  readonly executor: ExecutorName;
  readonly anonymousHints: boolean;
  readonly documents: TrustedDocuments;
  /** Plugins of the library's user. */
  readonly plugins: readonly ServerPlugin[];
  /** Adds to the context of operations; null: nothing is added. */
  readonly addContext: AddContext | null;
  readonly shutdown: Shutdown;
  readonly savings: CallSavings;
  readonly front: FrontName;
  readonly compression: boolean;
  /** Caches of parsed documents, and of those that are refused. */
  readonly documentCaches: DocumentCaches;
}

/** The GraphQL server of a facade. */
export interface GraphQLServer {
  readonly yoga: YogaServerInstance<ServerContext, object>;
  /** Handles the requests of node's HTTP server. */
  readonly listener: RequestListener;
  /** The operations that need no hooks of yoga's plugins; null where all do. */
  readonly known: KnownOperations | null;
}

/** Makes the GraphQL server. It fetches nothing until the first request. */
export function createGraphQLServer(options: GraphQLServerOptions): GraphQLServer {
  const { endpoint, watcher, toClientError } = options;
  const shared = createSharedState({
    savings: options.savings,
    limits: options.limits.upstream,
    shutdown: options.shutdown,
    observer: options.observer,
  });
  const createOperationContext = createContextFactory(options.addContext, (initial) =>
    createContext(initial, watcher, shared),
  );
  const { limits, costBudget, documents } = options;
  const costLimit = new CostLimit(limits.cost, costBudget, documents);
  const { unmasked, masked } = createExecutors(
    options.executor,
    listSteps(options, costLimit),
    toClientError,
  );
  const yoga = createYoga<ServerContext, object>({
    graphqlEndpoint: endpoint,
    context: createOperationContext,
    maskedErrors: { maskError: toClientError },
    plugins: createPlugins(options, unmasked, costLimit),
    // `maskError` logs each failure once, without the query, which yoga's own log line would contain.
    logging: false,
    // The list has plugins for these.
    cors: false,
    maxRequestBodySize: false,
    parserAndValidationCache: false,
    multipart: false,
    landingPage: false,
    graphiql: false,
  });
  // Plugins of the library's user may have hooks that only yoga calls.
  if (options.front !== 'fast' || options.plugins.length > 0)
    return { yoga, listener: (request, response) => void yoga(request, response), known: null };
  const known = new KnownOperations(masked, { ...options, createContext: createOperationContext });
  const { bodySize } = limits.transport;
  return { yoga, listener: createFastPath(yoga, { ...options, bodySize, known }), known };
}

const listSteps = (
  { observer, introspection, shutdown, limits, toClientError }: GraphQLServerOptions,
  costLimit: CostLimit,
): ExecutorSteps => ({
  executions: [
    withExecutionReport(observer),
    withIntrospectionAccess(introspection),
    withOperationEnd(shutdown, limits.operation),
    withResultLimit(limits.operation.resultSize),
    // Before the cost limit, because a cached result costs nothing.
    withIntrospectionCache(),
    costLimit.step,
    withReportedErrors(),
    withIncrementalDelivery(toClientError),
  ],
  subscriptions: {
    charge: (args) => costLimit.charge(args),
    begin: (args) => reportSubscription(observer, args),
    limit: (result, args) => limitSize(result, args, limits.operation.resultSize),
  },
});

function createPlugins(
  options: GraphQLServerOptions,
  executor: Executor,
  costLimit: CostLimit,
): ServerPlugin[] {
  const { endpoint, sessions, pages, explorerHeaders, addressOf, toClientError, log, documents, observer } =
    options;
  const { callers, browsers } = sessions;
  const explorer = new Explorer(endpoint, () => callers.base.description.authentication, {
    authPath: browsers === null ? null : `${pages.basePath}/auth`,
    prefilled: explorerHeaders,
    upstream: options.upstream,
  });
  const open = (requester: Requester): Promise<Session> => openSession(requester, sessions);
  const examples = useExamples({ endpoint, addressOf, open, toClientError });
  const plugins: ServerPlugin[] = [
    {
      onExecute: ({ setExecuteFn }) => setExecuteFn(executor.execute),
      onSubscribe: ({ setSubscribeFn }) => setSubscribeFn(executor.subscribe),
    },
    useCors(pages),
    useIncrementalValidation(),
    useRequestChecks(pages, toClientError),
    useDocumentReports(documents),
    useResponseHeaders(),
    ...(documents.areEnforced ? [] : [useExplorer(endpoint, pages.basePath, explorer), examples]),
    ...(browsers === null
      ? []
      : [useBrowserSignIn({ sessions: browsers, signOuts: options.signOuts, pages, toClientError, log })]),
    // An unknown id of a document costs no call.
    useTrustedDocuments(documents),
    useSession(addressOf, sessions, documents, toClientError),
    useRightsHint(() => callers.schemas, options.anonymousHints),
    useDocumentLimits(options.limits.document),
    useIntrospectionAccess(options.introspection),
    costLimit.plugin,
    useOperationCost(),
    ...options.plugins,
    // useRequestId gives each error its code, from which useHttpStatus derives the status: it must run first.
    useRequestId(),
    useHttpStatus(),
    // After all plugins that change results, so that it reports what the client gets.
    useHttpReports(observer, addressOf),
    // After the reports, which contain what it refuses.
    useBodyLimit(options.limits.transport.bodySize),
    useAbandonedStreams(),
    useDocumentCache(options.documentCaches),
    // Last, because it needs the complete response.
    ...(options.compression ? [useCompression()] : []),
  ];
  return [...plugins.map((plugin) => runOnce(maskHookErrors(plugin, toClientError))), useExecutedResults()];
}
