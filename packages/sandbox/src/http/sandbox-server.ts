// Runs the HTTP server of a sandbox, which reports each request to listeners.
import { type IncomingHttpHeaders, type IncomingMessage, Server, type ServerResponse } from 'node:http';
import { readClientAddress } from '../domain/request-address.ts';
import type { Handler } from '../engine/handler.ts';
import { closeAtOnce, listen, readBody, splitTarget } from './http.ts';
import { failureResponse, type Response } from './response.ts';

/** A request and the status of its response. */
export interface RecordedRequest {
  readonly method: string;
  /** The client's, as the API records it. */
  readonly address: string;
  /** As sent, without the query. */
  readonly path: string;
  /** As sent, without the question mark. */
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
  /** The parsed JSON, else the text. Undefined: the request has no body. */
  readonly body: unknown;
  /** The scope of the action, for example `dataset.snapshot#index`. Null for OPTIONS and when no action is found. */
  readonly scope: string | null;
  readonly status: number;
}

type RequestListener = (request: RecordedRequest) => void;

/** Serves a handler over HTTP. */
export class SandboxServer {
  readonly #server = new Server();
  readonly #listeners = new Set<RequestListener>();
  readonly #isBehindProxy: boolean;
  #openRequests = 0;

  /** @param isBehindProxy See `readClientAddress`. */
  constructor(isBehindProxy: boolean) {
    this.#isBehindProxy = isBehindProxy;
  }

  /** The number of requests without a response. */
  get openRequests(): number {
    return this.#openRequests;
  }

  /** Resolves with the URL. Rejects with Node's error when it cannot listen. Call `serve` immediately afterwards. */
  listen(port: number, host: string): Promise<string> {
    return listen(this.#server, port, host);
  }

  serve(handle: Handler): void {
    this.#server.on('request', (incoming: IncomingMessage, outgoing: ServerResponse) => {
      void this.#serveRequest(incoming, outgoing, handle);
    });
  }

  /** Calls the listener before each response is sent. Returns a function that removes the listener. */
  onRequest(listener: RequestListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Closes the server and its connections immediately. */
  close(): Promise<void> {
    return closeAtOnce(this.#server);
  }

  async #serveRequest(incoming: IncomingMessage, outgoing: ServerResponse, handle: Handler): Promise<void> {
    const { method = 'GET', url: target = '/', headers } = incoming;
    const address = readClientAddress(headers, incoming.socket.remoteAddress ?? '', this.#isBehindProxy);
    this.#openRequests += 1;
    const disconnect = new AbortController();
    outgoing.once('close', () => disconnect.abort());
    try {
      const body = await readBody(incoming);
      const response =
        body === undefined
          ? failureResponse(413, 'Request body too large', null)
          : await handle({ method, target, headers, body, address, signal: disconnect.signal });
      // The client disconnected, for example during a poll.
      if (disconnect.signal.aborted) return;
      const [path, query] = splitTarget(target);
      const { scope, status } = response;
      for (const listener of this.#listeners) {
        listener({ method, address, path, query, headers, body: parseBody(body), scope, status });
      }
      send(outgoing, response);
    } catch {
      // The client disconnected while it sent its request, or a listener threw, which must not crash the process.
      outgoing.destroy();
    } finally {
      this.#openRequests -= 1;
    }
  }
}

function send(outgoing: ServerResponse, { status, headers, body }: Response): void {
  outgoing.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
  outgoing.end(body);
}

function parseBody(body: string | undefined): unknown {
  if (body === undefined || body === '') return undefined;
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}
