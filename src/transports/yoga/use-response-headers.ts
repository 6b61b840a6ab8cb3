// Sets the headers that keep responses out of caches, frames and the guesses of browsers.
import type { Plugin } from 'graphql-yoga';
import type { WritableHeaders } from '../http/plain-headers.ts';

/** Sets security headers on all responses. A response without an `ETag` is not stored, because it may belong to one caller. */
export function useResponseHeaders(): Plugin {
  return { onResponse: ({ response: { headers } }) => setSecurityHeaders(headers) };
}

/** Sets the security headers of a response. */
export function setSecurityHeaders(headers: WritableHeaders): void {
  headers.set('x-content-type-options', 'nosniff');
  headers.set('x-frame-options', 'DENY');
  headers.set('referrer-policy', 'same-origin');
  // Only pages of listed origins may read the response.
  headers.append('vary', 'Origin');
  if (!headers.has('etag')) headers.set('cache-control', 'no-store');
  if (!headers.has('content-security-policy'))
    headers.set('content-security-policy', "default-src 'none'; frame-ancestors 'none'");
}
