// Listens at a TCP port or at a Unix socket.
import { once } from 'node:events';
import { stat, unlink } from 'node:fs/promises';
import type { Server } from 'node:http';
import { connect } from 'node:net';

/** Where to listen. */
export interface ListenAddress {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Path of a Unix socket to listen at in place of host and port. A file that an ended process left there is removed. */
  readonly socket?: string | null;
}

/** The peer of a Unix socket is a process of this machine, so it counts as one that connects over the loopback network. */
const LOCAL_PEER = '127.0.0.1';

/**
 * Listens. Rejects when it cannot, e.g. because the port is in use.
 * @returns The authority of addresses: host and port, or `unix:<path>:`, as nginx writes it.
 */
export async function listen(server: Server, { host, port, socket = null }: ListenAddress): Promise<string> {
  if (socket !== null) await removeStaleSocket(socket);
  const listening = once(server, 'listening');
  server.listen(socket === null ? { port, host } : { path: socket });
  await listening;
  const address = server.address();
  if (address === null || typeof address === 'string') {
    server.prependListener('connection', (peer: object) =>
      Object.defineProperty(peer, 'remoteAddress', { value: LOCAL_PEER }),
    );
    return `unix:${address}:`;
  }
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `${name}:${address.port}`;
}

/** Removes the file of a Unix socket at which nobody listens. */
async function removeStaleSocket(path: string): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (found?.isSocket() !== true || (await isListening(path))) return;
  await unlink(path);
}

async function isListening(path: string): Promise<boolean> {
  const probe = connect(path);
  try {
    await once(probe, 'connect');
    return true;
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED');
  } finally {
    probe.destroy();
  }
}
