// Reads requests and sends responses for the HTTP servers of the sandbox.
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The maximum size of a request body, in bytes. */
const MAX_BODY_SIZE = 10 * 1024 * 1024;

/** Resolves with the URL of the server. Rejects with Node's error when it cannot listen (EADDRINUSE: the port is taken). */
export function listen(server: Server, port: number, host: string): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      const address = server.address() as AddressInfo;
      const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
      resolve(`http://${name}:${address.port}`);
    });
  });
}

/** Closes the server and its connections immediately. */
export function closeAtOnce(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

/** Reads the whole body of a request. Undefined when it is too large. */
export async function readBody(incoming: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= MAX_BODY_SIZE) chunks.push(chunk);
  }
  return size > MAX_BODY_SIZE ? undefined : Buffer.concat(chunks).toString('utf8');
}

/** Splits a request target into its path and its query, which has no question mark. */
export function splitTarget(target: string): readonly [path: string, query: string] {
  const mark = target.indexOf('?');
  return mark < 0 ? [target, ''] : [target.slice(0, mark), target.slice(mark + 1)];
}
