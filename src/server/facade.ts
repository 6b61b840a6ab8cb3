import type { GraphQLError } from 'graphql';
import { createYoga, type YogaServerInstance } from 'graphql-yoga';
import { AnswerCookie } from '../auth/answer-cookie.ts';
import { configuredSessions, type OAuthOptions } from '../auth/configured-sessions.ts';
import { Callers, type CallersOptions } from '../callers/callers.ts';
import { type AddressOf, createAddressOf } from '../callers/client-address.ts';
import { CallerConcurrencyLimit } from '../callers/concurrency-limit.ts';
import { CredentialVerifier } from '../callers/credential-verifier.ts';
import { Refresh, type RefreshOptions } from '../callers/refresh.ts';
import { SignInLimit } from '../callers/sign-in-limit.ts';
import { createExplorer } from '../explorer/explorer.ts';
import { RecentRows } from '../loaders/paging/kept/recent-rows.ts';
import { UnavailableIncludes } from '../loaders/unavailable-includes.ts';
import type { Log } from '../log/log.ts';
import type { AssembledSchema } from '../schema/assemble.ts';
import type { Overrides } from '../schema/model/overrides.ts';
import { SchemaRegistry } from '../schema/registry.ts';
import { createSnippetsClient } from '../snippets/snippets-client.ts';
import { createSnippetsExtension } from '../snippets/snippets-extension.ts';
import type { WatchOptions } from '../upstream/actions/action-calls.ts';
import { ActionStates } from '../upstream/actions/action-states.ts';
import { cacheDescription } from '../upstream/description/description-cache.ts';
import { createDescriptionSource } from '../upstream/description/description-source.ts';
import type { Credential } from '../upstream/http/authentication.ts';
import { createTransport, type TransportOptions } from '../upstream/http/transport.ts';
import { createContext, type ServerContext } from './context.ts';
import { createMaskError } from './mask-error.ts';
import { useAbandonedStreams } from './plugins/use-abandoned-streams.ts';
import { useBrowserSignIn } from './plugins/use-browser-sign-in.ts';
import { useDocumentLimits } from './plugins/use-document-limits.ts';
import { useExamples } from './plugins/use-examples.ts';
import { useHttpStatus } from './plugins/use-http-status.ts';
import { useIntrospectionCache } from './plugins/use-introspection-cache.ts';
import { useOperationCost } from './plugins/use-operation-cost.ts';
import { useRequestId } from './plugins/use-request-id.ts';
import { useRightsHint } from './plugins/use-rights-hint.ts';
import { useSession } from './plugins/use-session.ts';
import { openBrowserSession, openSession, type Requester, type Session } from './session.ts';

/** A snippet service that has its fields in the same schema. */
export interface SnippetsOptions {
  /** Its address, with the path it is mounted at. */
  readonly url: URL;
  /** API key for callers who send none of their own; default: they are anonymous there. */
  readonly apiKey?: string | null;
  readonly transport?: TransportOptions;
}

/** What does not depend on the version of the API. */
export interface SharedState {
  readonly known: CredentialVerifier;
  /** Attempts to sign in that are passed on. */
  readonly signIns: SignInLimit;
}

/** What a facade is made of. */
export interface FacadeOptions {
  /** Address of the management API, with the path it is mounted at. */
  readonly upstream: URL;
  /** Version of the API; default: the upstream's. */
  readonly version?: string | null;
  /** Path at which GraphQL is served; default: /graphql. */
  readonly endpoint?: string;
  /** Used to fetch the description, never for a caller's data; default: anonymous. */
  readonly descriptionCredential?: Credential | null;
  readonly overrides?: Overrides;
  /** Default: none, and nothing of it in the schema. */
  readonly snippets?: SnippetsOptions | null;
  /** Headers that GraphiQL's header editor comes filled with. */
  readonly explorerHeaders?: Readonly<Record<string, string>>;
  readonly transport?: TransportOptions;
  /** How callers are told apart. */
  readonly callers?: CallersOptions;
  /** When descriptions are fetched again. */
  readonly refresh?: RefreshOptions;
  /** Takes HTTP basic from browsers, which the specification forbids. Default: false. */
  readonly basicFromBrowsers?: boolean;
  /** Signs browsers in by OAuth 2.0; null (default): not. */
  readonly oauth?: OAuthOptions | null;
  /** What is the same for every version of the API that a process serves; default: the facade's own. */
  readonly shared?: Partial<SharedState>;
  /** Proxies whose `X-Forwarded-For` tells the client's address: addresses, networks or `loopback`. Default: loopback. */
  readonly trustedProxies?: readonly string[];
  /** Folder where the last good description is kept, to begin with while the upstream is down; null (default): nowhere. */
  readonly cacheDir?: string | null;
  /** How running actions are watched. */
  readonly watch?: Partial<WatchOptions>;
  readonly log: Log;
}

/** A browser's session at the upgrade of a WebSocket. */
export interface UpgradeSession {
  /** Whether the upstream knows its token. */
  readonly isOpen: boolean;
  /** A `Set-Cookie` header for the answer; null for none. */
  readonly setCookie: string | null;
}

/** A GraphQL API over one management API. */
export interface Facade extends AsyncDisposable {
  /** Answers HTTP, in node's server or called directly. */
  readonly yoga: YogaServerInstance<ServerContext, object>;
  /** The schema that the operator's credential sees. */
  readonly schema: AssembledSchema;
  /** A client's address, as far as it can be believed. */
  readonly addressOf: AddressOf;
  /** Finds the caller of a request that came over another transport than HTTP. */
  openSession(requester: Requester): Promise<Session>;
  /**
   * Opens the session in the cookie of a WebSocket's upgrade, which it renews where that is needed. Never rejects: each operation
   * opens the session again.
   */
  openUpgrade(upgrade: Pick<Requester, 'header' | 'address'>): Promise<UpgradeSession>;
  /** Fetches every description in use again. Never rejects. */
  refresh(): Promise<void>;
  /** The error that a client sees for one that was thrown. */
  toClientError(error: unknown): GraphQLError;
  /** Running actions that are being watched. */
  readonly states: ActionStates;
  /** Closes the connections to the upstream and the snippet service. */
  close(): Promise<void>;
}

/** Connections for all but long polls. */
const CONNECTIONS = 32;
/** Connections for long polls, more than are open at once. */
const POLL_CONNECTIONS = 256;

/** Largest request body, in bytes. */
const MAX_BODY = 1_000_000;

/**
 * Fetches the description, assembles its schema and makes the server of it; each caller's own schema follows when they ask.
 * @throws UpstreamUnreachableError, DescriptionError, VersionUnknownError, UnknownCredentialsError
 */
export async function createFacade(options: FacadeOptions): Promise<Facade> {
  const {
    upstream,
    version = null,
    descriptionCredential = null,
    snippets = null,
    cacheDir = null,
    endpoint = '/graphql',
    log,
  } = options;
  const { connections = CONNECTIONS } = options.transport ?? {};
  const transport = createTransport(upstream.origin, { ...options.transport, connections });
  const polls = createTransport(upstream.origin, { ...options.transport, connections: POLL_CONNECTIONS });
  const snippetsClient = snippets === null ? null : createSnippetsClient(snippets.url, snippets.transport);
  const closeTransports = async (): Promise<void> => {
    await Promise.all([transport.close(), polls.close(), snippetsClient?.close()]);
  };
  try {
    const base = upstream.pathname.endsWith('/') ? upstream.pathname : `${upstream.pathname}/`;
    const extensions =
      snippetsClient === null ? [] : [createSnippetsExtension(snippetsClient, snippets?.apiKey ?? null)];
    const described = createDescriptionSource(transport, base, version);
    const cache =
      cacheDir === null
        ? null
        : cacheDescription(described, cacheDir, `${upstream.href} ${version}`, descriptionCredential);
    const source = cache ?? described;
    await source.checkVersion();
    const registry = new SchemaRegistry(options.overrides, extensions, ({ code, path, reason }) =>
      log.warn(`${code}: ${reason} (${path})`),
    );
    const { known = new CredentialVerifier(), signIns = new SignInLimit() } = options.shared ?? {};
    const from = { source, registry, known, operator: descriptionCredential };
    const callers = await Callers.create(from, options.callers);
    const keep = async (): Promise<void> => {
      await cache?.keep().catch((error: unknown) => log.error('the description could not be kept', error));
    };
    if (cache !== null && cache.keptAt !== null)
      log.warn(`the management API is down; its description of ${cache.keptAt} is served until it is back`);
    await keep();
    const refresh = new Refresh(callers, log, keep, options.refresh);
    if (cache?.keptAt) refresh.soon();
    const states = new ActionStates(options.watch);
    const kept = { recentRows: new RecentRows(), includes: new UnavailableIncludes() };
    const sessions = {
      transport,
      polls,
      concurrency: new CallerConcurrencyLimit(Math.ceil(connections / 2)),
      callers,
      basicFromBrowsers: options.basicFromBrowsers ?? false,
      signIns,
      browsers: configuredSessions(callers.base.description, options.oauth ?? null, log),
      onContradiction: () => refresh.onContradiction(),
    };
    const { origins = [] } = options.oauth ?? {};
    const addressOf = createAddressOf(options.trustedProxies);
    const toClientError = createMaskError(log);
    const yoga = createYoga<ServerContext, object>({
      graphqlEndpoint: endpoint,
      context: (initial) => createContext(initial, states, kept),
      maskedErrors: { maskError: toClientError },
      plugins: [
        ...(sessions.browsers === null
          ? []
          : [
              useBrowserSignIn({
                sessions: sessions.browsers,
                callers,
                publicUrl: options.oauth?.publicUrl ?? null,
                origins,
                toClientError,
                log,
              }),
            ]),
        useSession(addressOf, sessions, toClientError),
        useExamples({
          endpoint,
          addressOf,
          open: (requester) => openSession(requester, sessions),
          toClientError,
        }),
        useRightsHint(() => [callers.base, ...registry.schemas].map(({ schema }) => schema)),
        useDocumentLimits(),
        useIntrospectionCache(),
        useOperationCost(),
        // Gives the codes that statuses are chosen by.
        useRequestId(),
        useHttpStatus(),
        useAbandonedStreams(),
      ],
      // Every failure is logged once, by maskError, without the query that yoga's own line would hold.
      logging: false,
      // Any page may send a credential in a header that it sets itself; cookies are for listed ones.
      cors: ({ headers }) => {
        const origin = headers.get('origin') ?? '';
        return origins.includes(origin) ? { origin, credentials: true } : { origin: '*', credentials: false };
      },
      multipart: false,
      landingPage: false,
      maxRequestBodySize: MAX_BODY,
      ...createExplorer(() => callers.base.description.authentication, {
        endpoint,
        oauth: sessions.browsers !== null,
        prefilled: options.explorerHeaders ?? {},
      }),
    });
    const close = (): Promise<void> => {
      refresh[Symbol.dispose]();
      states.close();
      return closeTransports();
    };
    return {
      yoga,
      get schema() {
        return callers.base;
      },
      addressOf,
      openSession: (requester) => openSession(requester, sessions),
      async openUpgrade(upgrade) {
        const cookie = new AnswerCookie();
        const opened = await openBrowserSession({ ...upgrade, cookie }, sessions).catch(() => null);
        return { isOpen: opened !== null, setCookie: cookie.begin() };
      },
      refresh: () => refresh.now(),
      toClientError,
      states,
      close,
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await closeTransports();
    throw error;
  }
}
