import type { HeaderReader } from '../upstream/http/authentication.ts';

/** The pages whose requests may use a browser's cookie. */
export interface OwnPages {
  /** Address under which browsers reach the facade, without a path; null: that of each request. */
  readonly publicUrl: string | null;
  /** Foreign origins whose pages may as well. */
  readonly origins: readonly string[];
}

/**
 * Whether a request may use a cookie: it comes from one of those pages, and it is one that browsers would have asked leave for
 * (a preflight) had it come from elsewhere.
 */
export function acceptsCookie(header: HeaderReader, { publicUrl, origins }: OwnPages): boolean {
  const origin = header('origin');
  const asksLeave =
    header('upgrade')?.toLowerCase() === 'websocket' ||
    header('content-type')?.toLowerCase().startsWith('application/json') === true ||
    header('x-requested-with') !== null;
  if (!asksLeave) return false;
  if (origin === null) return header('sec-fetch-site') === 'same-origin';
  if (origins.includes(origin)) return true;
  // A proxy in front may send a Host of its own.
  return publicUrl === null ? hostOf(origin) === header('host') : origin === publicUrl;
}

const hostOf = (origin: string): string | null => (URL.canParse(origin) ? new URL(origin).host : null);
