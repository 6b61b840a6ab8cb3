// Decides which requests may use the cookie of a browser session.
import type { HeaderReader } from '../../upstream/http/caller.ts';

/** The pages whose requests may use the cookie, and open streams and WebSockets. */
export interface OwnPages {
  /** Address under which browsers reach the facade, without a path; null: the address of each request. */
  readonly publicUrl: string | null;
  /** Path below which browsers reach the facade, without a slash at its end; empty: the root. */
  readonly basePath: string;
  /** Other origins whose pages may use the cookie. */
  readonly origins: readonly string[];
}

/**
 * Whether a request may use a cookie: it comes from one of these pages, and browsers send such a request to another site only after
 * a preflight, or it upgrades to a WebSocket.
 */
export function acceptsCookie(header: HeaderReader, pages: OwnPages): boolean {
  const needsPreflightOrUpgrade =
    header('upgrade')?.toLowerCase() === 'websocket' ||
    header('content-type')?.toLowerCase().startsWith('application/json') === true ||
    header('x-requested-with') !== null;
  if (!needsPreflightOrUpgrade) return false;
  return header('origin') === null
    ? header('sec-fetch-site') === 'same-origin'
    : isFromOwnPage(header, pages);
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
  return hostOf(origin) === header('host');
}

const hostOf = (origin: string): string | null => (URL.canParse(origin) ? new URL(origin).host : null);
