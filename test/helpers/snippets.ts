// Opens facades with a snippet service: that of the sandbox or a stub.
import type { IncomingHttpHeaders } from 'node:http';
import {
  listenSnippets,
  type RecordedSnippetRequest,
  type Snippets,
  type SnippetsOptions,
} from '../../packages/sandbox/src/snippets/listen-snippets.ts';
import type { FacadeOptions } from '../../src/facade/facade-options.ts';
import { type DescribedApi, openApi } from './described.ts';
import { DEFAULT_HANDLERS, LIBRARY } from './library.ts';
import { listen, readText } from './plain-server.ts';
import type { Answer as Send } from './stub-upstream.ts';

/** Starts the library API and a facade for it and the given snippet service. */
export const openSnippetsFacade = (
  snippets: NonNullable<FacadeOptions['snippets']>,
  description = LIBRARY,
  overrides: NonNullable<FacadeOptions['overrides']> = {},
): Promise<DescribedApi> => openApi(description, DEFAULT_HANDLERS, { snippets, overrides });

/** The sandbox's snippet service, a facade for it, and the requests that the service received. */
export interface SnippetsPair extends DescribedApi {
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
  const server = await listen(async (request, response) => {
    const { pathname: path, searchParams: query } = new URL(request.url ?? '/', 'http://stub');
    const form = new URLSearchParams(await readText(request));
    requests.push({ method: request.method ?? '', path, query, headers: request.headers, form });
    const answer = answers[path];
    if (answer === undefined)
      response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Not Found</h1>');
    else answer(response);
  });
  return {
    url: new URL(server.url),
    requests,
    [Symbol.asyncDispose]: server.close,
  };
}
