// Compresses responses.
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { WritableHeaders } from './response-headers.ts';

/** An encoding that this server sends. */
export type Encoding = 'br' | 'gzip' | 'identity';

/** Bytes up to which compression saves no packet. Results always state their length. */
const THRESHOLD = 1_000;
/** The types of complete results. Streams have others, and must reach the client event by event. */
const COMPRESSIBLE = /^application\/([\w-]+\+)?json\b/;

const brotli = promisify(brotliCompress);
const gzipped = promisify(gzip);

/** Compression outside of the event loop. The fastest levels make results of many rows a seventh of their size; others take twice the time. */
const COMPRESS = {
  br: (text: string) => brotli(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
  gzip: (text: string) => gzipped(text, { level: 1 }),
};

/**
 * Decides by its headers whether a result is compressed, and says so in them: those of more than 1,000 bytes, as the client accepts. Null
 * when it is not. The whole result is compressed before it is sent, so that what waits for a slow client is counted by `ConnectionLimits`.
 */
export function chooseCompression(
  headers: WritableHeaders,
  acceptEncoding: string | null,
): ((text: string) => Promise<Buffer<ArrayBuffer>>) | null {
  if (!COMPRESSIBLE.test(headers.get('content-type') ?? '') || headers.has('content-encoding')) return null;
  headers.append('vary', 'Accept-Encoding');
  const length = headers.get('content-length');
  if (length !== null && Number(length) <= THRESHOLD) return null;
  const encoding = chooseEncoding(acceptEncoding);
  if (encoding === 'identity') return null;
  headers.set('content-encoding', encoding);
  return async (text) => {
    const body = await COMPRESS[encoding](text);
    headers.set('content-length', String(body.length));
    return body;
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
