// Serves the explorer: its page, the files of the page, and the way to it.
import { createHash } from 'node:crypto';
import { createExampleTabs } from '../../schema/example-tabs.ts';
import { chooseEncoding } from '../../server/http/plain-post.ts';
import type { Page, PageRequest, Services, StartedPlugin } from '../../server/plugin.ts';
import { NOT_BUILT, POLICY, renderExplorer } from './explorer-page.ts';
import { ExplorerFiles } from './page-files.ts';
import type { PanelConfig } from './panel-config.ts';

/** What the explorer shows of one deployment. */
export interface ExplorerOptions {
  /** Name of the API; default: the host of `pages.publicUrl`, else the host at which the browser has reached the page. */
  readonly title?: string;
  /** Headers that the header editor holds at first. Default: none. */
  readonly headers?: Readonly<Record<string, string>>;
  /** A text in the dialog to sign in. Default: none. */
  readonly signInHint?: string;
}

/** Bytes of a file that one client may have unread. */
const CHUNK = 65_536;

/** Browsers keep the page, but ask each time whether it has changed. */
const PAGE = { 'cache-control': 'private, no-cache', vary: 'accept' };
/** The name of a file has the hash of its content. */
const FILE = { 'cache-control': 'public, max-age=31536000, immutable', vary: 'accept-encoding' };

/** The files of all explorers of the process. A process whose explorer nobody opens reads none. */
let files: ExplorerFiles | null = null;

/** Starts the plugin. */
export function useExplorer(options: ExplorerOptions, services: Services): StartedPlugin {
  const page = createPage(options, services);
  return { page: async (request) => (await page(request)) ?? serveExamples(request, services) };
}

/** Serves `GET <endpoint>/examples`: example documents for the first tabs, which are valid in the caller's schema. */
async function serveExamples(
  { request, url, requester }: PageRequest,
  { endpoint, openSession }: Services,
): Promise<Response | null> {
  if (request.method !== 'GET' || url.pathname !== `${endpoint}/examples`) return null;
  const { header, address, requestId, leaving, signal } = requester;
  // Without the cookie of the response, so that the session of a browser is not renewed for documents.
  const { served } = await openSession({ header, address, requestId, leaving, signal });
  return Response.json(createExampleTabs(served.schema));
}

/** Serves the page at the endpoint to clients that accept HTML, and its files below `<endpoint>/assets`. The root leads to the page. */
function createPage(options: ExplorerOptions, services: Services): Page {
  const { endpoint, pages } = services;
  const { basePath } = pages;
  const assets = `${endpoint}/assets/`;
  return async ({ request, url: { pathname }, requester: { header } }) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return null;
    if (pathname.startsWith(assets)) {
      files ??= new ExplorerFiles();
      const name = pathname.slice(assets.length);
      const file = await files.read(name, chooseEncoding(header('accept-encoding')));
      if (file === null) return null;
      const { body, encoding, contentType } = file;
      const encoded = encoding === 'identity' ? {} : { 'content-encoding': encoding };
      return answer(request, body, `"${name}-${encoding}"`, {
        ...FILE,
        ...encoded,
        'content-type': contentType,
      });
    }
    if (header('accept')?.includes('text/html') !== true) return null;
    if (pathname === `${basePath}/`)
      return new Response(null, { status: 303, headers: { location: endpoint } });
    if (pathname !== endpoint) return null;
    files ??= new ExplorerFiles();
    // Relative to the page, because a proxy may serve it below another path.
    const folder = `${endpoint.split('/').at(-1)}/assets`;
    const html =
      files.page === null ? NOT_BUILT : renderExplorer(files.page, folder, configure(options, services));
    const hash = createHash('sha256').update(html).digest('base64url');
    return answer(request, Buffer.from(html), `"${hash}"`, {
      ...PAGE,
      'content-type': 'text/html; charset=utf-8',
    });
  };
}

function configure(options: ExplorerOptions, { pages, callers, hasSignIn }: Services): PanelConfig {
  const { basePath, publicUrl } = pages;
  const { token, oauth2 } = callers.base.description.authentication;
  const headers = [token?.httpHeader, 'Authorization', oauth2?.httpHeader];
  return {
    headerNames: [...new Set(headers.filter((name) => typeof name === 'string'))],
    tokenHeader: token?.httpHeader ?? null,
    authPath: hasSignIn() ? `${basePath}/auth` : null,
    prefilled: options.headers ?? {},
    // Never the address of the API, which may be internal.
    title: options.title ?? (publicUrl === null ? null : new URL(publicUrl).host),
    signInHint: options.signInHint ?? null,
  };
}

function answer(
  { headers, method }: Request,
  body: Buffer,
  etag: string,
  given: Readonly<Record<string, string>>,
): Response {
  const common = { ...given, etag, 'content-security-policy': POLICY };
  if (headers.get('if-none-match')?.includes(etag) === true)
    return new Response(null, { status: 304, headers: common });
  return new Response(method === 'HEAD' ? null : streamOf(body), {
    headers: { ...common, 'content-length': String(body.length) },
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
