// Answers the usual request for an operation, a POST of JSON, without the requests and responses of fetch, and compresses results.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createGzip } from 'node:zlib';
import { isAsyncIterable } from '@envelop/core';
import { sendNodeResponse } from '@whatwg-node/server';
import { type FetchAPI, getSSEProcessor, processRegularResult } from 'graphql-yoga';
import { Abort } from '../../upstream/abortable.ts';
import type { IncrementalResult } from '../results.ts';
import {
  createRequestReader,
  HttpOperation,
  HttpRequester,
  parseJson,
  readAccept,
  setResponseHeaders,
  toResponseStream,
  type WritableHeaders,
} from './http-operation.ts';
import type { BridgedYoga, HttpOptions } from './yoga-bridge.ts';

const JSON_BODY = /^application\/json(; ?charset=[Uu][Tt][Ff]-8)?$/;
const LENGTH = /^\d{1,15}$/;

const EVENTS = 'text/event-stream';

/** Answers a request of node. Resolves when the response is made; never rejects. */
export type HttpListener = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Makes a listener that answers plain requests itself, and leaves all others to yoga. */
export function createPlainListener(yoga: BridgedYoga, options: HttpOptions): HttpListener {
  return async (req, res) => {
    // Another server may have read the body already, which yoga then finds in the request.
    const type = req.readableEnded ? null : plainType(req, yoga.graphqlEndpoint, options.limits.bodySize);
    if (type === null) return yoga(req, res);
    try {
      await answer(req, res, type, yoga, options);
    } catch (error) {
      options.toClientError(error);
      res.destroy();
    }
  };
}

/**
 * The media type of the result of a plain request: a POST of JSON to the endpoint, with a body of known length within the limit, whose
 * result comes in one part. Null for any other request.
 */
export function plainType(
  { method, url, headers }: Pick<IncomingMessage, 'method' | 'url' | 'headers'>,
  endpoint: string,
  maxBytes: number,
): string | null {
  if (method !== 'POST' || url !== endpoint) return null;
  const { 'content-type': type = '', 'content-length': length = '', accept = null } = headers;
  if (!JSON_BODY.test(type) || !LENGTH.test(length) || Number(length) > maxBytes) return null;
  const { json, parts } = readAccept(accept);
  return parts ? null : json;
}

async function answer(
  req: IncomingMessage,
  res: ServerResponse,
  type: string,
  { fetchAPI }: BridgedYoga,
  options: HttpOptions,
): Promise<void> {
  const { pipeline, pages, addressOf } = options;
  const body = await readBody(req);
  if (body === null) return;
  const requester = new HttpRequester(createRequestReader(req), createLeavingSignal(res), addressOf(req));
  const report = pipeline.beginReport(requester, 'http');
  const operation = new HttpOperation(requester, () => parseJson(body), report, 'POST', pages);
  const result = await pipeline.run(operation);
  if (!isAsyncIterable(result)) return sendResult(res, type, result, operation, options);
  // A client that accepts any type gets a subscription, too.
  if (report !== null) report.transport = 'sse';
  const response = await getSSEProcessor()(toResponseStream(result, operation), fetchAPI, EVENTS);
  setResponseHeaders(response.headers, operation, options);
  await sendNodeResponse(response, res, req, true);
}

/** Returns a promise only where the result is compressed. */
function sendResult(
  res: ServerResponse,
  type: string,
  result: IncrementalResult,
  operation: HttpOperation,
  options: HttpOptions,
): Promise<void> | void {
  const { requester } = operation;
  // Yoga formats the result, and decides the status and the type.
  const response = processRegularResult(
    operation.toWritable(result),
    PLAIN_API,
    type,
  ) as unknown as PlainResponse;
  const { text, headers, status } = response;
  const body = Buffer.from(text);
  headers.set('content-length', String(body.length));
  setResponseHeaders(headers, operation, options);
  operation.end(status);
  if (requester.leaving.aborted) return;
  const compress = chooseCompression(headers, requester.header('accept-encoding'));
  if (compress === null) return send(res, status, headers, body);
  return compress([body]).then((compressed) => send(res, status, headers, compressed));
}

/**
 * Sends a response as soon as the event loop has handled what it has received. Responses are then written one after another, and only
 * the first has to wake the client.
 */
function send(res: ServerResponse, status: number, headers: PlainHeaders, body: Buffer): void {
  if (res.destroyed || res.writableEnded) return;
  res.writeHead(status, headers.toList());
  setImmediate(() => {
    if (!res.destroyed) res.end(body);
  });
}

/** What yoga writes the status, the type and the text of a single result into. */
class PlainResponse {
  readonly text: string;
  readonly status: number;
  readonly headers = new PlainHeaders();

  constructor(
    text: string,
    { status, headers }: { readonly status: number; readonly headers: Record<string, string> },
  ) {
    this.text = text;
    this.status = status;
    for (const [name, value] of Object.entries(headers)) this.headers.set(name.toLowerCase(), value);
  }
}

const PLAIN_API = { Response: PlainResponse } as unknown as FetchAPI;

/** Reads a body. Null when the client leaves before it is complete. */
function readBody(req: IncomingMessage): Promise<string | null> {
  return new Promise((resolve) => {
    if (req.destroyed) return resolve(null);
    const parts: Buffer[] = [];
    req.on('data', (part: Buffer) => parts.push(part));
    req.once('end', () =>
      resolve((parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts)).toString()),
    );
    req.once('close', () => resolve(null));
  });
}

/** A signal that aborts when the client leaves before it has its response. */
function createLeavingSignal(res: ServerResponse): Abort {
  const leaving = new Abort();
  res.once('close', () => {
    if (!res.writableFinished)
      leaving.abort(res.errored ?? new DOMException('The client has left.', 'AbortError'));
  });
  return leaving;
}

/** Headers with names in lower case. Those of fetch check, copy and sort each header. */
class PlainHeaders extends Map<string, string> {
  append(name: string, value: string): void {
    const before = this.get(name);
    this.set(name, before === undefined ? value : `${before}, ${value}`);
  }

  /** Lists names and values in turn, as node takes them without a copy. */
  toList(): string[] {
    const list: string[] = [];
    for (const [name, value] of this) list.push(name, value);
    return list;
  }
}

/** Bytes up to which compression saves no packet. Results always state their length. */
const THRESHOLD = 1_000;
/** The types of complete results and of the schema. Streams have others, and must reach the client event by event. */
const COMPRESSIBLE = /^application\/(([\w-]+\+)?json|graphql)\b/;

/**
 * Decides by its headers whether a result is compressed with gzip, and says so in them: those of more than 1,000 bytes, as the client
 * accepts. Null when it is not. The whole result is compressed before it is sent, so that it states its length.
 */
export function chooseCompression(
  headers: WritableHeaders,
  acceptEncoding: string | null,
): ((body: Iterable<Uint8Array> | AsyncIterable<Uint8Array>) => Promise<Buffer<ArrayBuffer>>) | null {
  if (!COMPRESSIBLE.test(headers.get('content-type') ?? '') || headers.has('content-encoding')) return null;
  headers.append('vary', 'Accept-Encoding');
  const length = headers.get('content-length');
  if (length !== null && Number(length) <= THRESHOLD) return null;
  if (!acceptsEncoding(acceptEncoding, 'gzip')) return null;
  headers.set('content-encoding', 'gzip');
  return async (body) => {
    // Outside of the event loop, and at the fastest level, which makes results of many rows a seventh of their size.
    const compressed = await buffer(Readable.from(body).pipe(createGzip({ level: 1 })));
    headers.set('content-length', String(compressed.length));
    return compressed;
  };
}

/** Whether a header `Accept-Encoding` names an encoding with a quality above zero. */
export const acceptsEncoding = (accepted: string | null, encoding: string): boolean =>
  (accepted?.toLowerCase().split(',') ?? []).some((one) => {
    const [name, quality = 'q=1'] = one.split(';').map((part) => part.trim());
    return name === encoding && Number(quality.replace('q=', '')) > 0;
  });
