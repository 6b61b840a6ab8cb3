// Completes WebSocket upgrades, and renews browser sessions on the way.
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type Server, WebSocket } from 'ws';
import type { SocketApi } from './serve-websockets.ts';
import { createHeaderReader, replaceCookie } from './websocket-headers.ts';

/** A WebSocket that remembers with which code the server has closed it. A client that breaks the protocol often does not repeat the code. */
export class ServedSocket extends WebSocket {
  /** Null until the server has begun to close it, or has repeated the code of the client. */
  #code: number | null = null;

  override close(code?: number, reason?: string | Buffer): void {
    this.#code ??= code ?? null;
    super.close(code, reason);
  }

  /** Calls a function when it has closed. @param onEnd Gets the code of the server, else that of the client, else 1005 or 1006. */
  onceClosed(onEnd: (code: number) => void): void {
    this.once('close', (code) => onEnd(this.#code ?? code));
  }
}

/**
 * Called with each WebSocket before anything is read.
 * @param hadSession Whether the cookie of the request held a session that the upstream knew.
 */
type OnOpen = (socket: ServedSocket, request: IncomingMessage, hadSession: boolean) => void;

/**
 * Makes a function that completes an upgrade. It renews the session in the cookie of the request; the response carries the cookie of a
 * renewed session. The function never rejects.
 */
export function createUpgrade(
  api: Pick<SocketApi, 'addressOf' | 'openUpgrade'>,
  sockets: Server<typeof ServedSocket>,
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
