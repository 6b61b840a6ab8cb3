// Executes operations at a GraphQL server that is given in place of a management API, such as Optiongraph itself.

import { buildClientSchema, type ExecutionResult, type GraphQLSchema, getIntrospectionQuery } from 'graphql';
import { createClient } from 'graphql-sse';
import { type Dispatcher, fetch } from 'undici';
import { transportOf } from '../../../../src/config/upstream-settings.ts';
import { createDispatcher } from '../../../../src/upstream/http/dispatcher.ts';
import { isObject } from '../../../../src/upstream/json.ts';
import type { CallerConfig } from '../caller-settings.ts';
import { CommandError, EXIT_CODES } from '../command-line/exit-codes.ts';
import type { OperationApi, Request } from '../open-operations.ts';

/** Longest time for the answer to the question whether an address is that of GraphQL. Milliseconds. */
const PROBE_TIME = 10_000;

/** The explorer's page, whose configuration names the header of tokens. */
const PAGE_CONFIG = /<script type="application\/json" id="optiongraph-config">(.*?)<\/script>/s;

const JSON_TYPES = 'application/graphql-response+json, application/json';

/** A GraphQL server at an address. */
export class GraphqlServer implements AsyncDisposable {
  readonly endpoint: URL;
  readonly #dispatcher: Dispatcher;
  #headers: Readonly<Record<string, string>> = {};
  #isSignedIn = false;

  private constructor(endpoint: URL, dispatcher: Dispatcher) {
    this.endpoint = endpoint;
    this.#dispatcher = dispatcher;
  }

  /** Finds the server at the address of the settings, or at the path `graphql` below it; null where neither speaks GraphQL. */
  static async find({ upstream, upstream: { url }, proxy }: CallerConfig): Promise<GraphqlServer | null> {
    if (url === null) return null;
    const dispatcher = createDispatcher(url.origin, { ...transportOf(upstream), proxy });
    const below = new URL(`${url.pathname.replace(/\/$/, '')}/graphql`, url);
    for (const endpoint of [url, below]) {
      const server = new GraphqlServer(endpoint, dispatcher);
      if (await server.#speaksGraphql()) return server;
    }
    await dispatcher.close();
    return null;
  }

  /**
   * Signs in with the credential of the settings, and reads the caller's schema.
   * @throws CommandError when the credential cannot be sent, or is refused.
   */
  async open({ authorization, token, language }: CallerConfig): Promise<OperationApi> {
    this.#headers = {
      ...(language === null ? {} : { 'accept-language': language }),
      ...(authorization === null ? {} : { authorization: authorization.value }),
      ...(token === null ? {} : { [await this.#readTokenHeader()]: token }),
    };
    this.#isSignedIn = authorization !== null || token !== null;
    let schema: Promise<GraphQLSchema | null> | null = null;
    const readSchema = (): Promise<GraphQLSchema | null> => {
      schema ??= this.#readSchema();
      return schema;
    };
    return {
      readSchema,
      signInAdvice: !this.#isSignedIn
        ? 'You are anonymous; give a credential as OPTIONGRAPH_TOKEN or OPTIONGRAPH_AUTHORIZATION.'
        : null,
      remembersKeys: true,
      ask: async (request, headers) => this.#refuseUnknown(await this.#post(request, headers)),
      subscribe: async (request) => this.#subscribe(request),
      [Symbol.asyncDispose]: () => this[Symbol.asyncDispose](),
    };
  }

  async #speaksGraphql(): Promise<boolean> {
    try {
      const { data, errors } = await this.#post(
        { query: '{ __typename }' },
        {},
        AbortSignal.timeout(PROBE_TIME),
      );
      return typeof data?.['__typename'] === 'string' || Array.isArray(errors);
    } catch {
      return false;
    }
  }

  async #post(
    request: Request,
    headers: Readonly<Record<string, string>> = {},
    signal: AbortSignal | null = null,
  ): Promise<ExecutionResult> {
    const response = await this.#fetch({
      method: 'POST',
      headers: { accept: JSON_TYPES, 'content-type': 'application/json', ...this.#headers, ...headers },
      body: JSON.stringify(request),
      signal,
    });
    const result: unknown = await response.json().catch(() => null);
    if (isObject(result) && ('data' in result || 'errors' in result)) return result;
    throw this.#fail(`answers with status ${response.status}, and without a result`);
  }

  #subscribe(request: Request): AsyncIterableIterator<ExecutionResult> {
    const client = createClient({
      url: this.endpoint.href,
      headers: { ...this.#headers },
      fetchFn: (_url: string, init: RequestInit) => this.#fetch(init as Parameters<typeof fetch>[1]),
    });
    return client.iterate({ ...request, variables: { ...request.variables } });
  }

  async #fetch(init: Parameters<typeof fetch>[1]) {
    try {
      return await fetch(this.endpoint, { ...init, dispatcher: this.#dispatcher });
    } catch (error) {
      const cause = error instanceof Error && isObject(error.cause) ? error.cause['code'] : undefined;
      throw this.#fail(`cannot be reached${cause === undefined ? '' : ` (${cause})`}`);
    }
  }

  /** Returns a result. @throws CommandError when the server has refused the credential. */
  #refuseUnknown(result: ExecutionResult): ExecutionResult {
    const isUnknown = result.errors?.some(({ extensions }) => extensions?.['code'] === 'UNAUTHENTICATED');
    if (isUnknown !== true || !this.#isSignedIn) return result;
    throw new CommandError(
      EXIT_CODES.credentials,
      `${this.endpoint.href} does not know the credential. Check OPTIONGRAPH_AUTHORIZATION or OPTIONGRAPH_TOKEN.`,
    );
  }

  /** The schema, by which errors are explained and lists are paged; null where the server does not show it. */
  async #readSchema(): Promise<GraphQLSchema | null> {
    const { data } = this.#refuseUnknown(await this.#post({ query: getIntrospectionQuery() }));
    return isObject(data?.['__schema']) ? buildClientSchema(data as never) : null;
  }

  async #readTokenHeader(): Promise<string> {
    const response = await this.#fetch({ headers: { accept: 'text/html' } });
    const [, json = 'null'] = PAGE_CONFIG.exec(await response.text()) ?? [];
    const config: unknown = JSON.parse(json);
    if (isObject(config) && typeof config['tokenHeader'] === 'string') return config['tokenHeader'];
    throw new CommandError(
      EXIT_CODES.credentials,
      `${this.endpoint.href} does not say which header carries tokens. Give the credential as OPTIONGRAPH_AUTHORIZATION.`,
    );
  }

  #fail(what: string): CommandError {
    return new CommandError(EXIT_CODES.unreachable, `The GraphQL server at ${this.endpoint.href} ${what}.`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#dispatcher.close();
  }
}
