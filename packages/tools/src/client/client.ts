// Executes operations of one caller over HTTP: at a GraphQL server, or at a facade in this process.
import { buildClientSchema, type ExecutionResult, type GraphQLSchema, getIntrospectionQuery } from 'graphql';
import { createClient as createSseClient } from 'graphql-sse';
import { CommandError, EXIT_CODES } from '../command-line/exit-codes.ts';
import { isObject } from '../output/values.ts';

/** An operation to execute. */
export interface OperationRequest {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly operationName?: string;
  readonly extensions?: Readonly<Record<string, unknown>>;
}

type Headers = Readonly<Record<string, string>>;
/** Sends a request to the endpoint. Rejects where nothing answers. */
export type Send = (init: RequestInit) => Promise<Response>;

/** How a client executes operations. */
export interface ClientParts {
  readonly endpoint: URL;
  readonly send: Send;
  /** Credential and language of the caller. */
  readonly headers: Headers;
  /** See `Client`. */
  readonly signInAdvice: string | null;
  /** See `Client`. */
  readonly isServer: boolean;
  readonly close: () => Promise<void>;
}

/** The operations of one caller. */
export class Client implements AsyncDisposable {
  readonly endpoint: URL;
  /** What an anonymous caller can do to be somebody; null for a caller with a credential. */
  readonly signInAdvice: string | null;
  /** Whether a server executes the operations, which outlives this process. */
  readonly isServer: boolean;
  readonly #send: Send;
  readonly #headers: Headers;
  readonly #close: () => Promise<void>;
  #schema: Promise<GraphQLSchema | null> | null = null;

  constructor({ endpoint, send, headers, signInAdvice, isServer, close }: ClientParts) {
    this.endpoint = endpoint;
    this.signInAdvice = signInAdvice;
    this.isServer = isServer;
    this.#send = send;
    this.#headers = headers;
    this.#close = close;
  }

  /**
   * Executes a query or a mutation.
   * @throws CommandError when nothing answers with a result, or a server refuses the credential.
   */
  async ask(request: OperationRequest, headers: Headers = {}): Promise<ExecutionResult> {
    const result = await post(this.endpoint, this.#send, request, { ...this.#headers, ...headers });
    const isUnknown = result.errors?.some(({ extensions }) => extensions?.['code'] === 'UNAUTHENTICATED');
    if (isUnknown !== true || !this.isServer || this.signInAdvice !== null) return result;
    throw new CommandError(
      EXIT_CODES.credentials,
      `${this.endpoint.href} does not know the credential. Check OPTIONGRAPH_AUTHORIZATION or OPTIONGRAPH_TOKEN.`,
    );
  }

  /** Executes a subscription or a live query over server-sent events. It ends with the iterator. */
  subscribe(request: OperationRequest): AsyncIterableIterator<ExecutionResult> {
    const client = createSseClient({
      url: this.endpoint.href,
      headers: { ...this.#headers },
      fetchFn: (_url: string, init: RequestInit) => this.#send(init),
    });
    return client.iterate({ ...request, variables: { ...request.variables } });
  }

  /** Reads the caller's schema by introspection; null where a server does not show it. */
  readSchema(): Promise<GraphQLSchema | null> {
    this.#schema ??= this.ask({ query: getIntrospectionQuery() }).then(({ data }) =>
      isObject(data?.['__schema']) ? buildClientSchema(data as never) : null,
    );
    return this.#schema;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close();
  }
}

/** Sends an operation. @throws CommandError when nothing answers with a result. */
export async function post(
  endpoint: URL,
  send: Send,
  request: OperationRequest,
  headers: Headers,
  signal: AbortSignal | null = null,
): Promise<ExecutionResult> {
  const response = await send({
    method: 'POST',
    headers: {
      accept: 'application/graphql-response+json, application/json',
      'content-type': 'application/json',
      ...headers,
    },
    body: JSON.stringify(request),
    signal,
  });
  const result: unknown = await response.json().catch(() => null);
  if (isObject(result) && ('data' in result || 'errors' in result)) return result;
  throw new CommandError(
    EXIT_CODES.unreachable,
    `The GraphQL server at ${endpoint.href} answers with status ${response.status}, and without a result.`,
  );
}
