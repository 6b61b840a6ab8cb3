// Starts a stub of a management API, whose responses a test defines.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Raw } from './describe-api.ts';
import { listen, readText } from './plain-server.ts';

/** A call that the stub received. */
export interface StubCall {
  readonly scope: string;
  /** Values of the path's placeholders, in path order. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  /** The parsed JSON body. Undefined: the request has none. */
  readonly body: unknown;
  /** The body as it was sent. */
  readonly text: string;
}

/** Sends the response to a call. */
export type Answer = (response: ServerResponse) => void;
/** Chooses the response to a call. */
export type Handler = (call: StubCall) => Answer;

/** A stub of a management API. */
export interface StubUpstream extends AsyncDisposable {
  readonly url: URL;
  /** Calls of actions since the stub was started or `calls` was emptied. */
  readonly calls: StubCall[];
  /** Handlers by scope; may be changed while the stub runs. */
  readonly handlers: Map<string, Handler>;
  /** Chooses the response to OPTIONS; may be changed while the stub runs. Default: the same description for all callers. */
  onOptions: (headers: IncomingMessage['headers'], url: URL) => Answer;
  /** Answers a path that is not described. Default: 404. */
  onUnknownPath: () => Answer;
  /** The number of OPTIONS requests since the stub was started. */
  options: number;
}

/** Responds with an envelope. */
export const reply =
  (envelope: unknown, status = 200): Answer =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(envelope));
  };

/** Responds with the envelope of a success. */
export const ok = (response: unknown): Answer =>
  reply({ status: true, response, message: null, errors: null });

/** Responds with the envelope of a failure. */
export const refuse = (message: string | null, errors: unknown = null, status = 200): Answer =>
  reply({ status: false, response: null, message, errors }, status);

/** Responds with a body as it is. */
export const raw =
  (body: string, status = 200, type = 'text/html'): Answer =>
  (response) => {
    response.writeHead(status, { 'content-type': type }).end(body);
  };

/** Announces a body of twice the length that it sends, and closes the connection. */
export const truncate =
  (body: string): Answer =>
  (response) => {
    response.writeHead(200, { 'content-length': body.length * 2 });
    response.write(body, () => response.destroy());
  };

/** Closes the connection without a response. */
export const hangUp: Answer = (response) => {
  response.destroy();
};

/** Never responds. */
export const silence: Answer = () => {};

/** Starts a stub of the API that a description describes, on a free port. */
export async function startStub(
  description: Raw,
  handlers: Readonly<Record<string, Handler>>,
): Promise<StubUpstream> {
  const { token } = (description['authentication'] ?? {}) as { readonly token?: Raw };
  const routes = [...listRoutes(description['resources'], []), ...listRoutes(token?.['resources'], [])];
  const known = new Map(Object.entries(handlers));
  const calls: StubCall[] = [];
  const server = await listen(async (request, response) => {
    const text = await readText(request);
    const body: unknown = text === '' ? undefined : JSON.parse(text);
    const url = new URL(request.url ?? '/', 'http://stub');
    if (request.method === 'OPTIONS') {
      stub.options += 1;
      stub.onOptions(request.headers, url)(response);
      return;
    }
    for (const { scope, method, pattern } of routes) {
      const match = method === request.method ? pattern.exec(url.pathname) : null;
      if (match === null) continue;
      const path = match.slice(1).map(decodeURIComponent);
      const call = { scope, path, query: url.searchParams, headers: request.headers, body, text };
      calls.push(call);
      (known.get(scope) ?? (() => refuse('no handler', null, 500)))(call)(response);
      return;
    }
    stub.onUnknownPath()(response);
  });
  const stub: StubUpstream = {
    url: new URL(server.url),
    calls,
    handlers: known,
    onOptions: () => ok(description),
    onUnknownPath: () => refuse('no such path', null, 404),
    options: 0,
    [Symbol.asyncDispose]: server.close,
  };
  return stub;
}

interface Route {
  readonly scope: string;
  readonly method: string;
  readonly pattern: RegExp;
}

function listRoutes(resources: unknown, parent: readonly string[]): Route[] {
  return Object.entries((resources ?? {}) as Record<string, Raw>).flatMap(([name, described]) => {
    const path = [...parent, name];
    const actions = Object.entries((described['actions'] ?? {}) as Record<string, Raw>).map(
      ([action, { method, path: template }]) => ({
        scope: `${path.join('.')}#${action}`,
        method: String(method),
        pattern: new RegExp(`^${String(template).replaceAll(/\{\w+\}/g, '([^/]+)')}$`),
      }),
    );
    return [...actions, ...listRoutes(described['resources'], path)];
  });
}
