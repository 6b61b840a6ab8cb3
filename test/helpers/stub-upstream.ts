import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Raw } from './describe-api.ts';

/** One call as the stub got it. */
export interface StubCall {
  readonly scope: string;
  /** Values of the path's placeholders, in path order. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  /** The body as JSON; undefined for none. */
  readonly body: unknown;
}

/** Answers one call, well or badly. */
export type Answer = (response: ServerResponse) => void;
/** What an action answers. */
export type Handler = (call: StubCall) => Answer;

/** A management API that answers what a test tells it to. */
export interface StubUpstream extends AsyncDisposable {
  readonly url: URL;
  /** Calls of actions since the stub was started or `calls` was emptied. */
  readonly calls: StubCall[];
  /** Handlers by scope; may be changed while the stub runs. */
  readonly handlers: Map<string, Handler>;
  /** What `OPTIONS` answers; may be changed while the stub runs. Default: the description, to everybody. */
  onOptions: (headers: IncomingMessage['headers'], url: URL) => Answer;
  /** `OPTIONS` answered since the stub was started. */
  options: number;
}

/** Answers an envelope. */
export const reply =
  (envelope: unknown, status = 200): Answer =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(envelope));
  };

/** Answers a successful envelope. */
export const ok = (response: unknown): Answer =>
  reply({ status: true, response, message: null, errors: null });

/** Answers a refusal. */
export const refuse = (message: string | null, errors: unknown = null, status = 200): Answer =>
  reply({ status: false, response: null, message, errors }, status);

/** Answers a body as it is. */
export const raw =
  (body: string, status = 200, type = 'text/html'): Answer =>
  (response) => {
    response.writeHead(status, { 'content-type': type }).end(body);
  };

/** Promises more than it sends, then breaks off. */
export const half =
  (body: string): Answer =>
  (response) => {
    response.writeHead(200, { 'content-length': body.length * 2 });
    response.write(body, () => response.destroy());
  };

/** Breaks off without a word. */
export const hangUp: Answer = (response) => {
  response.destroy();
};

/** Never answers. */
export const silence: Answer = () => {};

/** Starts a stub of the API that a description describes, on a free port. */
export async function startStub(
  description: Raw,
  handlers: Readonly<Record<string, Handler>>,
): Promise<StubUpstream> {
  const { token } = (description['authentication'] ?? {}) as { readonly token?: Raw };
  const routes = [...routesOf(description['resources'], []), ...routesOf(token?.['resources'], [])];
  const known = new Map(Object.entries(handlers));
  const calls: StubCall[] = [];
  const server = createServer(async (request, response) => {
    const body = await readJson(request);
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
      const call = { scope, path, query: url.searchParams, headers: request.headers, body };
      calls.push(call);
      (known.get(scope) ?? (() => refuse('no handler', null, 500)))(call)(response);
      return;
    }
    refuse('no such path', null, 404)(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const stub: StubUpstream = {
    url: new URL(`http://127.0.0.1:${port}/`),
    calls,
    handlers: known,
    onOptions: () => ok(description),
    options: 0,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return stub;
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return chunks.length === 0 ? undefined : JSON.parse(Buffer.concat(chunks).toString('utf8'));
}

interface Route {
  readonly scope: string;
  readonly method: string;
  readonly pattern: RegExp;
}

function routesOf(resources: unknown, parent: readonly string[]): Route[] {
  return Object.entries((resources ?? {}) as Record<string, Raw>).flatMap(([name, described]) => {
    const path = [...parent, name];
    const actions = Object.entries((described['actions'] ?? {}) as Record<string, Raw>).map(
      ([action, { method, path: template }]) => ({
        scope: `${path.join('.')}#${action}`,
        method: String(method),
        pattern: new RegExp(`^${String(template).replaceAll(/\{\w+\}/g, '([^/]+)')}$`),
      }),
    );
    return [...actions, ...routesOf(described['resources'], path)];
  });
}
