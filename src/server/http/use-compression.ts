// Compresses responses.
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Plugin } from 'graphql-yoga';
import { chooseEncoding } from './accepted-encoding.ts';

/** Bytes up to which compression saves no packet. Results always state their length. */
const THRESHOLD = 1_000;
/** The types of complete results. Streams have others, and must reach the client event by event. */
const COMPRESSIBLE = /^application\/([\w-]+\+)?json\b/;

/** Compression outside of the event loop. The fastest levels make results of many rows a seventh of their size; others take twice the time. */
const COMPRESS = {
  br: (text: string) => brotli(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
  gzip: (text: string) => gzipped(text, { level: 1 }),
};
type ResponsePayload = Parameters<NonNullable<Plugin['onResponse']>>[0];

const brotli = promisify(brotliCompress);
const gzipped = promisify(gzip);

/**
 * Compresses results of more than 1,000 bytes, as the client accepts. The whole result is compressed before it is sent, so that
 * what waits for a slow client is counted by `ConnectionLimits`.
 */
export function useCompression(): Plugin {
  const compress = async (
    { response, setResponse, fetchAPI }: ResponsePayload,
    encoding: keyof typeof COMPRESS,
  ): Promise<void> => {
    const { headers, status, statusText } = response;
    const body = await COMPRESS[encoding](await response.text());
    headers.set('content-encoding', encoding);
    headers.set('content-length', String(body.length));
    setResponse(new fetchAPI.Response(body, { status, statusText, headers }));
  };
  return {
    onResponse(payload) {
      const { headers } = payload.response;
      if (!COMPRESSIBLE.test(headers.get('content-type') ?? '') || headers.has('content-encoding'))
        return undefined;
      headers.append('vary', 'Accept-Encoding');
      const length = headers.get('content-length');
      if (length !== null && Number(length) <= THRESHOLD) return undefined;
      const encoding = chooseEncoding(payload.request.headers.get('accept-encoding'));
      return encoding === 'identity' ? undefined : compress(payload, encoding);
    },
  };
}
