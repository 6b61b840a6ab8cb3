// Reads who sent an HTTP request.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { ResponseCookie } from '../../callers/browsers/browser-sessions.ts';
import type { AddressOf } from '../../callers/client-address.ts';
import type { Requester } from '../../callers/session.ts';
import type { ServerContext } from '../../operation/context.ts';
import { type Abortable, toAbortSignal } from '../../upstream/abortable.ts';
import type { HeaderReader } from '../../upstream/http/caller.ts';

/** The requester of an HTTP request whose response can set a cookie. It is read once. */
export function requesterOf(request: Request, context: ServerContext, addressOf: AddressOf): HttpRequester {
  const { signal } = request;
  const cookie = { setCookie: null, isOpen: true };
  context.requester ??= new HttpRequester(readerOf(request, context), signal, context, addressOf, cookie);
  return context.requester;
}

/** Makes a reader of the headers of a request. */
export const readerOf = ({ headers }: Request, { req }: ServerContext): HeaderReader =>
  req === undefined ? (name) => headers.get(name) : createRequestReader(req);

/** Who sent an HTTP request. */
export class HttpRequester implements Requester {
  readonly header: HeaderReader;
  readonly address: string | undefined;
  readonly requestId: string;
  readonly leaving: Abortable;
  readonly cookie: ResponseCookie | undefined;

  /** @param cookie The cookie of the response; default: the response sets none. */
  constructor(
    header: HeaderReader,
    leaving: Abortable,
    context: ServerContext,
    addressOf: AddressOf,
    cookie?: ResponseCookie,
  ) {
    this.header = header;
    this.address = context.req && addressOf(context.req);
    this.requestId = requestIdOf({ headers: { get: header } }, context);
    this.leaving = leaving;
    this.cookie = cookie;
  }

  get signal(): AbortSignal {
    return toAbortSignal(this.leaving);
  }
}

/** Makes a reader of the headers of node's request. It joins repeated headers. */
export function createRequestReader(req: IncomingMessage): HeaderReader {
  const { headers, rawHeaders } = req;
  // Without repeated headers, `headers` has all of them at no cost. Of two `Authorization` headers, it has only the first.
  if (rawHeaders.length !== 2 * Object.keys(headers).length)
    return (name) => req.headersDistinct[name.toLowerCase()]?.join(', ') ?? null;
  return (name) => {
    const lowerCase = name.toLowerCase();
    return Object.hasOwn(headers, lowerCase) ? String(headers[lowerCase]) : null;
  };
}

/** The id of a request: the client's `X-Request-Id` when it is a plain word, else a random one. */
export function requestIdOf(
  { headers }: { readonly headers: { readonly get: HeaderReader } },
  context: ServerContext,
): string {
  if (context.requestId === undefined) {
    const given = headers.get('x-request-id') ?? '';
    context.requestId = /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID();
  }
  return context.requestId;
}
