// Compresses responses.
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Plugin } from 'graphql-yoga';
import { chooseEncoding } from './accepted-encoding.ts';
import type { WritableHeaders } from './plain-headers.ts';

/** Bytes up to which compression saves no packet. Results always state their length. */
const THRESHOLD = 1_000;
/** The types of complete results. Streams have others, and must reach the client event by event. */
const COMPRESSIBLE = /^application\/([\w-]+\+)?json\b/;

/** Compression outside of the event loop. The fastest levels make results of many rows a seventh of their size; others take twice the time. */
const COMPRESS = {
  br: (text: string) => brotli(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
  gzip: (text: string) => gzipped(text, { level: 1 }),
};
const brotli = promisify(brotliCompress);
const gzipped = promisify(gzip);

/** Compresses a text. */
type Compress = (typeof COMPRESS)[keyof typeof COMPRESS];

/**
 * Compresses results of more than 1,000 bytes, as the client accepts. The whole result is compressed before it is sent, so that
 * what waits for a slow client is counted by `ConnectionLimits`.
 */
export function useCompression(): Plugin {
  return {
    async onResponse({ request, response, setResponse, fetchAPI }) {
      const { headers, status, statusText } = response;
      const compress = chooseCompression(headers, request.headers.get('accept-encoding'));
      if (compress === null) return;
      const body = await compress(await response.text());
      headers.set('content-length', String(body.length));
      setResponse(new fetchAPI.Response(body, { status, statusText, headers }));
    },
  };
}

/** Decides by its headers whether a result is compressed, and says so in them. Null when it is not. */
export function chooseCompression(headers: WritableHeaders, acceptEncoding: string | null): Compress | null {
  if (!COMPRESSIBLE.test(headers.get('content-type') ?? '') || headers.has('content-encoding')) return null;
  headers.append('vary', 'Accept-Encoding');
  const length = headers.get('content-length');
  if (length !== null && Number(length) <= THRESHOLD) return null;
  const encoding = chooseEncoding(acceptEncoding);
  if (encoding === 'identity') return null;
  headers.set('content-encoding', encoding);
  return COMPRESS[encoding];
}
