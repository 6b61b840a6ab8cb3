// Reads the headers of WebSocket requests, which clients send in connectionParams or with the upgrade.
import type { IncomingMessage } from 'node:http';
import type { HeaderReader } from '../../upstream/http/caller.ts';

/** What a client sends in its ConnectionInit message. */
export type ConnectionParams = Readonly<Record<string, unknown>> | undefined;

/** The characters that an HTTP header value may contain. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Headers that pages cannot set. They show where a connection comes from, so connectionParams must not replace them. */
const BROWSER_HEADERS: ReadonlySet<string> = new Set([
  'cookie',
  'host',
  'origin',
  'sec-fetch-site',
  'upgrade',
  'user-agent',
]);

/** Returns why connectionParams cannot be used, as the reason of a close frame; null when they can. */
export function findParamsProblem(params: unknown): string | null {
  if (params === undefined || params === null) return null;
  if (typeof params !== 'object' || Array.isArray(params))
    return 'connectionParams must be an object of header names';
  const entries = Object.entries(params);
  if (entries.some(([, value]) => value !== null && typeof value !== 'string'))
    return 'connectionParams must hold strings only, each under the name of its HTTP header';
  if (entries.some(([, value]) => value !== null && !HEADER_VALUE.test(value)))
    return 'connectionParams must hold only what an HTTP header can hold';
  const names = entries.map(([name]) => name.toLowerCase());
  return new Set(names).size === names.length ? null : 'connectionParams must hold each header once';
}

/** Makes a reader of headers from connectionParams and, for those that they lack, from the upgrade request. */
export function createHeaderReader(request: IncomingMessage, params: ConnectionParams): HeaderReader {
  return (name) => {
    const key = name.toLowerCase();
    const value = BROWSER_HEADERS.has(key) ? null : findParam(params, key);
    if (value !== null) return value;
    // `headersDistinct` lacks a cookie that the upgrade has renewed, and node makes it for each request that reads it.
    if (!(key in request.headers)) return null;
    return (key === 'cookie' ? request.headers.cookie : request.headersDistinct[key]?.join(', ')) ?? null;
  };
}

function findParam(params: ConnectionParams, key: string): string | null {
  for (const [name, value] of Object.entries(params ?? {}))
    if (typeof value === 'string' && name.toLowerCase() === key) return value;
  return null;
}

/** The `Cookie` header that a browser sends after it has received a `Set-Cookie` header. */
export function replaceCookie(cookies: string, setCookie: string): string {
  const [pair = ''] = setCookie.split('; ', 1);
  const name = pair.slice(0, pair.indexOf('=') + 1);
  const others = cookies.split(/; */).filter((one) => !one.startsWith(name));
  return [...others, pair].join('; ');
}
