// Makes the responses that the server gives without a facade.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { LRUCache } from 'lru-cache';

/** Headers of responses that no page may interpret or show in a frame, and no cache may keep. */
const HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/** A host name or address with an optional port (RFC 9110, section 7.2). */
const HOST = /^([\w.-]+|\[[\da-f:.]+\])(:\d{1,5})?$/i;

/** Whether the hosts that requests name form an address. Kept, because most requests name the same one. */
const validHosts = new LRUCache<string, boolean>({
  max: 100,
  memoMethod: (host) => URL.canParse(`http://${host}`),
});

/** The name of the `Host` header. */
const IS_HOST = /^host$/i;

/** Why a request cannot be served, or null. Yoga would answer a malformed address with a stack trace. */
export function findRequestProblem({ url = '', headers, rawHeaders }: IncomingMessage): string | null {
  if (!url.startsWith('/')) return 'The target of a request must begin with a slash.';
  const { host = 'localhost' } = headers;
  // `headers` has only the first of two `Host` headers.
  if (
    !HOST.test(host) ||
    rawHeaders.filter((text, index) => index % 2 === 0 && IS_HOST.test(text)).length > 1
  )
    return 'The Host header must be one host with an optional port.';
  return validHosts.memo(host) ? null : 'The address is malformed.';
}

/** Answers JSON. */
export function answerJson(response: ServerResponse, status: number, content: object): void {
  response.writeHead(status, { ...HEADERS, 'content-type': 'application/json' }).end(JSON.stringify(content));
}

/** Answers a request that arrives during the shutdown. */
export function answerClosing(request: IncomingMessage, response: ServerResponse): void {
  const message = 'The server is shutting down; try again in a moment.';
  answerError(request, response, { status: 503, code: 'SHUTTING_DOWN', message, retryAfter: 1 });
}

/** Answers one error, in the media type for GraphQL that the client accepts. */
export function answerError(
  request: IncomingMessage,
  response: ServerResponse,
  { status, code, message, retryAfter }: ServerError,
): void {
  const type = ['application/graphql-response+json', 'application/json'].find((type) =>
    request.headers.accept?.includes(type),
  );
  const retry = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  const extensions = { code, retryable: retryAfter !== undefined };
  response
    .writeHead(status, { ...HEADERS, ...retry, 'content-type': type ?? 'application/json' })
    .end(JSON.stringify({ errors: [{ message, extensions }] }));
}

/** An error of a request as a whole. */
interface ServerError {
  readonly status: number;
  /** See `docs/contract.md`, Errors. */
  readonly code: string;
  readonly message: string;
  /** Seconds until the same request may succeed. */
  readonly retryAfter?: number;
}

/** Refuses the upgrade of a connection, and closes it. */
export function refuseUpgrade(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\n\r\n`, () => socket.destroy());
}
