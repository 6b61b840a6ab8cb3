import { renderGraphiQL } from '@graphql-yoga/render-graphiql';
import type { GraphQLError } from 'graphql';
import { createYoga, type YogaServerInstance } from 'graphql-yoga';
import { type AssembledSchema, assembleSchema } from '../schema/assemble.ts';
import { exampleQuery } from '../schema/example.ts';
import type { Overrides } from '../schema/overrides.ts';
import { stateActionsOf, type WatchOptions } from '../upstream/action-calls.ts';
import { ActionStates } from '../upstream/action-state.ts';
import type { Credential } from '../upstream/authentication.ts';
import { createActionClient } from '../upstream/client.ts';
import { fetchDescription } from '../upstream/connect.ts';
import { parseDescription } from '../upstream/parse-description.ts';
import { createTransport, type TransportOptions } from '../upstream/transport.ts';
import { createContext, type ServerContext } from './context.ts';
import type { Log } from './log.ts';
import { createMaskError } from './mask-error.ts';
import { useOperationCost } from './plugins/use-operation-cost.ts';
import { useRequestId } from './plugins/use-request-id.ts';

/** What a facade is made of. */
export interface FacadeOptions {
  /** Address of the management API, with the path it is mounted at. */
  readonly upstream: URL;
  /** Version of the API; default: the upstream's. */
  readonly version?: string | null;
  /** Used to fetch the description, never for a caller's data; default: anonymous. */
  readonly descriptionCredential?: Credential | null;
  readonly overrides?: Overrides;
  /** Headers that GraphiQL's header editor comes filled with. */
  readonly explorerHeaders?: Readonly<Record<string, string>>;
  readonly transport?: TransportOptions;
  /** How running actions are watched. */
  readonly watch?: Partial<WatchOptions>;
  readonly log: Log;
}

/** A GraphQL API over one management API. */
export interface Facade extends AsyncDisposable {
  /** Answers HTTP, in node's server or called directly. */
  readonly yoga: YogaServerInstance<ServerContext, object>;
  readonly schema: AssembledSchema;
  /** The error that a client sees for one that was thrown. */
  toClientError(error: unknown): GraphQLError;
  /** Running actions that are being watched. */
  readonly states: ActionStates;
  /** Closes the connections to the upstream. */
  close(): Promise<void>;
}

/** Largest request body, in bytes. */
const MAX_BODY = 1_000_000;

/**
 * Fetches the description, assembles its schema and makes the server of it.
 * @throws UpstreamUnreachableError, DescriptionError, VersionUnknownError
 */
export async function createFacade(options: FacadeOptions): Promise<Facade> {
  const {
    upstream,
    version = null,
    descriptionCredential: credential = null,
    explorerHeaders,
    log,
  } = options;
  const transport = createTransport(upstream.origin, options.transport);
  try {
    const base = upstream.pathname.endsWith('/') ? upstream.pathname : `${upstream.pathname}/`;
    const description = parseDescription(await fetchDescription(transport, base, { version, credential }));
    const schema = assembleSchema(description, options.overrides);
    const client = createActionClient(transport, description.metaNamespace);
    const states = new ActionStates(client, stateActionsOf(description.resources), options.watch);
    const shared = { client, states, methods: description.authentication };
    const toClientError = createMaskError(log);
    const yoga = createYoga<ServerContext, object>({
      schema: schema.schema,
      context: (initial) => createContext(initial, shared),
      maskedErrors: { maskError: toClientError },
      plugins: [useOperationCost(), useRequestId()],
      // Every failure is logged once, by maskError, without the query that yoga's own line would hold.
      logging: false,
      // Credentials travel in headers that a page must set itself, never in cookies.
      cors: { origin: '*', credentials: false },
      multipart: false,
      landingPage: false,
      maxRequestBodySize: MAX_BODY,
      graphiql: {
        title: 'Optiongraph',
        defaultQuery: exampleQuery(schema.schema) ?? '',
        ...(explorerHeaders === undefined
          ? {}
          : { headers: JSON.stringify(explorerHeaders, null, 2), defaultEditorToolsVisibility: 'headers' }),
      },
      renderGraphiQL,
    });
    const close = (): Promise<void> => {
      states.close();
      return transport.close();
    };
    return { yoga, schema, toClientError, states, close, [Symbol.asyncDispose]: close };
  } catch (error) {
    await transport.close();
    throw error;
  }
}
