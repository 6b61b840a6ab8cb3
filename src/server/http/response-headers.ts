// Sets the headers that all responses of the GraphQL endpoint and its pages have, and compresses results.
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { constants, createBrotliCompress, createGzip } from 'node:zlib';
import { isFromOwnPage } from '../../callers/requester.ts';
import type { HttpOperation, HttpRequester } from './http-operation.ts';
import type { HttpOptions } from './yoga-bridge.ts';

/** What sets the headers of a response, of fetch or of node. */
export interface WritableHeaders {
  get(name: string): string | null;
  has(name: string): boolean;
  set(name: string, value: string): void;
  append(name: string, value: string): void;
}

/** What pages of listed origins may read besides the body, and for how many seconds browsers remember that they may. */
const EXPOSED = 'RateLimit, RateLimit-Policy, Retry-After, X-Request-Id';
const MAX_AGE = '600';

/** Sets the headers of a response to an operation, or to a request that is none. */
export function setResponseHeaders(
  headers: WritableHeaders,
  { requester, allowance }: Pick<HttpOperation, 'requester' | 'allowance'>,
  readers: Pick<HttpOptions, 'pages' | 'observer'>,
): void {
  setCorsHeaders(headers, requester, readers);
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
  for (const [name, value] of Object.entries(rateLimitHeaders(allowance))) headers.set(name, value);
  headers.set('x-request-id', requester.requestId);
}

/** Returns the headers about a client's budget (draft-ietf-httpapi-ratelimit-headers): none where it is unknown. */
export function rateLimitHeaders(allowance: HttpOperation['allowance']): Readonly<Record<string, string>> {
  if (!allowance) return {};
  const { limit, remaining, reset } = allowance;
  return { 'ratelimit-policy': `"cost";q=${limit};w=60`, ratelimit: `"cost";r=${remaining};t=${reset}` };
}

/** Lets pages of listed origins read the response. The facade's own page needs no header, and other pages may read nothing. */
function setCorsHeaders(
  headers: WritableHeaders,
  { header, address }: HttpRequester,
  { pages, observer }: Pick<HttpOptions, 'pages' | 'observer'>,
): void {
  const origin = header('origin');
  if (origin === null) return;
  if (!pages.origins.includes(origin)) {
    // Browsers state that a page is the server's own, even if a proxy has replaced `Host`.
    if (header('sec-fetch-site') !== 'same-origin' && !isFromOwnPage(header, pages))
      observer.refusal?.({ reason: 'ORIGIN', value: origin, address: address ?? null });
    return;
  }
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

/** An encoding that this server sends. */
export type Encoding = 'br' | 'gzip' | 'identity';

/** Bytes up to which compression saves no packet. Results always state their length. */
const THRESHOLD = 1_000;
/** The types of complete results and of the schema. Streams have others, and must reach the client event by event. */
const COMPRESSIBLE = /^application\/(([\w-]+\+)?json|graphql)\b/;

/** Compression outside of the event loop. The fastest levels make results of many rows a seventh of their size; others take twice the time. */
const COMPRESS = {
  br: () => createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
  gzip: () => createGzip({ level: 1 }),
};

/**
 * Decides by its headers whether a result is compressed, and says so in them: those of more than 1,000 bytes, as the client accepts. Null
 * when it is not. The whole result is compressed before it is sent, so that it states its length.
 */
export function chooseCompression(
  headers: WritableHeaders,
  acceptEncoding: string | null,
): ((body: Iterable<Uint8Array> | AsyncIterable<Uint8Array>) => Promise<Buffer<ArrayBuffer>>) | null {
  if (!COMPRESSIBLE.test(headers.get('content-type') ?? '') || headers.has('content-encoding')) return null;
  headers.append('vary', 'Accept-Encoding');
  const length = headers.get('content-length');
  if (length !== null && Number(length) <= THRESHOLD) return null;
  const encoding = chooseEncoding(acceptEncoding);
  if (encoding === 'identity') return null;
  headers.set('content-encoding', encoding);
  return async (body) => {
    const compressed = await buffer(Readable.from(body).pipe(COMPRESS[encoding]()));
    headers.set('content-length', String(compressed.length));
    return compressed;
  };
}

/** The smallest encoding that a header `Accept-Encoding` names with a quality above zero. */
export function chooseEncoding(acceptEncoding: string | null): Encoding {
  if (acceptEncoding === null) return 'identity';
  const accepted = acceptEncoding.split(',').flatMap((one) => {
    const [name = '', quality = 'q=1'] = one.split(';').map((part) => part.trim().toLowerCase());
    return Number(quality.replace(/^q=/, '')) > 0 ? [name] : [];
  });
  return (['br', 'gzip'] as const).find((encoding) => accepted.includes(encoding)) ?? 'identity';
}
