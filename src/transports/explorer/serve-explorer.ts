// Serves the explorer: its page, the files of the page, and the way to it.
import { chooseEncoding } from '../http/response-headers.ts';
import type { Page } from '../pages/page.ts';
import type { Explorer, ExplorerFile } from './explorer.ts';

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
export function createExplorerPage(endpoint: string, basePath: string, explorer: Explorer): Page {
  const assets = `${endpoint}/assets/`;
  return async ({ request, url: { pathname }, requester: { header } }) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return null;
    const encoding = chooseEncoding(header('accept-encoding'));
    if (pathname.startsWith(assets)) {
      const file = await explorer.file(pathname.slice(assets.length), encoding);
      return file && answer(request, file, FILE);
    }
    if (header('accept')?.includes('text/html') !== true) return null;
    if (pathname === endpoint) return answer(request, explorer.page(encoding), PAGE);
    return pathname === `${basePath}/`
      ? new Response(null, { status: 303, headers: { location: endpoint } })
      : null;
  };
}

function answer(
  { headers, method }: Request,
  { body, contentType, encoding, etag, policy }: ExplorerFile,
  caching: Readonly<Record<string, string>>,
): Response {
  const common = { ...caching, etag, 'content-security-policy': policy };
  if (headers.get('if-none-match')?.includes(etag) === true)
    return new Response(null, { status: 304, headers: common });
  return new Response(method === 'HEAD' ? null : streamOf(body), {
    headers: {
      ...common,
      'content-type': contentType,
      'content-length': String(body.length),
      ...(encoding === 'identity' ? {} : { 'content-encoding': encoding }),
    },
  });
}

/** Streams parts of a shared buffer without copies, each after the client has read the previous one. */
function streamOf(body: Buffer): ReadableStream<Uint8Array> {
  let sent = 0;
  return new ReadableStream({
    pull(controller) {
      controller.enqueue(body.subarray(sent, sent + CHUNK));
      sent += CHUNK;
      if (sent >= body.length) controller.close();
    },
  });
}
