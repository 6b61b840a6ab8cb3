// Limits the size of request bodies.
import { GraphQLError } from 'graphql';
import type { ServerPlugin } from '../../operation/context.ts';

/**
 * Refuses larger bodies with 413, before they are read as far as their length is stated. Yoga's own limit copies each request and its
 * body through another stream, also where node ensures that the body has the stated length.
 * @param limit Bytes.
 */
export function useBodyLimit(limit: number): ServerPlugin {
  return {
    onRequestParse({ request, requestParser, setRequestParser, fetchAPI }) {
      const length = request.headers.get('content-length');
      if (length !== null) {
        if (!/^\d+$/.test(length)) throw createError(400, 'Content-Length header is invalid.');
        if (Number(length) > limit) throw createTooLargeError();
      } else if (requestParser !== undefined && request.method !== 'GET') {
        setRequestParser(async (sent) => {
          const { url, method, headers } = sent;
          const body = await readText(sent.body, limit);
          return await requestParser(new fetchAPI.Request(url, { method, headers, body }));
        });
      }
    },
  };
}

async function readText(body: AsyncIterable<Uint8Array> | null, limit: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    if (size > limit) throw createTooLargeError();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size).toString('utf8');
}

const createTooLargeError = (): GraphQLError => createError(413, 'Request body too large');

const createError = (status: number, message: string): GraphQLError =>
  new GraphQLError(message, { extensions: { http: { status } } });
