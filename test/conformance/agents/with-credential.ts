// Adds a credential to requests, for programs that send none.
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Listens on a free port, and passes requests on with headers added. */
export async function addCredential(target: URL, headers: Readonly<Record<string, string>>) {
  const server = createServer((incoming, response) => {
    const { method, headers: given } = incoming;
    const sent = request(target, { method, headers: { ...given, ...headers } }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    sent.on('error', () => response.destroy());
    incoming.pipe(sent);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: new URL(`http://127.0.0.1:${port}/mcp`),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
