// Answers requests for other paths with the address of the GraphQL endpoint.
import type { Page } from '../plugin.ts';

/**
 * Answers requests for which there is nothing else: at the root with the way to GraphQL, at other paths with 404 and the same way.
 * @param basePath Path of the root.
 */
export function createSignpost(endpoint: string, basePath: string): Page {
  const way = `GraphQL is at ${endpoint}: send operations there by POST as JSON, {"query": "{ … }"}.\n`;
  return async ({ request, url: { pathname } }) => {
    if (pathname === endpoint) return null;
    const isRoot = pathname === `${basePath}/` && ['GET', 'HEAD'].includes(request.method);
    const text = isRoot ? way : `This path serves nothing. ${way}`;
    return new Response(request.method === 'HEAD' ? null : text, {
      status: isRoot ? 200 : 404,
      headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
    });
  };
}
