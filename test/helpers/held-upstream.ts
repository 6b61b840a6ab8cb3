// Starts a proxy that holds back responses of a sandbox until a test releases them.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Sandbox } from '../../packages/sandbox/src/listen-sandbox.ts';

/** A request that has no response yet. */
export interface HeldRequest {
  /** The path and query, as sent. */
  readonly target: string;
  /** Resolves when the connection closes before the response. */
  readonly abandoned: Promise<void>;
  /** Sends the response of the sandbox. */
  release(): Promise<void>;
}

/** A proxy of a sandbox that holds back some responses. */
export interface HeldUpstream extends AsyncDisposable {
  readonly url: URL;
  /** All requests that were held, oldest first. */
  readonly held: readonly HeldRequest[];
  /** Resolves with the first `count` held requests. */
  waitForHeld(count: number): Promise<readonly HeldRequest[]>;
}

/** Starts a proxy for GET and OPTIONS. It holds the requests whose target `isHeld` accepts. */
export async function holdUpstream(
  sandbox: Sandbox,
  isHeld: (target: string) => boolean,
): Promise<HeldUpstream> {
  const held: HeldRequest[] = [];
  const waiting: { readonly count: number; readonly resolve: () => void }[] = [];

  async function pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/' } = incoming;
    const { [sandbox.tokenHeader.toLowerCase()]: token, authorization } = incoming.headers;
    const answer = await fetch(sandbox.url + url, {
      method,
      headers: {
        ...(typeof token === 'string' ? { [sandbox.tokenHeader]: token } : {}),
        ...(authorization === undefined ? {} : { authorization }),
      },
    });
    outgoing.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
  }

  const server = createServer((incoming, outgoing) => {
    const { method, url: target = '/' } = incoming;
    if (method === 'OPTIONS' || !isHeld(target)) return void pass(incoming, outgoing);
    const abandoned = new Promise<void>((resolve) => {
      outgoing.once('close', () => {
        if (!outgoing.writableEnded) resolve();
      });
    });
    held.push({ target, abandoned, release: () => pass(incoming, outgoing) });
    for (const { count, resolve } of waiting) if (held.length >= count) resolve();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: new URL(`http://127.0.0.1:${port}/`),
    held,
    async waitForHeld(count) {
      if (held.length < count) await new Promise<void>((resolve) => waiting.push({ count, resolve }));
      return held.slice(0, count);
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
