// Opens what executes operations: a management API, or a GraphQL server, without loading what only the API needs.
import type { ExecutionResult, GraphQLSchema } from 'graphql';
import { DescriptionError } from '../../../src/upstream/errors.ts';
import type { CallerConfig } from './caller-settings.ts';
import type { ConnectOptions } from './session/connect.ts';
import type { GraphqlServer } from './session/graphql-server.ts';

/** An operation to execute. */
export interface Request {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly operationName?: string;
  readonly extensions?: Readonly<Record<string, unknown>>;
}

/** What executes the operations of one caller. */
export interface OperationApi extends AsyncDisposable {
  /** Reads the caller's schema; null where a server does not show it. */
  readSchema(): Promise<GraphQLSchema | null>;
  /** What an anonymous caller can do to be somebody; null for a caller with a credential. */
  readonly signInAdvice: string | null;
  /** Whether it may remember the idempotency keys of mutations when this process has ended. */
  readonly remembersKeys: boolean;
  /** Executes a query or a mutation. */
  ask(request: Request, headers?: Readonly<Record<string, string>>): Promise<ExecutionResult>;
  /** Executes a subscription or a live query. It ends with the iterator. The error with which a stream ends is its last result. */
  subscribe(request: Request): Promise<AsyncIterableIterator<ExecutionResult>>;
}

/**
 * Opens what executes operations at the address of the settings: the API as `openApi` does, or a GraphQL server such as Optiongraph, with
 * its overrides and its own fields.
 */
export async function openOperations(config: CallerConfig, options: ConnectOptions): Promise<OperationApi> {
  // The usual path of GraphQL. A HaveAPI server does not answer there, and asking it first would take a second.
  const isLikely = config.upstream.url?.pathname.endsWith('/graphql') === true;
  const likely = isLikely ? await findServer(config) : null;
  if (likely !== null) return openServer(likely, config);
  try {
    return await (await import('./open-api.ts')).open(config, options);
  } catch (error) {
    const server = error instanceof DescriptionError && !isLikely ? await findServer(config) : null;
    if (server === null) throw error;
    return openServer(server, config);
  }
}

/** Closes the connections to the server when it cannot be used. */
async function openServer(server: GraphqlServer, config: CallerConfig): Promise<OperationApi> {
  try {
    return await server.open(config);
  } catch (error) {
    await server[Symbol.asyncDispose]();
    throw error;
  }
}

const findServer = async (config: CallerConfig): Promise<GraphqlServer | null> =>
  (await import('./session/graphql-server.ts')).GraphqlServer.find(config);
