// Lets pages of listed origins read responses.
import { useCORS } from '@whatwg-node/server';
import type { OwnPages } from '../../callers/browsers/own-pages.ts';
import type { ServerPlugin } from '../../operation/context.ts';
import type { WritableHeaders } from '../http/plain-headers.ts';

/** What pages of listed origins may read besides the body, and for how many seconds browsers remember that they may. */
const EXPOSED = ['Retry-After', 'X-Request-Id'];
const MAX_AGE = 600;

/** Answers preflights, and sets the headers of responses. The facade's own page needs none, and other pages than those of listed origins may read nothing. */
export function useCors(pages: OwnPages): ServerPlugin {
  return useCORS(({ headers }) => {
    const origin = headers.get('origin') ?? '';
    return (
      pages.origins.includes(origin) && {
        origin,
        credentials: true,
        exposedHeaders: EXPOSED,
        maxAge: MAX_AGE,
      }
    );
  });
}

/** Sets the headers of the response to a request that is no preflight, and has no header of one. */
export function setCorsHeaders(headers: WritableHeaders, origin: string | null, { origins }: OwnPages): void {
  if (origin === null || !origins.includes(origin)) return;
  headers.set('access-control-allow-origin', origin);
  headers.set('access-control-allow-credentials', 'true');
  headers.set('access-control-expose-headers', EXPOSED.join(', '));
  headers.set('access-control-max-age', String(MAX_AGE));
}
