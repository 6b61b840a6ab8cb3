// Composes the facade: upstream connections, callers, sessions and the GraphQL server.
import type { GraphQLError } from 'graphql';
import type { YogaServerInstance } from 'graphql-yoga';
import { AnswerCookie } from '../auth/answer-cookie.ts';
import { configuredSessions, type OAuthOptions } from '../auth/configured-sessions.ts';
import type { OwnPages } from '../auth/own-pages.ts';
import { Callers, type CallersOptions } from '../callers/callers.ts';
import { type AddressOf, createAddressOf } from '../callers/client-address.ts';
import { CallerConcurrencyLimit } from '../callers/concurrency-limit.ts';
import { CredentialVerifier } from '../callers/credential-verifier.ts';
import { Refresh, type RefreshOptions } from '../callers/refresh.ts';
import { SignInLimit } from '../callers/sign-in-limit.ts';
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
import type { ServerContext } from './context.ts';
import { createGraphQLServer } from './graphql-server.ts';
import { createMaskError } from './mask-error.ts';
import {
  openBrowserSession,
  openSession,
  type Requester,
  type Session,
  type SessionSource,
} from './session.ts';

/** Connections to the upstream, without those for long polls. */
const CONNECTIONS = 32;
/** Connections for long polls, more than the facade opens at once. */
const POLL_CONNECTIONS = 256;

/** A snippet service whose fields are part of the same schema. */
export interface SnippetsOptions {
  /** Address of the service, with its base path. */
  readonly url: URL;
  /** API key for callers who send none of their own; default: they use the service anonymously. */
  readonly apiKey?: string | null;
  readonly transport?: TransportOptions;
}

/** What the facades of all versions of an API share. */
export interface SharedState {
  readonly verifier: CredentialVerifier;
  readonly signIns: SignInLimit;
}

/** The options of a facade. */
export interface FacadeOptions {
  /** Address of the management API, with its base path. */
  readonly upstream: URL;
  /** Version of the API; default: the default version of the upstream. */
  readonly version?: string | null;
  /** Path at which GraphQL is served; default: /graphql. */
  readonly endpoint?: string;
  /** Credential that fetches the base description, never a caller's data; default: none. */
  readonly descriptionCredential?: Credential | null;
  readonly overrides?: Overrides;
  /** Default: none, so that the schema has no fields for snippets. */
  readonly snippets?: SnippetsOptions | null;
  /** Headers that GraphiQL's header editor holds at first. */
  readonly explorerHeaders?: Readonly<Record<string, string>>;
  readonly transport?: TransportOptions;
  /** How schemas are assigned to callers. */
  readonly callers?: CallersOptions;
  /** When descriptions are fetched again. */
  readonly refresh?: RefreshOptions;
  /** Whether to accept HTTP basic from browsers, which the specification forbids. Default: false. */
  readonly basicFromBrowsers?: boolean;
  /** Lets browsers sign in with OAuth 2.0; null (default): they cannot. */
  readonly oauth?: OAuthOptions | null;
  /** State that a process shares between the versions of an API; default: the facade has its own. */
  readonly shared?: Partial<SharedState>;
  /** Proxies whose `X-Forwarded-For` is trusted: addresses, networks or `loopback`. Default: loopback. */
  readonly trustedProxies?: readonly string[];
  /** Folder that stores the last good description for a start while the upstream is down; null (default): none. */
  readonly cacheDir?: string | null;
  /** How running actions are watched. */
  readonly watch?: Partial<WatchOptions>;
  readonly log: Log;
}

/** The result of opening a browser's session at the upgrade to a WebSocket. */
export interface UpgradeSession {
  /** Whether the upstream knows the token of the session. */
  readonly isOpen: boolean;
  /** The `Set-Cookie` header of the response; null for none. */
  readonly setCookie: string | null;
}

/** A GraphQL API over one management API. */
export interface Facade extends AsyncDisposable {
  /** Handles HTTP requests, as a listener of node's server or through `fetch`. */
  readonly yoga: YogaServerInstance<ServerContext, object>;
  /** The schema for the description credential. */
  readonly schema: AssembledSchema;
  /** Returns a client's address, as far as trusted proxies state it. */
  readonly addressOf: AddressOf;
  /** The pages that may open streams and WebSockets. */
  readonly pages: OwnPages;
  /** Opens the session of a request over another transport than HTTP. */
  openSession(requester: Requester): Promise<Session>;
  /**
   * Opens the session in the cookie of an upgrade request, and renews it if needed. Never rejects, because each operation opens
   * the session again.
   */
  openUpgrade(upgrade: Pick<Requester, 'header' | 'address'>): Promise<UpgradeSession>;
  /** Fetches all descriptions in use again. Never rejects. */
  refresh(): Promise<void>;
  /** Converts a thrown error to the error that the client gets. */
  toClientError(error: unknown): GraphQLError;
  /** The actions that operations and subscriptions watch. */
  readonly states: ActionStates;
  /** Closes the connections to the upstream and the snippet service. */
  close(): Promise<void>;
}

/**
 * Fetches the description, assembles its schema, and makes the GraphQL server. Schemas of callers follow with their requests.
 * @throws UpstreamUnreachableError, DescriptionError, VersionUnknownError, UnknownCredentialsError
 */
export async function createFacade(options: FacadeOptions): Promise<Facade> {
  const connections = openConnections(options);
  try {
    return await composeFacade(options, connections);
  } catch (error) {
    await connections.close();
    throw error;
  }
}

type Connections = ReturnType<typeof openConnections>;

function openConnections({ upstream, snippets = null, transport: options }: FacadeOptions) {
  const { connections: max = CONNECTIONS } = options ?? {};
  const transport = createTransport(upstream.origin, { ...options, connections: max });
  const polls = createTransport(upstream.origin, { ...options, connections: POLL_CONNECTIONS });
  const snippetsClient = snippets === null ? null : createSnippetsClient(snippets.url, snippets.transport);
  const close = async (): Promise<void> => {
    await Promise.all([transport.close(), polls.close(), snippetsClient?.close()]);
  };
  return { max, transport, polls, snippetsClient, close };
}

async function composeFacade(options: FacadeOptions, connections: Connections): Promise<Facade> {
  const { endpoint = '/graphql', oauth = null, log } = options;
  const { registry, callers, refresh, signIns } = await loadCallers(options, connections);
  const sessions: SessionSource = {
    transport: connections.transport,
    polls: connections.polls,
    // One caller may occupy half of the connections.
    concurrency: new CallerConcurrencyLimit(Math.ceil(connections.max / 2)),
    callers,
    basicFromBrowsers: options.basicFromBrowsers ?? false,
    signIns,
    browsers: configuredSessions(callers.base.description, oauth, log),
    onContradiction: () => refresh.onContradiction(),
  };
  const states = new ActionStates(options.watch);
  const addressOf = createAddressOf(options.trustedProxies);
  const toClientError = createMaskError(log);
  const pages: OwnPages = { publicUrl: oauth?.publicUrl ?? null, origins: oauth?.origins ?? [] };
  const yoga = createGraphQLServer({
    endpoint,
    sessions,
    schemas: () => [callers.base, ...registry.schemas].map(({ schema }) => schema),
    states,
    pages,
    explorerHeaders: options.explorerHeaders ?? {},
    addressOf,
    toClientError,
    log,
  });
  const close = (): Promise<void> => {
    refresh[Symbol.dispose]();
    states.close();
    return connections.close();
  };
  return {
    yoga,
    get schema() {
      return callers.base;
    },
    addressOf,
    pages,
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
}

/** Fetches the operator's description, from the upstream or the cache folder, and begins to refresh it. */
async function loadCallers(options: FacadeOptions, { transport, snippetsClient }: Connections) {
  const {
    upstream,
    version = null,
    descriptionCredential = null,
    snippets = null,
    cacheDir = null,
  } = options;
  const { overrides, log } = options;
  const { verifier = new CredentialVerifier(), signIns = new SignInLimit() } = options.shared ?? {};
  const basePath = upstream.pathname.endsWith('/') ? upstream.pathname : `${upstream.pathname}/`;
  const described = createDescriptionSource(transport, basePath, version);
  const cache =
    cacheDir === null
      ? null
      : cacheDescription(described, cacheDir, `${upstream.href} ${version}`, descriptionCredential);
  const source = cache ?? described;
  await source.checkVersion();
  const extensions =
    snippetsClient === null ? [] : [createSnippetsExtension(snippetsClient, snippets?.apiKey ?? null)];
  const registry = new SchemaRegistry(overrides, extensions, ({ code, path, reason }) =>
    log.warn(`${code}: ${reason} (${path})`),
  );
  const callers = await Callers.create(
    { source, registry, verifier, operator: descriptionCredential },
    options.callers,
  );
  const store = async (): Promise<void> => {
    await cache
      ?.keep()
      .catch((error: unknown) => log.error('the description could not be stored in the cache folder', error));
  };
  if (cache !== null && cache.keptAt !== null)
    log.warn(`the management API is down; its description of ${cache.keptAt} is served until it is back`);
  await store();
  const refresh = new Refresh(callers, log, store, options.refresh);
  if (cache?.keptAt) refresh.soon();
  return { registry, callers, refresh, signIns };
}
