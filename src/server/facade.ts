import { renderGraphiQL } from '@graphql-yoga/render-graphiql';
import type { GraphQLError } from 'graphql';
import { createYoga, type GraphiQLOptions, type YogaServerInstance } from 'graphql-yoga';
import type { AssembledSchema } from '../schema/assemble.ts';
import { exampleQuery } from '../schema/example.ts';
import type { Overrides } from '../schema/overrides.ts';
import { SchemaRegistry } from '../schema/registry.ts';
import { createSnippetsClient } from '../snippets/client.ts';
import { createSnippetsExtension } from '../snippets/extension.ts';
import type { WatchOptions } from '../upstream/action-calls.ts';
import { ActionStates } from '../upstream/action-state.ts';
import { type Credential, readCredential } from '../upstream/authentication.ts';
import { locateDescription } from '../upstream/description-source.ts';
import { createTransport, type TransportOptions } from '../upstream/transport.ts';
import { Callers, type CallersOptions } from './callers.ts';
import { createContext, type ServerContext } from './context.ts';
import type { Log } from './log.ts';
import { createMaskError } from './mask-error.ts';
import { useIntrospectionCache } from './plugins/use-introspection-cache.ts';
import { useOperationCost } from './plugins/use-operation-cost.ts';
import { useRequestId } from './plugins/use-request-id.ts';
import { useRightsHint } from './plugins/use-rights-hint.ts';
import { useSession } from './plugins/use-session.ts';
import { Refresh, type RefreshOptions } from './refresh.ts';
import { type Asker, openSession, type Session } from './session.ts';

/** A snippet service that has its fields in the same schema. */
export interface SnippetsOptions {
  /** Its address, with the path it is mounted at. */
  readonly url: URL;
  /** API key for callers who send none of their own; default: they are anonymous there. */
  readonly apiKey?: string | null;
  readonly transport?: TransportOptions;
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
  /** How running actions are watched. */
  readonly watch?: Partial<WatchOptions>;
  readonly log: Log;
}

/** A GraphQL API over one management API. */
export interface Facade extends AsyncDisposable {
  /** Answers HTTP, in node's server or called directly. */
  readonly yoga: YogaServerInstance<ServerContext, object>;
  /** The schema that the operator's credential sees. */
  readonly schema: AssembledSchema;
  /** Finds the caller of a request that came over another transport than HTTP. */
  openSession(asker: Asker): Promise<Session>;
  /** Fetches every description in use again. Never rejects. */
  refresh(): Promise<void>;
  /** The error that a client sees for one that was thrown. */
  toClientError(error: unknown): GraphQLError;
  /** Running actions that are being watched. */
  readonly states: ActionStates;
  /** Closes the connections to the upstream and the snippet service. */
  close(): Promise<void>;
}

/** Largest request body, in bytes. */
const MAX_BODY = 1_000_000;

/**
 * Fetches the description, assembles its schema and makes the server of it; each caller's own schema follows when they ask.
 * @throws UpstreamUnreachableError, DescriptionError, VersionUnknownError, UnknownCredentialsError
 */
export async function createFacade(options: FacadeOptions): Promise<Facade> {
  const { upstream, version = null, descriptionCredential = null, snippets = null, log } = options;
  const transport = createTransport(upstream.origin, options.transport);
  const snippetsClient = snippets === null ? null : createSnippetsClient(snippets.url, snippets.transport);
  const closeTransports = async (): Promise<void> => {
    await Promise.all([transport.close(), snippetsClient?.close()]);
  };
  try {
    const base = upstream.pathname.endsWith('/') ? upstream.pathname : `${upstream.pathname}/`;
    const extensions =
      snippetsClient === null ? [] : [createSnippetsExtension(snippetsClient, snippets?.apiKey ?? null)];
    const source = await locateDescription(transport, base, version);
    const registry = new SchemaRegistry(options.overrides, extensions);
    const callers = await Callers.create(source, registry, descriptionCredential, options.callers);
    const refresh = new Refresh(callers, log, options.refresh);
    const states = new ActionStates(options.watch);
    const sessions = {
      transport,
      callers,
      basicFromBrowsers: options.basicFromBrowsers ?? false,
      onContradiction: () => refresh.onContradiction(),
    };
    const toClientError = createMaskError(log);
    const yoga = createYoga<ServerContext, object>({
      graphqlEndpoint: options.endpoint ?? '/graphql',
      context: (initial) => createContext(initial, states),
      maskedErrors: { maskError: toClientError },
      plugins: [
        useSession(sessions, toClientError),
        useRightsHint(() => [callers.base, ...registry.schemas].map(({ schema }) => schema)),
        useIntrospectionCache(),
        useOperationCost(),
        useRequestId(),
      ],
      // Every failure is logged once, by maskError, without the query that yoga's own line would hold.
      logging: false,
      // Credentials travel in headers that a page must set itself, never in cookies.
      cors: { origin: '*', credentials: false },
      multipart: false,
      landingPage: false,
      maxRequestBodySize: MAX_BODY,
      graphiql: () => explorerOptions(callers, options.explorerHeaders),
      renderGraphiQL,
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
      openSession: (asker) => openSession(asker, sessions),
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

/** The explorer begins with a query that works with the headers it comes filled with. */
async function explorerOptions(
  callers: Callers,
  headers: FacadeOptions['explorerHeaders'],
): Promise<GraphiQLOptions> {
  const given = new Headers(headers);
  const credential = readCredential((name) => given.get(name), callers.base.description.authentication);
  const { schema } = await callers.schemaOf(credential);
  return {
    title: 'Optiongraph',
    defaultQuery: exampleQuery(schema) ?? '',
    ...(headers === undefined
      ? {}
      : { headers: JSON.stringify(headers, null, 2), defaultEditorToolsVisibility: 'headers' }),
  };
}
