// Starts a facade over a stub of an API that a test describes.
import {
  buildClientSchema,
  type GraphQLSchema,
  getIntrospectionQuery,
  type IntrospectionQuery,
} from 'graphql';
import { createFacade, type Facade } from '../../src/facade/facade.ts';
import type { FacadeOptions } from '../../src/facade/facade-options.ts';
import { type ListenOptions, type RunningServer, startServer } from '../../src/server/server.ts';
import { createCredential } from '../../src/upstream/http/caller.ts';
import { describeApi, type Raw } from './describe-api.ts';
import { ask, collectLog, type OperationResult, recordedOperations } from './facade.ts';
import type { Json } from './sandbox-requests.ts';
import { type Handler, ok, refuse, type StubUpstream, startStub } from './stub-upstream.ts';

/** A stub of an API, and a facade over it. */
export interface DescribedApi extends AsyncDisposable {
  readonly upstream: StubUpstream;
  readonly facade: Facade;
  /** The lines of the log. */
  readonly log: readonly string[];
  /** Sends an operation with a token, by default `one`; null for none. */
  ask<Data = Json>(
    query: string,
    options?: {
      readonly variables?: Record<string, unknown>;
      readonly token?: string | null;
      readonly headers?: Record<string, string>;
    },
  ): Promise<OperationResult<Data>>;
  /** Serves the facade over HTTP and WebSockets until the end of the test. */
  listen(options?: Partial<ListenOptions>): Promise<RunningServer>;
}

/** Longer than a test may take: a request that nobody aborts does not end by itself. Milliseconds. */
export const NO_TIMEOUT = 600_000;

/**
 * Starts a stub of the API that a description describes, and a facade over it. Its reads have no timeout unless the options name one.
 * @param onOptions See `StubUpstream`.
 */
export async function openApi(
  description: Raw,
  handlers: Readonly<Record<string, Handler>> = {},
  options: Partial<FacadeOptions> = {},
  onOptions?: StubUpstream['onOptions'],
): Promise<DescribedApi> {
  const upstream = await startStub(description, handlers);
  if (onOptions !== undefined) upstream.onOptions = onOptions;
  const log = collectLog();
  const facade = await createFacade({
    upstream: upstream.url,
    log,
    observer: recordedOperations(),
    ...options,
    transport: { timeout: NO_TIMEOUT, ...options.transport },
    limits: { queryTime: NO_TIMEOUT, ...options.limits },
  });
  const servers: RunningServer[] = [];
  return {
    upstream,
    facade,
    log: log.lines,
    ask: (query, { variables = {}, token = 'one', headers } = {}) =>
      ask(facade, query, {
        variables,
        headers: { ...(token === null ? {} : { 'x-library-token': token }), ...headers },
      }),
    async listen(more = {}) {
      const server = await startServer(facade, { host: '127.0.0.1', port: 0, ...more });
      servers.push(server);
      return server;
    },
    async [Symbol.asyncDispose]() {
      for (const server of servers) await server.close();
      await facade.close();
      await upstream[Symbol.asyncDispose]();
    },
  };
}

/** The same for an API with these resources. */
export const openDescribed = (
  resources: Raw,
  handlers?: Readonly<Record<string, Handler>>,
  options?: Partial<FacadeOptions>,
): Promise<DescribedApi> => openApi(describeApi(resources), handlers, options);

/** The resources that an API describes to each caller, by token. Those of `anonymous` go to all others. */
export interface Described {
  readonly anonymous: Raw;
  readonly [token: string]: Raw;
}

/** A facade over an API that describes itself differently to each caller. */
interface DescribedCallers extends AsyncDisposable {
  readonly upstream: StubUpstream;
  ask(token: string, query: string): Promise<OperationResult<Json>>;
  /** The schema that introspection gives a caller. */
  schemaOf(token: string): Promise<GraphQLSchema>;
  /** Describes other resources from now on, and fetches the operator's description again. */
  describe(described: Described): Promise<void>;
}

/**
 * Starts a stub of an API, and a facade over it.
 * @param all The resources of the API.
 * @param operator The token of the operator's credential. Null: none.
 */
export async function openDescribedCallers(
  all: Raw,
  initial: Described,
  operator: string | null,
  handlers: Readonly<Record<string, Handler>> = {},
): Promise<DescribedCallers> {
  let described = initial;
  const onOptions: StubUpstream['onOptions'] = ({ authorization, ...headers }, { search }) => {
    const token = headers['x-library-token'] ?? authorization?.replace('Bearer ', '');
    const own = token === undefined ? described.anonymous : described[String(token)];
    if (search.startsWith('?method=')) return own === undefined ? refuse('who?', null, 401) : ok({});
    return ok(describeApi(own ?? described.anonymous));
  };
  const descriptionCredential =
    operator === null ? null : createCredential('token', 'x-library-token', operator);
  const api = await openApi(describeApi(all), handlers, { descriptionCredential }, onOptions);
  const askAs = (token: string, query: string) =>
    api.ask(query, { token: token === 'anonymous' ? null : token });
  return {
    ...api,
    ask: askAs,
    schemaOf: async (token) => {
      const { data } = await askAs(
        token,
        getIntrospectionQuery({ inputValueDeprecation: true, specifiedByUrl: true }),
      );
      return buildClientSchema(data as unknown as IntrospectionQuery);
    },
    describe: async (next) => {
      described = next;
      await api.facade.refresh();
    },
  };
}
