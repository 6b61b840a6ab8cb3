// Defines the pages that may use the cookies of browsers, and open streams and WebSockets.
import type { HeaderReader } from '../upstream/http/caller.ts';

/** The facade's own pages, and those that its operator lists. */
export interface OwnPages {
  /** Address under which browsers reach the facade, without a path; null: the address of each request. */
  readonly publicUrl: string | null;
  /** Path below which browsers reach the facade, without a slash at its end; empty: the root. */
  readonly basePath: string;
  /** Other origins whose pages may use the cookie. */
  readonly origins: readonly string[];
}

/**
 * Whether a request is from one of these pages, or from no page: browsers send `Origin` with all requests to other origins, and with
 * upgrades, and pages cannot set it.
 */
export function isFromOwnPage(header: HeaderReader, { publicUrl, origins }: OwnPages): boolean {
  const origin = header('origin');
  if (origin === null || origins.includes(origin)) return true;
  // A reverse proxy may replace the Host header.
  if (publicUrl !== null) return origin === publicUrl;
  return URL.canParse(origin) && new URL(origin).host === header('host');
}
