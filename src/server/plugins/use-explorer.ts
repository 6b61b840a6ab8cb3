// Serves the page of the explorer.
import type { FetchAPI, Plugin } from 'graphql-yoga';
import type { Explorer } from '../../explorer/explorer.ts';
import { chooseEncoding } from '../http/accepted-encoding.ts';

/** Bytes of the page that one client may have unread. */
const CHUNK = 65_536;

/** Serves the explorer's page at the endpoint to clients that accept HTML. */
export function useExplorer(endpoint: string, explorer: Explorer): Plugin {
  return {
    async onRequest({ request, url, fetchAPI, endResponse }) {
      const { headers } = request;
      if (request.method !== 'GET' || url.pathname !== endpoint) return;
      if (headers.get('accept')?.includes('text/html') !== true) return;
      const { body, etag, contentEncoding, policy } = await explorer.page(
        chooseEncoding(headers.get('accept-encoding')),
      );
      const init = {
        etag,
        // Browsers keep the page, but ask each time whether it has changed.
        'cache-control': 'private, no-cache',
        vary: 'accept, accept-encoding',
        'content-security-policy': policy,
      };
      if (headers.get('if-none-match')?.includes(etag))
        return endResponse(new fetchAPI.Response(null, { status: 304, headers: init }));
      endResponse(
        new fetchAPI.Response(streamOf(body, fetchAPI), {
          headers: {
            ...init,
            'content-type': 'text/html; charset=utf-8',
            'content-length': String(body.length),
            ...(contentEncoding === null ? {} : { 'content-encoding': contentEncoding }),
          },
        }),
      );
    },
  };
}

/** Streams parts of a shared buffer without copies, each after the client has read the previous one. */
function streamOf(body: Buffer, { ReadableStream }: FetchAPI): ReadableStream<Uint8Array> {
  let sent = 0;
  return new ReadableStream({
    pull(controller) {
      controller.enqueue(body.subarray(sent, sent + CHUNK));
      sent += CHUNK;
      if (sent >= body.length) controller.close();
    },
  });
}
