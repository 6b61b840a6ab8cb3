// Sets the headers that all responses of the GraphQL endpoint and its pages have.
import type { OwnPages } from '../../callers/browsers/own-pages.ts';
import type { HttpOperation, HttpRequester } from './requester.ts';

/** What sets the headers of a response, of fetch or of node. */
export interface WritableHeaders {
  get(name: string): string | null;
  has(name: string): boolean;
  set(name: string, value: string): void;
  append(name: string, value: string): void;
}

/** What pages of listed origins may read besides the body, and for how many seconds browsers remember that they may. */
const EXPOSED = 'Retry-After, X-Request-Id';
const MAX_AGE = '600';

/** Sets the headers of a response to an operation, or to a request that is none. */
export function setResponseHeaders(
  headers: WritableHeaders,
  { requester, allowance }: Pick<HttpOperation, 'requester' | 'allowance'>,
  pages: OwnPages,
): void {
  setCorsHeaders(headers, requester, pages);
  headers.set('x-content-type-options', 'nosniff');
  headers.set('x-frame-options', 'DENY');
  headers.set('referrer-policy', 'same-origin');
  // Only pages of listed origins may read the response.
  headers.append('vary', 'Origin');
  // A response without an `ETag` may belong to one caller.
  if (!headers.has('etag')) headers.set('cache-control', 'no-store');
  if (!headers.has('content-security-policy'))
    headers.set('content-security-policy', "default-src 'none'; frame-ancestors 'none'");
  const { cookie } = requester;
  cookie.isOpen = false;
  if (cookie.setCookie !== null) headers.append('set-cookie', cookie.setCookie);
  if (allowance) {
    // draft-ietf-httpapi-ratelimit-headers
    headers.set('ratelimit-policy', `"cost";q=${allowance.limit};w=60`);
    headers.set('ratelimit', `"cost";r=${allowance.remaining};t=60`);
  }
  headers.set('x-request-id', requester.requestId);
}

/** Lets pages of listed origins read the response. The facade's own page needs no header, and other pages may read nothing. */
function setCorsHeaders(headers: WritableHeaders, { header }: HttpRequester, { origins }: OwnPages): void {
  const origin = header('origin');
  if (origin === null || !origins.includes(origin)) return;
  headers.set('access-control-allow-origin', origin);
  // A preflight asks for these.
  const method = header('access-control-request-method');
  if (method !== null) headers.set('access-control-allow-methods', method);
  const names = header('access-control-request-headers');
  if (names !== null) {
    headers.set('access-control-allow-headers', names);
    headers.append('vary', 'Access-Control-Request-Headers');
  }
  headers.set('access-control-allow-credentials', 'true');
  headers.set('access-control-expose-headers', EXPOSED);
  headers.set('access-control-max-age', MAX_AGE);
}

/** Headers with names in lower case, of which a response has a dozen. Those of fetch check, copy and sort each header. */
export class PlainHeaders implements WritableHeaders {
  /** Names and values in turn, as node takes them without a copy. */
  readonly list: string[] = [];

  get(name: string): string | null {
    const index = this.#indexOf(name);
    return index === -1 ? null : (this.list[index + 1] ?? null);
  }

  has(name: string): boolean {
    return this.#indexOf(name) !== -1;
  }

  set(name: string, value: string): void {
    const index = this.#indexOf(name);
    if (index === -1) this.list.push(name, value);
    else this.list[index + 1] = value;
  }

  append(name: string, value: string): void {
    const index = this.#indexOf(name);
    if (index === -1) this.list.push(name, value);
    else this.list[index + 1] += `, ${value}`;
  }

  #indexOf(name: string): number {
    for (let index = 0; index < this.list.length; index += 2) if (this.list[index] === name) return index;
    return -1;
  }
}
