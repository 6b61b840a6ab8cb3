// Sends an operation over each transport, by a client that leaves before the answer.
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { request } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import WebSocket from 'ws';

/** A client that waits for an answer. */
export interface Client {
  /** Leaves, in the way of its transport. Resolves when the server has noticed. */
  leave(): Promise<void>;
}

/** Sends an operation, and waits for no answer. */
export type Depart = (
  url: string,
  query: string,
  headers: Record<string, string>,
  extensions?: Record<string, unknown>,
) => Promise<Client>;

/** The server's end of the next connection to an address. */
function acceptNext(url: string): Promise<Socket> {
  const port = Number(new URL(url).port);
  return new Promise((resolve) => {
    const onSocket = (message: unknown): void => {
      const { socket } = message as { readonly socket: Socket };
      if (socket.localPort !== port) return;
      unsubscribe('net.server.socket', onSocket);
      resolve(socket);
    };
    subscribe('net.server.socket', onSocket);
  });
}

/** Waits until the listeners of a closed socket have run. */
async function closeOf(socket: Socket): Promise<void> {
  await once(socket, 'close');
  await nextTurn();
}

const overRequest =
  (accept: string): Depart =>
  async (url, query, headers, extensions) => {
    const accepted = acceptNext(url);
    const own = { 'content-type': 'application/json', accept, ...headers };
    const sent = request(url, { method: 'POST', agent: false, headers: own });
    sent.on('error', () => undefined).end(JSON.stringify({ query, extensions }));
    const closed = closeOf(await accepted);
    return {
      async leave() {
        sent.destroy();
        await closed;
      },
    };
  };

const overSocket =
  (leave: (socket: WebSocket, closed: Promise<void>) => Promise<unknown>): Depart =>
  async (url, query, headers, extensions) => {
    const accepted = acceptNext(url);
    const socket = new WebSocket(url.replace('http', 'ws'), 'graphql-transport-ws');
    await once(socket, 'open');
    const closed = closeOf(await accepted);
    socket.send(JSON.stringify({ type: 'connection_init', payload: headers }));
    await once(socket, 'message');
    socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query, extensions } }));
    return { leave: async () => void (await leave(socket, closed)) };
  };

/** All ways to leave, by name, as rows of `describe.each`. */
export const DEPARTURES: readonly (readonly [name: string, depart: Depart])[] = [
  ['HTTP', overRequest('application/json')],
  ['SSE', overRequest('text/event-stream')],
  [
    'a WebSocket that it closes',
    overSocket((socket, closed) => {
      socket.terminate();
      return closed;
    }),
  ],
  [
    'a WebSocket, by completing the operation',
    overSocket((socket) => {
      socket.send(JSON.stringify({ id: '1', type: 'complete' }));
      // The server reads the messages in their order.
      socket.send(JSON.stringify({ type: 'ping' }));
      return once(socket, 'message');
    }),
  ],
];
