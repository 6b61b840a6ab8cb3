// Signs in at an OAuth 2.0 provider in the user's browser, which returns to an address on this machine (RFC 8252).
import { on, once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Tokens } from '../../../../src/index.ts';
import { CommandError, EXIT_CODES, usageError } from '../command-line/exit-codes.ts';
import type { OAuthClient } from './oauth-client.ts';

/** Milliseconds that the user has to sign in. */
const TIMEOUT = 600_000;

/**
 * Waits until the user has signed in at the provider.
 * @param redirectUri An address on this machine; without a port, any free one is used (RFC 8252, section 7.3).
 * @param show Shows the user the address to open in a browser.
 * @throws CommandError when the provider refuses, nothing can listen there, or nobody signs in.
 */
export async function signInAtProvider(
  client: OAuthClient,
  redirectUri: URL,
  show: (url: string) => void,
): Promise<Tokens> {
  const server = createServer();
  // A connection that stays open must not keep the command from ending.
  server.on('connection', (socket) => socket.unref());
  try {
    const here = await listen(server, redirectUri);
    const { url, pending } = await client.begin(here.href);
    const requests = on(server, 'request', { signal: AbortSignal.timeout(TIMEOUT) });
    show(url);
    for await (const [request, response] of requests as AsyncIterable<[IncomingMessage, ServerResponse]>) {
      const callback = readCallback(request, here);
      // The wait goes on: only the provider can return the state.
      if (callback?.searchParams.get('state') !== pending.state) {
        answer(response, 400, 'This is not the sign-in that the command waits for.');
        continue;
      }
      try {
        const tokens = await client.finish(callback, pending);
        answer(response, 200, 'You are signed in. Close this page and return to the terminal.');
        return tokens;
      } catch (error) {
        answer(response, 403, 'You are not signed in. The terminal says why.');
        throw error;
      }
    }
    throw new TypeError('the requests to a listening server do not end');
  } catch (error) {
    if (!(error instanceof Error && error.name === 'AbortError')) throw error;
    throw new CommandError(EXIT_CODES.credentials, 'Nobody signed in at the provider within ten minutes.');
  } finally {
    server.close();
  }
}

/** @returns The address with the port that it listens at. */
async function listen(server: Server, redirectUri: URL): Promise<URL> {
  const host = redirectUri.hostname.replace(/^\[(.*)\]$/, '$1');
  server.listen(Number(redirectUri.port), host);
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    throw usageError(
      `Nothing can listen at ${redirectUri.href} (${error.code}). Choose another --redirect-uri.`,
    );
  });
  const here = new URL(redirectUri);
  here.port = String((server.address() as AddressInfo).port);
  return here;
}

/** The address of a request if it is for the redirect URI, under its own host name. */
function readCallback({ method, url = '', headers }: IncomingMessage, here: URL): URL | null {
  if (method !== 'GET' || headers.host !== here.host || !URL.canParse(url, here.origin)) return null;
  const callback = new URL(url, here.origin);
  return callback.origin === here.origin && callback.pathname === here.pathname ? callback : null;
}

function answer(response: ServerResponse, status: number, text: string): void {
  response
    .writeHead(status, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      connection: 'close',
    })
    .end(`<!doctype html>\n<html lang="en">\n<title>Optiongraph</title>\n<p>${text}</p>\n</html>\n`);
}
