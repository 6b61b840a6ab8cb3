// Lets yoga take part in the pipeline: it reads and answers the HTTP requests that are not plain, and those of embedders.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isAsyncIterable } from '@envelop/core';
import type { ExecutionResult, GraphQLError } from 'graphql';
import { createYoga, getSSEProcessor, type Plugin, type YogaServerInstance } from 'graphql-yoga';
import type { AddressOf, OwnPages } from '../../callers/requester.ts';
import type { Observer } from '../../observer.ts';
import type { Limits } from '../limits.ts';
import type { Pipeline } from '../pipeline.ts';
import type { Page } from '../plugin.ts';
import { toErrorResponse, withIds } from '../results.ts';
import {
  createHttpError,
  createRequestReader,
  HttpOperation,
  HttpRequester,
  parseJson,
  setResponseHeaders,
  toResponseStream,
} from './http-operation.ts';
import { chooseCompression } from './plain-post.ts';

/** What HTTP requests are answered with. */
export interface HttpOptions {
  /** Path of GraphQL. */
  readonly endpoint: string;
  readonly pipeline: Pipeline;
  /** The pages that may use the cookie of a browser's session, and open streams. */
  readonly pages: OwnPages;
  /** What answers requests that are no operations, in the order in which it is asked. */
  readonly routes: readonly Page[];
  readonly addressOf: AddressOf;
  readonly toClientError: (error: unknown) => GraphQLError;
  readonly observer: Observer;
  readonly limits: Pick<Limits, 'bodySize'>;
}

/** What is known of one request. */
interface BridgeContext {
  /** The request of node's HTTP server; absent when somebody calls `fetch`. */
  readonly req?: IncomingMessage;
  readonly res?: ServerResponse;
  requester?: HttpRequester;
  /** Absent until its parameters are read, and for pages. */
  operation?: HttpOperation;
  /** The results of an operation with several. */
  stream?: AsyncIterableIterator<ExecutionResult>;
  /** The result that the pipeline has made. */
  result?: ExecutionResult;
}

/** Yoga with the bridge. */
export type BridgedYoga = YogaServerInstance<BridgeContext, object>;

/** The same as servers use it: the package with its types is compiled into the library. */
export interface Yoga {
  /** Answers a request of `node:http`. */
  (request: IncomingMessage, response: ServerResponse): Promise<void> | void;
  /** Answers a Fetch request. */
  fetch(request: Request | URL | string, init?: RequestInit): Promise<Response> | Response;
}

/** Makes yoga without a schema and without plugins but the bridge: the pipeline executes all operations. */
export const createYogaBridge = (options: HttpOptions): BridgedYoga =>
  createYoga<BridgeContext, object>({
    graphqlEndpoint: options.endpoint,
    maskedErrors: { maskError: options.toClientError },
    plugins: [useBridge(options)],
    // `maskError` logs each failure once, without the query, which yoga's own log line would contain.
    logging: false,
    // The bridge and the pipeline do these.
    cors: false,
    maxRequestBodySize: false,
    parserAndValidationCache: false,
    multipart: false,
    landingPage: false,
    graphiql: false,
  });

function useBridge(options: HttpOptions): Plugin<BridgeContext, BridgeContext> {
  const { pipeline, pages, routes, addressOf, toClientError, limits } = options;

  const requesterOf = (request: Request, context: BridgeContext): HttpRequester => {
    const { req } = context;
    const header = req ? createRequestReader(req) : (name: string) => request.headers.get(name);
    context.requester ??= new HttpRequester(header, request.signal, req && addressOf(req));
    return context.requester;
  };

  return {
    async onRequest({ request, url, serverContext, endResponse }) {
      const requester = requesterOf(request, serverContext);
      // A preflight; browsers go by the headers of the response.
      if (request.method === 'OPTIONS')
        return endResponse(new Response(null, { status: 204, headers: { 'content-length': '0' } }));
      try {
        for (const route of routes) {
          const response = await route({ request, url, requester });
          if (response !== null) return endResponse(response);
        }
      } catch (error) {
        const { errors } = withIds({ errors: [toClientError(error)] }, requester.requestId);
        endResponse(toErrorResponse(errors));
      }
    },

    onRequestParse({ request, serverContext, setRequestParser }) {
      const requester = requesterOf(request, serverContext);
      const report = pipeline.beginReport(requester, 'http');
      let readSent = (): unknown => null;
      serverContext.operation = new HttpOperation(requester, () => readSent(), report, request.method, pages);
      setRequestParser(async () => {
        try {
          const sent = await readParameters(request, limits.bodySize);
          readSent = () => sent;
        } catch (error) {
          const cause = requester.leaving.aborted
            ? new DOMException('The client has left.', 'AbortError')
            : error;
          readSent = () => {
            throw cause;
          };
        }
        return CHECKED_LATER;
      });
    },

    async onParams({ context, setResult }) {
      const { operation } = context;
      if (operation === undefined) throw new TypeError('expected a request whose parameters are read');
      const result = await pipeline.run(operation);
      if (!isAsyncIterable(result)) {
        context.result = operation.toWritable(result);
        return setResult(context.result);
      }
      context.stream = toResponseStream(result, operation);
      setResult(context.stream);
    },

    onResultProcess({ result, setResult, setResultProcessor, serverContext }) {
      const { operation, stream } = serverContext;
      if (operation === undefined || Array.isArray(result)) return;
      if (operation.sendsEvents(stream !== undefined))
        setResultProcessor(getSSEProcessor(), 'text/event-stream');
      if (result === serverContext.result || isAsyncIterable(result)) return;
      // Yoga itself has refused the request, for example because of its method, or could not make JSON of the result.
      const refusal = withIds(result, operation.requester.requestId);
      operation.report?.addResult(refusal);
      setResult(refusal);
    },

    async onResponse({ request, response, serverContext, setResponse, fetchAPI }) {
      const { headers, status, statusText } = response;
      const { operation, stream } = serverContext;
      const requester = requesterOf(request, serverContext);
      setResponseHeaders(headers, operation ?? { requester }, options);
      const { report = null } = operation ?? {};
      if (report !== null && headers.get('content-type')?.startsWith('text/event-stream') === true)
        report.transport = 'sse';
      // The end of a stream reports its own.
      if (stream === undefined || status !== 200) operation?.end(status);
      // Yoga starts a stream before it finds that the client accepts none of its media types.
      if (status === 406) await stream?.return?.();
      const compress = chooseCompression(headers, requester.header('accept-encoding'));
      // The response to HEAD has no body.
      if (compress === null || response.body === null) return;
      const body = await compress(response.body);
      setResponse(new fetchAPI.Response(body, { status, statusText, headers }));
    },
  };
}

/** Parameters that yoga accepts. The pipeline reads and checks those of the request. */
const CHECKED_LATER = { query: '' };

/** Browsers send a body of any other type to a foreign server only after a preflight, or never. */
const JSON_TYPES: readonly string[] = ['application/json', 'application/graphql+json'];
const TEXT_TYPE = 'application/graphql';

/**
 * Reads the parameters of a request: those of a GET from its address, those of a POST from its body.
 * @param limit Bytes of a body.
 * @throws GraphQLError with a status: 400, 413 for a larger body, and 415 for a body that is neither JSON nor GraphQL, which foreign
 *   pages could send without a preflight. What `parseJson` throws.
 */
async function readParameters(request: Request, limit: number): Promise<unknown> {
  const { method, headers } = request;
  if (method === 'GET') return readAddress(new URL(request.url, 'http://localhost').searchParams);
  const [type = ''] = (headers.get('content-type') ?? '').split(/[;,]/, 1);
  const mediaType = type.trim().toLowerCase();
  if (!JSON_TYPES.includes(mediaType) && mediaType !== TEXT_TYPE)
    throw createHttpError(415, 'Send the operation as JSON, with "Content-Type: application/json".');
  const text = await readBody(request, limit);
  return mediaType === TEXT_TYPE ? { query: text } : parseJson(text);
}

function readAddress(parameters: URLSearchParams): Record<string, unknown> {
  const read: Record<string, unknown> = {};
  for (const name of ['query', 'operationName', 'documentId', 'onError', 'variables', 'extensions']) {
    const value = parameters.get(name);
    if (!value) continue;
    const isJson = name === 'variables' || name === 'extensions';
    read[name] = isJson ? parseJson(value, `The parameter "${name}"`) : value;
  }
  return read;
}

/** Refuses a larger body before it is read, as far as its length is stated: node ensures that the body has that length. */
async function readBody(request: Request, limit: number): Promise<string> {
  const length = request.headers.get('content-length');
  let size = Number(length);
  // A body that another server has parsed already is no stream any more.
  if (length !== null && size <= limit) return await request.text();
  const chunks: Uint8Array[] = [];
  if (length === null)
    for await (const chunk of request.body ?? []) {
      size += chunk.byteLength;
      if (size > limit) break;
      chunks.push(chunk);
    }
  if (size > limit) throw createHttpError(413, 'Request body too large');
  return Buffer.concat(chunks).toString('utf8');
}
