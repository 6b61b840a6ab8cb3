// Serves the explorer: its page, the files of the page, and the way to it.
import type { FetchAPI, Plugin } from 'graphql-yoga';
import type { Explorer, ExplorerFile } from '../explorer/explorer.ts';
import { chooseEncoding } from '../http/accepted-encoding.ts';

/** Bytes of a file that one client may have unread. */
const CHUNK = 65_536;

/** Browsers keep the page, but ask each time whether it has changed. */
const PAGE = { 'cache-control': 'private, no-cache', vary: 'accept, accept-encoding' };
/** The name of a file has the hash of its content. */
const FILE = { 'cache-control': 'public, max-age=31536000, immutable', vary: 'accept-encoding' };

/**
 * Serves the explorer's page at the endpoint to clients that accept HTML, and its files below `<endpoint>/assets`. The root leads to
 * the page.
 * @param basePath Path of the root.
 */
export function useExplorer(endpoint: string, basePath: string, explorer: Explorer): Plugin {
  const assets = `${endpoint}/assets/`;
  return {
    async onRequest({ request, url: { pathname }, fetchAPI, endResponse }) {
      if (request.method !== 'GET' && request.method !== 'HEAD') return;
      const { headers } = request;
      const encoding = chooseEncoding(headers.get('accept-encoding'));
      if (pathname.startsWith(assets)) {
        const file = await explorer.file(pathname.slice(assets.length), encoding);
        if (file !== null) endResponse(answer(request, file, FILE, fetchAPI));
        return;
      }
      if (headers.get('accept')?.includes('text/html') !== true) return;
      if (pathname === endpoint) return endResponse(answer(request, explorer.page(encoding), PAGE, fetchAPI));
      if (pathname === `${basePath}/`)
        endResponse(new fetchAPI.Response(null, { status: 303, headers: { location: endpoint } }));
    },
  };
}

function answer(
  { headers, method }: Request,
  { body, contentType, encoding, etag, policy }: ExplorerFile,
  caching: Readonly<Record<string, string>>,
  fetchAPI: FetchAPI,
): Response {
  const common = { ...caching, etag, 'content-security-policy': policy };
  if (headers.get('if-none-match')?.includes(etag) === true)
    return new fetchAPI.Response(null, { status: 304, headers: common });
  return new fetchAPI.Response(method === 'HEAD' ? null : streamOf(body, fetchAPI), {
    headers: {
      ...common,
      'content-type': contentType,
      'content-length': String(body.length),
      ...(encoding === 'identity' ? {} : { 'content-encoding': encoding }),
    },
  });
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
