// Opens facades with a snippet service: that of the sandbox or a stub.

import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  listenSnippets,
  type RecordedSnippetRequest,
  type Snippets,
  type SnippetsOptions,
} from '../../packages/sandbox/src/snippets/listen-snippets.ts';
import { createFacade, type Facade } from '../../src/facade/facade.ts';
import type { FacadeOptions } from '../../src/facade/facade-options.ts';
import { ask, collectLog, type OperationResult } from './facade.ts';
import { DEFAULT_HANDLERS, LIBRARY } from './library.ts';
import { type Answer as Send, type StubUpstream, startStub } from './stub-upstream.ts';

/** A facade for the library API and a snippet service. */
export interface SnippetsFacade extends AsyncDisposable {
  readonly facade: Facade;
  /** The management API. */
  readonly upstream: StubUpstream;
  /** The log lines. */
  readonly log: readonly string[];
  /** Sends an operation with the credential of a library reader. */
  ask<Data = Record<string, unknown>>(
    query: string,
    options?: { variables?: Record<string, unknown>; headers?: Record<string, string> },
  ): Promise<OperationResult<Data>>;
}

/** Starts the library API and a facade for it and the given snippet service. */
export async function openSnippetsFacade(
  snippets: NonNullable<FacadeOptions['snippets']>,
  description = LIBRARY,
  overrides: NonNullable<FacadeOptions['overrides']> = {},
): Promise<SnippetsFacade> {
  const upstream = await startStub(description, DEFAULT_HANDLERS);
  const log = collectLog();
  const facade = await createFacade({ upstream: upstream.url, snippets, overrides, log });
  return {
    facade,
    upstream,
    log: log.lines,
    ask: (query, options) =>
      ask(facade, query, { ...options, headers: { 'x-library-token': 'reader', ...options?.headers } }),
    async [Symbol.asyncDispose]() {
      await facade.close();
      await upstream[Symbol.asyncDispose]();
    },
  };
}

/** The sandbox's snippet service, a facade for it, and the requests that the service received. */
export interface SnippetsPair extends SnippetsFacade {
  readonly service: Snippets;
  readonly requests: RecordedSnippetRequest[];
  /** The API key of a user. */
  apiKeyFor(login: 'admin' | 'user'): string;
}

/** Starts the sandbox's snippet service and a facade for it. */
export async function startSnippetsPair(
  options: SnippetsOptions & { readonly apiKey?: string } = {},
): Promise<SnippetsPair> {
  const { apiKey = null, ...rest } = options;
  const service = await listenSnippets(rest);
  const requests: RecordedSnippetRequest[] = [];
  service.onRequest((request) => requests.push(request));
  const pair = await openSnippetsFacade({ url: new URL(service.url), apiKey });
  return {
    ...pair,
    service,
    requests,
    apiKeyFor: (login) => service.users.find((user) => user.login === login)?.apiKey ?? '',
    async [Symbol.asyncDispose]() {
      await pair[Symbol.asyncDispose]();
      await service.close();
    },
  };
}

/** A request that a stub snippet service received. */
export interface StubSnippetsRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly form: URLSearchParams;
}

/** A snippet service with the responses of a test. */
export interface SnippetsStub extends AsyncDisposable {
  readonly url: URL;
  readonly requests: StubSnippetsRequest[];
}

/** Starts a stub snippet service with a response for each path. Other paths respond with 404. */
export async function startSnippetsStub(answers: Readonly<Record<string, Send>>): Promise<SnippetsStub> {
  const requests: StubSnippetsRequest[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const { pathname: path, searchParams: query } = new URL(request.url ?? '/', 'http://stub');
    const form = new URLSearchParams(Buffer.concat(chunks).toString('utf8'));
    requests.push({ method: request.method ?? '', path, query, headers: request.headers, form });
    const answer = answers[path];
    if (answer === undefined)
      response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Not Found</h1>');
    else answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: new URL(`http://127.0.0.1:${port}/`),
    requests,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
