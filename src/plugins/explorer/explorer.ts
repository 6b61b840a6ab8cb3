// Serves the explorer: its page, the files of the page, and the way to it.
import type { Requester } from '../../callers/requester.ts';
import { createExampleTabs } from '../../schema/example-tabs.ts';
import { acceptsEncoding } from '../../server/http/plain-post.ts';
import type { PageRequest, Services, StartedPlugin } from '../../server/plugin.ts';
import { ExplorerFiles, NOT_BUILT, POLICY, renderExplorer } from './explorer-page.ts';
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

const PAGE = {
  'cache-control': 'private, no-cache',
  vary: 'accept',
  'content-type': 'text/html; charset=utf-8',
};
/** The name of a file has the hash of its content. */
const FILE = { 'cache-control': 'public, max-age=31536000, immutable', vary: 'accept-encoding' };

/** The files of all explorers of the process. A process whose explorer nobody opens reads none. */
let files: ExplorerFiles | null = null;

/** Starts the plugin: the page, and example documents for its first tabs. */
export function useExplorer(options: ExplorerOptions, services: Services): StartedPlugin {
  const { endpoint } = services;
  const assets = `${endpoint}/assets/`;
  return {
    async page(asked) {
      const { request, url, requester } = asked;
      const { pathname } = url;
      if (request.method !== 'GET' && request.method !== 'HEAD') return null;
      if (pathname === `${endpoint}/examples`) return await answerExamples(requester, services);
      if (pathname.startsWith(assets)) return await answerFile(asked, pathname.slice(assets.length));
      if (requester.header('accept')?.includes('text/html') !== true) return null;
      if (pathname === `${services.pages.basePath}/`)
        return new Response(null, { status: 303, headers: { location: endpoint } });
      return pathname === endpoint ? answerPage(request, options, services) : null;
    },
  };
}

/** Answers documents that are valid in the caller's schema. */
async function answerExamples(
  { header, address, requestId, leaving, signal }: Requester,
  { openSession }: Services,
): Promise<Response> {
  // Without the cookie of the response, so that the session of a browser is not renewed for documents.
  const { served } = await openSession({ header, address, requestId, leaving, signal });
  return Response.json(createExampleTabs(served.schema));
}

/** Answers a file of the page, each below `<endpoint>/assets`. */
async function answerFile({ request, requester }: PageRequest, name: string): Promise<Response | null> {
  files ??= new ExplorerFiles();
  const file = await files.read(name, acceptsEncoding(requester.header('accept-encoding'), 'br'));
  if (file === null) return null;
  const { body, encoding, contentType } = file;
  const encoded = encoding === 'identity' ? {} : { 'content-encoding': encoding };
  return answer(request, body, { ...FILE, ...encoded, 'content-type': contentType });
}

function answerPage(request: Request, options: ExplorerOptions, services: Services): Response {
  files ??= new ExplorerFiles();
  // Relative to the page, because a proxy may serve it below another path.
  const folder = `${services.endpoint.split('/').at(-1)}/assets`;
  const html =
    files.page === null ? NOT_BUILT : renderExplorer(files.page, folder, configure(options, services));
  return answer(request, new Blob([html]), PAGE);
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

function answer({ method }: Request, body: Blob, given: Readonly<Record<string, string>>): Response {
  const headers = { ...given, 'content-security-policy': POLICY, 'content-length': String(body.size) };
  return new Response(method === 'HEAD' ? null : body, { headers });
}
