import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Longest request body, in bytes. */
const longestBody = 10 * 1024 * 1024;

/** Resolves with the URL; rejects with node's error when it cannot listen (code EADDRINUSE when the port is taken). */
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

/** Closes the listener and every connection at once. */
export function closeAtOnce(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

/** Reads a request's body to its end. Undefined when it is too long. */
export async function readBody(incoming: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= longestBody) chunks.push(chunk);
  }
  return size > longestBody ? undefined : Buffer.concat(chunks).toString('utf8');
}

/** A target's path and query, as sent, the latter without the question mark. */
export function splitTarget(target: string): readonly [path: string, query: string] {
  const mark = target.indexOf('?');
  return mark < 0 ? [target, ''] : [target.slice(0, mark), target.slice(mark + 1)];
}
