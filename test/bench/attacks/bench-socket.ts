// A WebSocket of the bench of attacks, which reads no more of a message than it needs.
import WebSocket from 'ws';
import type { Sender, Target } from './orders.ts';

/** Bytes in which the kind and the id of a message are. */
const HEAD = 160;

/** A message of the server for an operation. */
export interface OperationMessage {
  readonly type: string;
  readonly id: string;
  readonly data: Buffer;
}

/** The server has closed a WebSocket before it was accepted. */
export class RefusedSocketError extends Error {
  override readonly name = 'RefusedSocketError';
  readonly code: number;

  constructor(code: number) {
    super(`The WebSocket is closed with ${code} before it is accepted.`);
    this.code = code;
  }
}

/** Opens a WebSocket whose credential is accepted. Rejects with a `RefusedSocketError` when the server closes it before. */
export async function openSocket(
  { url, tokenHeader }: Target,
  { address, token }: Sender,
): Promise<WebSocket> {
  const socket = new WebSocket(url.replace('http', 'ws'), 'graphql-transport-ws', {
    headers: { 'x-forwarded-for': address },
    perMessageDeflate: false,
  });
  socket.on('error', () => undefined);
  const closed = new Promise<never>((_, reject) => {
    socket.once('close', (code) => reject(new RefusedSocketError(code)));
  });
  // A failed upgrade is an error and then a close.
  const next = (event: 'open' | 'message') => new Promise((resolve) => socket.once(event, resolve));
  await Promise.race([next('open'), closed]);
  const accepted = next('message');
  socket.send(
    JSON.stringify({ type: 'connection_init', payload: token === null ? {} : { [tokenHeader]: token } }),
  );
  await Promise.race([accepted, closed]);
  return socket;
}

/** The text of a Subscribe message. */
export const subscribeMessage = (id: string, query: string): string =>
  `{"id":"${id}","type":"subscribe","payload":{"query":${JSON.stringify(query)}}}`;

/** Calls back with each message for an operation. */
export function onOperationMessage(socket: WebSocket, listen: (message: OperationMessage) => void): void {
  socket.on('message', (data: Buffer) => {
    const head = data.toString('latin1', 0, HEAD);
    const type = /"type":"(\w+)"/.exec(head)?.[1];
    const id = /"id":"([^"]*)"/.exec(head)?.[1];
    if (type !== undefined && id !== undefined) listen({ type, id, data });
  });
}
