// Decides which requests may use the cookie of a browser session.
import type { HeaderReader } from '../upstream/http/authentication.ts';

/** The pages whose requests may use the cookie. */
export interface OwnPages {
  /** Address under which browsers reach the facade, without a path; null: the address of each request. */
  readonly publicUrl: string | null;
  /** Other origins whose pages may use the cookie. */
  readonly origins: readonly string[];
}

/**
 * Whether a request may use a cookie: it comes from one of these pages, and browsers send such a request to another site only after
 * a preflight, or it upgrades to a WebSocket.
 */
export function acceptsCookie(header: HeaderReader, { publicUrl, origins }: OwnPages): boolean {
  const origin = header('origin');
  const needsPreflightOrUpgrade =
    header('upgrade')?.toLowerCase() === 'websocket' ||
    header('content-type')?.toLowerCase().startsWith('application/json') === true ||
    header('x-requested-with') !== null;
  if (!needsPreflightOrUpgrade) return false;
  if (origin === null) return header('sec-fetch-site') === 'same-origin';
  if (origins.includes(origin)) return true;
  // A reverse proxy may replace the Host header.
  return publicUrl === null ? hostOf(origin) === header('host') : origin === publicUrl;
}

const hostOf = (origin: string): string | null => (URL.canParse(origin) ? new URL(origin).host : null);
