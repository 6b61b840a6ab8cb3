// Completes WebSocket upgrades: renews browser sessions, and reads the headers that clients send in connectionParams or with the upgrade.
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket, WebSocketServer } from 'ws';
import type { HeaderReader } from '../../upstream/http/caller.ts';
import type { SocketApi } from './serve-websockets.ts';

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
function replaceCookie(cookies: string, setCookie: string): string {
  const [pair = ''] = setCookie.split('; ', 1);
  const name = pair.slice(0, pair.indexOf('=') + 1);
  const others = cookies.split(/; */).filter((one) => !one.startsWith(name));
  return [...others, pair].join('; ');
}

/**
 * Called with each WebSocket before anything is read.
 * @param hadSession Whether the cookie of the request held a session that the upstream knew.
 */
type OnOpen = (socket: WebSocket, request: IncomingMessage, hadSession: boolean) => void;

/**
 * Makes a function that completes an upgrade. It renews the session in the cookie of the request; the response carries the cookie of a
 * renewed session. The function never rejects.
 */
export function createUpgrade(
  api: Pick<SocketApi, 'addressOf' | 'openUpgrade'>,
  sockets: WebSocketServer,
  onOpen: OnOpen,
): (request: IncomingMessage, socket: Duplex, head: Buffer) => Promise<void> {
  /** The `Set-Cookie` header for the response to a request. */
  const setCookies = new WeakMap<IncomingMessage, string>();
  sockets.on('headers', (headers, request) => {
    const setCookie = setCookies.get(request);
    if (setCookie !== undefined) headers.push(`Set-Cookie: ${setCookie}`);
  });
  return async (request, socket, head) => {
    const { cookie } = request.headers;
    let hadSession = false;
    if (cookie !== undefined) {
      const sender = { header: createHeaderReader(request, undefined), address: api.addressOf(request) };
      const { isOpen, setCookie } = await api.openUpgrade(sender);
      hadSession = isOpen;
      if (setCookie !== null) {
        setCookies.set(request, setCookie);
        request.headers.cookie = replaceCookie(cookie, setCookie);
      }
    }
    sockets.handleUpgrade(request, socket, head, (opened) => onOpen(opened, request, hadSession));
  };
}
