// Configures the GraphQL server: graphql-yoga with its plugins, CORS and the explorer.
import { execute, type GraphQLError, subscribe } from 'graphql';
import { createYoga, type Plugin, type YogaServerInstance } from 'graphql-yoga';
import type { OwnPages } from '../auth/own-pages.ts';
import type { AddressOf } from '../callers/client-address.ts';
import { Explorer } from '../explorer/explorer.ts';
import type { UpstreamLimits } from '../loaders/operation-cost.ts';
import { RecentRows } from '../loaders/paging/cache/recent-rows.ts';
import type { Shutdown } from '../loaders/shutdown.ts';
import { UnavailableIncludes } from '../loaders/unavailable-includes.ts';
import type { Log } from '../log/log.ts';
import type { ActionStates } from '../upstream/actions/action-states.ts';
import { createContext, type ServerContext } from './context.ts';
import type { CostBudget } from './cost/cost-budget.ts';
import { createDocumentCache } from './cost/document-cache.ts';
import type { QueryLimits } from './cost/query-limits.ts';
import { useCostLimit } from './cost/use-cost-limit.ts';
import { useDocumentLimits } from './cost/use-document-limits.ts';
import { useResultLimit } from './cost/use-result-limit.ts';
import type { TrustedDocuments } from './documents/trusted-documents.ts';
import { useTrustedDocuments } from './documents/use-trusted-documents.ts';
import { useIncrementalDelivery } from './incremental/use-incremental-delivery.ts';
import { DEFAULT_LIMITS, type OperationLimits } from './limits.ts';
import { maskHookErrors } from './mask-hook-errors.ts';
import { useAbandonedStreams } from './plugins/use-abandoned-streams.ts';
import { useBrowserSignIn } from './plugins/use-browser-sign-in.ts';
import { useExamples } from './plugins/use-examples.ts';
import { useExplorer } from './plugins/use-explorer.ts';
import { useHttpStatus } from './plugins/use-http-status.ts';
import { type IntrospectionAccess, useIntrospectionAccess } from './plugins/use-introspection-access.ts';
import { useIntrospectionCache } from './plugins/use-introspection-cache.ts';
import { useOperationCost } from './plugins/use-operation-cost.ts';
import { useOperationEnd } from './plugins/use-operation-end.ts';
import { useRequestChecks } from './plugins/use-request-checks.ts';
import { useRequestId } from './plugins/use-request-id.ts';
import { useResponseHeaders } from './plugins/use-response-headers.ts';
import { useRightsHint } from './plugins/use-rights-hint.ts';
import { useSession } from './plugins/use-session.ts';
import { openSession, type Requester, type Session, type SessionSource } from './session.ts';

/** What the GraphQL server is made from. */
export interface GraphQLServerOptions {
  /** Path of GraphQL. */
  readonly endpoint: string;
  readonly sessions: SessionSource;
  readonly states: ActionStates;
  /** The pages that may use the cookie of a browser's session, and open streams. */
  readonly pages: OwnPages;
  /** Headers that GraphiQL's header editor holds at first. */
  readonly explorerHeaders: Readonly<Record<string, string>>;
  /** Address of the management API, which the explorer shows. */
  readonly upstream: string;
  readonly addressOf: AddressOf;
  readonly toClientError: (error: unknown) => GraphQLError;
  readonly log: Log;
  readonly queryLimits: QueryLimits;
  readonly costBudget: CostBudget;
  readonly introspection: IntrospectionAccess;
  readonly anonymousHints: boolean;
  readonly documents: TrustedDocuments;
  readonly upstreamLimits: UpstreamLimits;
  readonly operationLimits: OperationLimits;
  readonly shutdown: Shutdown;
}

/** Makes the GraphQL server. It fetches nothing until the first request. */
export function createGraphQLServer(
  options: GraphQLServerOptions,
): YogaServerInstance<ServerContext, object> {
  const { endpoint, states, pages, toClientError } = options;
  const remembered = {
    recentRows: new RecentRows(),
    includes: new UnavailableIncludes(),
    limits: options.upstreamLimits,
    shutdown: options.shutdown,
  };
  return createYoga<ServerContext, object>({
    graphqlEndpoint: endpoint,
    context: (initial) => createContext(initial, states, remembered),
    maskedErrors: { maskError: toClientError },
    plugins: createPlugins(options),
    // `maskError` logs each failure once, without the query, which yoga's own log line would contain.
    logging: false,
    // Any page may send a credential in a header that it sets itself; only listed origins may use cookies.
    cors: ({ headers }) => {
      const origin = headers.get('origin') ?? '';
      return pages.origins.includes(origin)
        ? { origin, credentials: true }
        : { origin: '*', credentials: false };
    },
    parserAndValidationCache: { documentCache: createDocumentCache(), errorCache: createDocumentCache() },
    multipart: false,
    landingPage: false,
    maxRequestBodySize: DEFAULT_LIMITS.bodySize,
    graphiql: false,
  });
}

function createPlugins(options: GraphQLServerOptions): Plugin<ServerContext>[] {
  const { endpoint, sessions, pages, explorerHeaders, addressOf, toClientError, log, documents } = options;
  const { callers, browsers } = sessions;
  const explorer = new Explorer(endpoint, () => callers.base.description.authentication, {
    authPath: browsers === null ? null : '/auth',
    prefilled: explorerHeaders,
    upstream: options.upstream,
  });
  const open = (requester: Requester): Promise<Session> => openSession(requester, sessions);
  const examples = useExamples({ endpoint, addressOf, open, toClientError });
  const plugins: Plugin<ServerContext>[] = [
    // yoga's own executor, in the version for Node 20, returns fields in the order in which they are resolved.
    {
      onExecute: ({ setExecuteFn }) => setExecuteFn(execute),
      onSubscribe: ({ setSubscribeFn }) => setSubscribeFn(subscribe),
    },
    useIncrementalDelivery(toClientError),
    useRequestChecks(pages, toClientError),
    useResponseHeaders(),
    ...(documents.areEnforced ? [] : [useExplorer(endpoint, explorer), examples]),
    ...(browsers === null
      ? []
      : [useBrowserSignIn({ sessions: browsers, callers, ...pages, toClientError, log })]),
    // An unknown id of a document costs no call.
    useTrustedDocuments(documents),
    useSession(addressOf, sessions, toClientError),
    useRightsHint(() => callers.schemas, options.anonymousHints),
    useDocumentLimits(options.queryLimits),
    useIntrospectionAccess(options.introspection, toClientError),
    useOperationEnd(options.shutdown, options.operationLimits, toClientError),
    useResultLimit(options.operationLimits.resultSize),
    // A cached answer costs nothing, so the cache runs first.
    useIntrospectionCache(),
    useCostLimit(options.queryLimits.cost, options.costBudget, documents, toClientError),
    useOperationCost(),
    // useRequestId gives each error its code, from which useHttpStatus derives the status: it must run first.
    useRequestId(),
    useHttpStatus(),
    useAbandonedStreams(),
  ];
  return plugins.map((plugin) => maskHookErrors(plugin, toClientError));
}
