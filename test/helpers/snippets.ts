import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  listenSnippets,
  type RecordedSnippetRequest,
  type Snippets,
  type SnippetsOptions,
} from '../../src/sandbox/snippets/listen-snippets.ts';
import { createFacade, type Facade, type FacadeOptions } from '../../src/server/facade.ts';
import { type Answer, ask, collectLog } from './facade.ts';
import { LIBRARY, SOUND } from './library.ts';
import { type Answer as Send, type StubUpstream, startStub } from './stub-upstream.ts';

/** A facade over a library that has a snippet service beside it. */
export interface SnippetsFacade extends AsyncDisposable {
  readonly facade: Facade;
  /** The management API. */
  readonly upstream: StubUpstream;
  /** Lines that were logged. */
  readonly log: readonly string[];
  /** Asks as a reader of the library. */
  ask<Data = Record<string, unknown>>(
    query: string,
    options?: { variables?: Record<string, unknown>; headers?: Record<string, string> },
  ): Promise<Answer<Data>>;
}

/** Starts a library, and a facade over it and a snippet service. */
export async function openSnippetsFacade(
  snippets: NonNullable<FacadeOptions['snippets']>,
  description = LIBRARY,
  overrides: NonNullable<FacadeOptions['overrides']> = {},
): Promise<SnippetsFacade> {
  const upstream = await startStub(description, SOUND);
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

/** The sandbox's snippet service with a facade, and what the service received. */
export interface SnippetsPair extends SnippetsFacade {
  readonly service: Snippets;
  readonly requests: RecordedSnippetRequest[];
  /** The API key of a user. */
  keyOf(login: 'admin' | 'user'): string;
}

/** Starts both. */
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
    keyOf: (login) => service.users.find((user) => user.login === login)?.apiKey ?? '',
    async [Symbol.asyncDispose]() {
      await pair[Symbol.asyncDispose]();
      await service.close();
    },
  };
}

/** A request as a stub of a snippet service got it. */
export interface StubSnippetsRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly form: URLSearchParams;
}

/** A snippet service that answers what a test tells it to. */
export interface SnippetsStub extends AsyncDisposable {
  readonly url: URL;
  readonly requests: StubSnippetsRequest[];
}

/** Starts one. It answers by path; a path without an answer is not found. */
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
