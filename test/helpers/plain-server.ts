// Starts web servers that are not the facade.
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Listens on a free port, which is free again after `close`. */
export const listen = (answer: RequestListener) => listenWith(createServer(answer));

/** Lets a server listen on a free port, or at a Unix socket. */
export async function listenWith(server: Server, socket?: string) {
  await new Promise<void>((resolve) =>
    socket === undefined ? server.listen(0, '127.0.0.1', resolve) : server.listen(socket, resolve),
  );
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { server, port, url: `http://127.0.0.1:${port}/`, close, [Symbol.asyncDispose]: close };
}

/** Reads the body of a request. */
export async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

/** Finds a free port, for a program that cannot say which one it has chosen. */
export async function findPort(): Promise<number> {
  const { port, close } = await listen(() => undefined);
  await close();
  return port;
}
