import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { bindApi } from './api.ts';
import { createHandler, failed, type Response } from './handler.ts';
import { resources } from './resources/resources.ts';
import { tokenResource } from './resources/token.ts';
import { createRunning, type FailureKind } from './running.ts';
import { seed } from './seed/seed.ts';
import { createSessions, password, readyToken, tokenHeader } from './sessions.ts';
import { createStore } from './store.ts';

/** How a sandbox listens and what it offers. */
export interface SandboxOptions {
  /** Default: 127.0.0.1. */
  readonly host?: string;
  /** Default: 0, any free one. */
  readonly port?: number;
  /** Actions offer `includes`. Default: true; false: no action offers or honours them, as on some servers. */
  readonly offerIncludes?: boolean;
  /** Lists offer `count`. Default: true. */
  readonly offerCount?: boolean;
  /** Milliseconds between the steps of running actions, or `manual`: only `advance` moves them. Default: 400; 0: at once. */
  readonly step?: number | 'manual';
  /** Milliseconds for which the state of an ended action can be shown. Default: 60,000. */
  readonly stateExpiry?: number;
}

/** A user to log in as: by login and password, or by a token that is ready to use. */
export interface SandboxUser {
  readonly login: string;
  readonly password: string;
  readonly token: string;
  readonly admin: boolean;
}

/** A request and how it was answered. */
export interface RecordedRequest {
  readonly method: string;
  /** As sent, without the query. */
  readonly path: string;
  /** As sent, without the question mark. */
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
  /** Parsed where it is JSON, else the text; undefined for none. */
  readonly body: unknown;
  /** For example `dataset.snapshot#index`; null for OPTIONS and where no action was found. */
  readonly scope: string | null;
  readonly status: number;
}

/** A running management API with data of its own. */
export interface Sandbox extends AsyncDisposable {
  /** For example http://127.0.0.1:40123. */
  readonly url: string;
  /** The administrator first, then an ordinary user. */
  readonly users: readonly SandboxUser[];
  /** The header that carries a session token. */
  readonly tokenHeader: string;
  /** Requests being answered right now. */
  readonly openRequests: number;
  /** Moves running actions so many steps; default one. */
  advance(steps?: number): void;
  /** Makes the next blocking action fail: below its total, at it, or by way of a rollback. */
  failNext(kind: FailureKind): void;
  /** Calls the listener when an answer is ready, before it is sent. Returns what ends that. */
  onRequest(listener: (request: RecordedRequest) => void): () => void;
  /** Closes the listener and every connection at once. */
  close(): Promise<void>;
}

/** Longest request body, in bytes. */
const longestBody = 10 * 1024 * 1024;

/** Starts a sandbox of its own; rejects with node's error when it cannot listen (code EADDRINUSE when the port is taken). */
export async function listenSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const {
    host = '127.0.0.1',
    port = 0,
    offerIncludes = true,
    offerCount = true,
    step = 400,
    stateExpiry = 60_000,
  } = options;
  const store = createStore(seed());
  const logins = ['admin', 'user'];
  const sessions = createSessions(store, logins);
  const running = createRunning(store, { step, stateExpiry });
  const offers = { includes: offerIncludes, count: offerCount };
  const handle = createHandler(
    bindApi('7.0', resources, { token: tokenResource(sessions) }, offers),
    store,
    sessions,
    running,
  );
  const listeners = new Set<(request: RecordedRequest) => void>();
  let openRequests = 0;

  async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method = 'GET', url: target = '/', headers } = incoming;
    openRequests += 1;
    const left = new AbortController();
    outgoing.once('close', () => left.abort());
    try {
      const body = await readBody(incoming);
      const response =
        body === undefined
          ? failed(413, 'Request body too large', null)
          : await handle({ method, target, headers, body, signal: left.signal });
      const mark = target.indexOf('?');
      const [path, query] = mark < 0 ? [target, ''] : [target.slice(0, mark), target.slice(mark + 1)];
      const { scope, status } = response;
      for (const listener of listeners) {
        listener({ method, path, query, headers, body: parsed(body), scope, status });
      }
      send(outgoing, response);
    } catch {
      // The client went away while it sent its request, or a listener threw: the one has nobody left to answer, the other
      // must not take the process down.
      outgoing.destroy();
    } finally {
      openRequests -= 1;
    }
  }

  const server = createServer((incoming, outgoing) => void serve(incoming, outgoing));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });

  function close(): Promise<void> {
    running.close();
    return new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  }

  const address = server.address() as AddressInfo;
  return {
    url: `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`,
    users: logins.map((login) => ({ login, password, token: readyToken(login), admin: login === 'admin' })),
    tokenHeader,
    get openRequests() {
      return openRequests;
    },
    onRequest(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    advance: (steps) => running.advance(steps),
    failNext: (kind) => running.failNext(kind),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Undefined when it is too long. */
async function readBody(incoming: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= longestBody) chunks.push(chunk);
  }
  return size > longestBody ? undefined : Buffer.concat(chunks).toString('utf8');
}

function send(outgoing: ServerResponse, { status, headers, body }: Response): void {
  outgoing.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
  outgoing.end(body);
}

function parsed(body: string | undefined): unknown {
  if (body === undefined || body === '') return undefined;
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}
