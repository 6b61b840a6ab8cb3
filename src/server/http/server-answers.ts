// Makes the responses that the server gives without an operation.
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Page } from '../plugin.ts';
import type { ServedHosts } from './served-hosts.ts';

/** Headers of responses that no page may interpret or show in a frame, and no cache may keep. */
const HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/** Why a request cannot be served, or null. Yoga would answer a malformed address with a stack trace. */
export function findRequestProblem(request: IncomingMessage, hosts: ServedHosts): ServerError | null {
  const { url = '', rawHeaders } = request;
  if (!url.startsWith('/')) return malformed('The target of a request must begin with a slash.');
  // `headers` has only the first of two `Host` headers.
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (rawHeaders[index]?.length === 4 && rawHeaders[index]?.toLowerCase() === 'host') count += 1;
  if (count > 1 || hosts.find(request) === 'malformed')
    return malformed('The Host header must be one host with an optional port.');
  return null;
}

const malformed = (message: string): ServerError => ({ status: 400, code: 'BAD_USER_INPUT', message });

/** Answers JSON. */
export function answerJson(response: ServerResponse, status: number, content: object): void {
  response.writeHead(status, { ...HEADERS, 'content-type': 'application/json' }).end(JSON.stringify(content));
}

/** Answers one error, in the media type for GraphQL that the client accepts. */
export function answerError(request: IncomingMessage, response: ServerResponse, error: ServerError): void {
  response
    .writeHead(error.status, { ...headersOf(error), 'content-type': typeFor(request.headers.accept) })
    .end(bodyOf(error));
}

/** Makes the response with one error to a Fetch request. */
export const toResponse = ({ headers }: Request, error: ServerError): Response =>
  new Response(bodyOf(error), {
    status: error.status,
    headers: { ...headersOf(error), 'content-type': typeFor(headers.get('accept')) },
  });

const typeFor = (accept: string | null | undefined): string =>
  ['application/graphql-response+json', 'application/json'].find((type) => accept?.includes(type)) ??
  'application/json';

/** An error of a request as a whole. */
export interface ServerError {
  readonly status: number;
  /** See `docs/contract.md`, Errors. */
  readonly code: string;
  readonly message: string;
  /** Seconds until the same request may succeed. */
  readonly retryAfter?: number;
}

/** The error of a request that arrives during the shutdown. */
export const CLOSING: ServerError = {
  status: 503,
  code: 'SHUTTING_DOWN',
  message: 'The server is shutting down; try again in a moment.',
  retryAfter: 1,
};

/** The error of a request that arrives before there is a schema. */
export const STARTING: ServerError = {
  status: 503,
  code: 'UPSTREAM_UNAVAILABLE',
  message: 'The management API has not sent its description yet; try again in a moment.',
  retryAfter: 5,
};

/** The error of a WebSocket at a path where none is served. */
export const NO_ENDPOINT: ServerError = {
  status: 404,
  code: 'NOT_FOUND',
  message: 'WebSockets are served at the path of GraphQL only.',
};

/** The error of a WebSocket that a page of another origin opens. */
export const FOREIGN_PAGE: ServerError = {
  status: 403,
  code: 'FORBIDDEN',
  message: 'Pages of this origin may not open WebSockets; the operator can list the origin in --origins.',
};

/** The error of a request that names a host that is not served. */
export const foreignHostError = ({ headers }: IncomingMessage): ServerError => ({
  status: 421,
  code: 'FORBIDDEN',
  message: `This server does not serve the host ${JSON.stringify(headers.host)}; its operator can list it in allowedHosts.`,
});

/** Refuses the upgrade of a connection with an error, and closes it. */
export function refuseUpgrade(socket: Duplex, error: ServerError): void {
  const body = bodyOf(error);
  const headers = {
    ...headersOf(error),
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const status = `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\n`;
  socket.end(`${status}${lines.join('')}\r\n${body}`, () => socket.destroy());
}

const headersOf = ({ retryAfter }: ServerError): Readonly<Record<string, string>> =>
  retryAfter === undefined ? HEADERS : { ...HEADERS, 'retry-after': String(retryAfter) };

const bodyOf = ({ message, code, retryAfter }: ServerError): string =>
  JSON.stringify({ errors: [{ message, extensions: { code, retryable: retryAfter !== undefined } }] });

/**
 * Answers requests for which there is nothing else: at the root with the way to GraphQL, at other paths with 404 and the same way.
 * @param basePath Path of the root.
 */
export function createSignpost(endpoint: string, basePath: string): Page {
  const way = `GraphQL is at ${endpoint}: send operations there by POST as JSON, {"query": "{ … }"}.\n`;
  return async ({ request, url: { pathname } }) => {
    if (pathname === endpoint) return null;
    const isRoot = pathname === `${basePath}/` && ['GET', 'HEAD'].includes(request.method);
    const text = isRoot ? way : `This path serves nothing. ${way}`;
    return new Response(request.method === 'HEAD' ? null : text, {
      status: isRoot ? 200 : 404,
      headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
    });
  };
}
