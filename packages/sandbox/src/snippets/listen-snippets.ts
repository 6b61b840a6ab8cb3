// Starts a snippet service over HTTP.
import { createHash } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { closeAtOnce, listen, readBody, splitTarget } from '../http/http.ts';
import { answer, type SnippetService } from './service.ts';
import { createSnippetStore } from './snippet-store.ts';

/** The options of a snippet service. */
export interface SnippetsOptions {
  /** Default: 127.0.0.1. */
  readonly host?: string;
  /** Default: 0, any free port. */
  readonly port?: number;
  /** Whether commands are allowed without an API key. Default: true. */
  readonly allowAnonymous?: boolean;
  /** Returns the current time in milliseconds since 1970. Default: Date.now. */
  readonly now?: () => number;
}

/** A user with an API key. */
export interface SnippetsUser {
  readonly login: string;
  readonly apiKey: string;
}

/** A request and the status of its response. */
export interface RecordedSnippetRequest {
  readonly method: string;
  /** As sent, without the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The parameters of the query string and the body. Empty parameters are missing. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly status: number;
}

/** A running snippet service. */
export interface Snippets extends AsyncDisposable {
  /** For example http://127.0.0.1:40123. */
  readonly url: string;
  /** Whether commands are allowed without an API key. */
  readonly allowAnonymous: boolean;
  /** The users of the management API. */
  readonly users: readonly SnippetsUser[];
  /** Calls the listener before each response is sent. Returns a function that removes the listener. */
  onRequest(listener: (request: RecordedSnippetRequest) => void): () => void;
  /** Closes the server and its connections immediately. */
  close(): Promise<void>;
}

/** Starts a snippet service (specification: Snippet service). Rejects with Node's error when it cannot listen. */
export async function listenSnippets(options: SnippetsOptions = {}): Promise<Snippets> {
  const { host = '127.0.0.1', port = 0, allowAnonymous = true, now = Date.now } = options;
  const users = ['admin', 'user'].map((login) => ({ login, apiKey: createApiKey(login) }));
  const service: SnippetService = {
    store: createSnippetStore(now),
    loginsByApiKey: new Map(users.map(({ login, apiKey }) => [apiKey, login])),
    allowAnonymous,
    now,
  };
  const listeners = new Set<(request: RecordedSnippetRequest) => void>();
  const server = createServer((incoming, outgoing) => void serve(incoming, outgoing));
  const url = await listen(server, port, host);

  async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method = 'GET', url: target = '/', headers } = incoming;
    try {
      const body = await readBody(incoming);
      if (body === undefined) {
        outgoing.writeHead(413, { connection: 'close' }).end();
        return;
      }
      const response = await answer(service, { method, target, headers, body });
      const { status, parameters } = response;
      const [path] = splitTarget(target);
      for (const listener of listeners) {
        listener({ method, path, headers, parameters: Object.fromEntries(parameters), status });
      }
      outgoing.writeHead(status, response.headers).end(response.body);
    } catch {
      // The client disconnected while it sent its request, or a listener threw.
      outgoing.destroy();
    }
  }

  const close = (): Promise<void> => closeAtOnce(server);
  return {
    url,
    allowAnonymous,
    users,
    onRequest(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Returns the API key of a user, which is the same in every sandbox. */
function createApiKey(login: string): string {
  return createHash('sha256').update(`snippet service key of ${login}`).digest('hex').slice(0, 40);
}
