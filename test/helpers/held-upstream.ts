// Starts a proxy that holds back responses of a sandbox until a test releases them.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Sandbox } from '../../packages/sandbox/src/listen-sandbox.ts';
import { listen } from './plain-server.ts';

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

  const server = await listen((incoming, outgoing) => {
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
  return {
    url: new URL(server.url),
    held,
    async waitForHeld(count) {
      if (held.length < count) await new Promise<void>((resolve) => waiting.push({ count, resolve }));
      return held.slice(0, count);
    },
    [Symbol.asyncDispose]: server.close,
  };
}
