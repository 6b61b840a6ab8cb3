// Opens TCP connections to which a test writes HTTP by hand.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A TCP connection that a test writes to by hand. */
export interface RawConnection extends AsyncDisposable {
  readonly socket: Socket;
  /** Resolves when the connection has closed. */
  readonly closed: Promise<void>;
  /** All that the server has sent. */
  text(): string;
}

/** Connects to the server of an address. */
export async function connectRaw(url: string): Promise<RawConnection> {
  const { port, hostname } = new URL(url);
  const socket = connect(Number(port), hostname);
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
  });
  // A connection may be reset.
  socket.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  await Promise.race([once(socket, 'connect'), closed]);
  return {
    socket,
    closed,
    text: () => text,
    async [Symbol.asyncDispose]() {
      socket.destroy();
      await closed;
    },
  };
}

/** Sends a text, and returns all that the server sends until it closes the connection. */
export async function exchange(url: string, text: string): Promise<string> {
  await using connection = await connectRaw(url);
  connection.socket.write(text, 'latin1');
  await connection.closed;
  return connection.text();
}
