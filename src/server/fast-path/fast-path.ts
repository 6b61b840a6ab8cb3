// Answers plain GraphQL requests with the hooks of yoga's plugins, but without the rest of yoga's HTTP processing.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createCustomAbortControllerSignal, sendNodeResponse } from '@whatwg-node/server';
import type { GraphQLError } from 'graphql';
import { type GraphQLParams, isAsyncIterable, type YogaServerInstance } from 'graphql-yoga';
import type { ServerContext, ServerPlugin } from '../context.ts';
import { parsePlainBody, plainPostType } from './plain-post.ts';
import { runHooks } from './run-hooks.ts';

/** What answers plain requests: `fast`, the fast path; `yoga`, yoga as all others. The fast path answers as yoga does. */
export type FrontName = 'fast' | 'yoga';

/** What the fast path needs besides yoga. */
export interface FastPathOptions {
  /** All plugins with hooks for requests and responses, but yoga's own. */
  readonly plugins: readonly ServerPlugin[];
  /** Largest body, in bytes. */
  readonly bodySize: number;
  /** Replaces the id of a trusted document by its text. */
  readonly resolve: (params: GraphQLParams) => GraphQLParams;
  readonly toClientError: (error: unknown) => GraphQLError;
}

type Yoga = YogaServerInstance<ServerContext, object>;
type Result = NonNullable<Awaited<ReturnType<Yoga['getResultForParams']>>>;
type RequestContext = ServerContext & Pick<Yoga, 'waitUntil'> & { readonly req: IncomingMessage };

/** What a hook would change about the parsing of a body, which has been parsed already. */
const PARSED = { requestParser: undefined, setRequestParser: () => undefined, endResponse: () => undefined };
/** What a hook would change about the format of a response, which is JSON. */
const FORMATTED = { acceptableMediaTypes: [], setResultProcessor: () => undefined };

/**
 * Makes a listener that answers a POST of JSON with one query or mutation by itself, as far as its result has no errors. It runs the
 * hooks of the plugins as yoga does, on the same request. Yoga handles all other requests, and makes the responses of other results.
 */
export function createFastPath(yoga: Yoga, options: FastPathOptions): RequestListener {
  const { plugins, bodySize, resolve, toClientError } = options;
  const { fetchAPI, graphqlEndpoint, getResultForParams, handleRequest, waitUntil } = yoga;
  const parseHooks = plugins.flatMap(({ onRequestParse }) => onRequestParse ?? []);
  const resultHooks = plugins.flatMap(({ onResultProcess }) => onResultProcess ?? []);
  const responseHooks = plugins.flatMap(({ onResponse }) => onResponse ?? []);
  // The hooks read the URL of requests without a body only.
  const url = new URL(graphqlEndpoint, 'http://localhost');

  /** Executes the operation with the hooks before and after the execution. Never rejects. */
  async function execute(request: Request, params: GraphQLParams, context: RequestContext): Promise<Result> {
    try {
      const parsing = runHooks(parseHooks, { ...PARSED, request, url, serverContext: context, fetchAPI });
      if (parsing !== undefined) await parsing;
      return (await getResultForParams({ params, request }, context)) ?? {};
    } catch (error) {
      return { errors: [toClientError(error)] };
    }
  }

  async function respond(
    request: Request,
    result: Result,
    serverContext: RequestContext,
    type: string,
    res: ServerResponse,
  ): Promise<void> {
    const processed = {
      ...FORMATTED,
      request,
      result,
      serverContext,
      setResult: (changed: typeof result) => {
        processed.result = changed;
      },
    };
    const processing = runHooks(resultHooks, processed);
    if (processing !== undefined) await processing;
    const body = JSON.stringify(processed.result);
    const headers = { 'content-type': `${type}; charset=utf-8` };
    const made = new fetchAPI.Response(body, { headers });
    const sent = {
      request,
      serverContext,
      fetchAPI,
      response: made,
      setResponse: (changed: Response) => {
        sent.response = changed;
      },
    };
    const finishing = runHooks(responseHooks, sent);
    if (finishing !== undefined) await finishing;
    if (sent.response === made) sendText(res, made, body);
    else await sendNodeResponse(sent.response, res, serverContext.req, true);
  }

  async function handle(req: IncomingMessage, res: ServerResponse, type: string): Promise<void> {
    const body = await readBody(req);
    if (body === null) return;
    const request = new fetchAPI.Request(`http://${req.headers.host}${graphqlEndpoint}`, {
      method: 'POST',
      headers: req.headers as Record<string, string>,
      body,
      signal: createLeavingSignal(res),
    });
    const context: RequestContext = { req, waitUntil };
    const params = parsePlainBody(body, resolve);
    if (params === null) return await sendNodeResponse(await handleRequest(request, context), res, req, true);
    const result = await execute(request, params, context);
    const isPlain = isData(result);
    if (!isPlain) context.executed = { params, result };
    if (isPlain) await respond(request, result, context, type, res);
    else await sendNodeResponse(await handleRequest(request, context), res, req, true);
  }

  return (req, res) => {
    const type = plainPostType(req, graphqlEndpoint, bodySize);
    if (type === null) return void yoga(req, res);
    handle(req, res, type).catch((error: unknown) => {
      toClientError(error);
      res.destroy();
    });
  };
}

/** Whether a result is data alone, so that its status is 200 and it has no other headers. */
const isData = (result: Result): boolean =>
  !isAsyncIterable(result) && result.errors === undefined && result.extensions?.['http'] === undefined;

/** Sends a response with a text as its body. Node writes a list of headers at once, and keeps no copy of it. */
function sendText(res: ServerResponse, { status, headers }: Response, text: string): void {
  if (res.destroyed || res.writableEnded) return;
  const fields: string[] = [];
  headers.forEach((value, name) => void fields.push(name, value));
  res.writeHead(status, fields).end(text);
}

/** Reads a body as text. Null when the client leaves before it is complete. */
async function readBody(req: IncomingMessage): Promise<string | null> {
  return await new Promise((resolve) => {
    if (req.destroyed) return resolve(null);
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.once('end', () =>
      resolve((chunks.length === 1 ? chunks[0] : Buffer.concat(chunks))?.toString('utf8') ?? ''),
    );
    req.once('close', () => resolve(null));
  });
}

/** A signal that aborts when the client leaves before it has its response. */
function createLeavingSignal(res: ServerResponse): AbortSignal {
  const controller = createCustomAbortControllerSignal();
  res.once('close', () => {
    if (!res.writableFinished) controller.abort(res.errored ?? undefined);
  });
  return controller.signal;
}
