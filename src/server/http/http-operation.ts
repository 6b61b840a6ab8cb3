// Reads who sent an HTTP request and which types of answers it accepts, and sets the headers of its response.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { mapAsyncIterator } from '@envelop/core';
import { type ExecutionResult, GraphQLError, type OperationDefinitionNode, OperationTypeNode } from 'graphql';
import { LRUCache } from 'lru-cache';
import {
  isFromOwnPage,
  type OwnPages,
  type Requester,
  type ResponseCookie,
} from '../../callers/requester.ts';
import { type Abortable, toAbortSignal } from '../../upstream/abortable.ts';
import type { HeaderReader } from '../../upstream/http/caller.ts';
import type { Allowance } from '../cost/cost-limit.ts';
import { RefusedError } from '../errors.ts';
import type { OperationReport } from '../operation-report.ts';
import type { OperationRequest } from '../operation-request.ts';
import { type IncrementalResult, writeResult } from '../results.ts';
import type { HttpOptions } from './yoga-bridge.ts';

/** Who sent an HTTP request. */
export class HttpRequester implements Requester {
  readonly header: HeaderReader;
  readonly address: string | undefined;
  /** The client's `X-Request-Id` when it is a plain word, else a random one. */
  readonly requestId: string;
  readonly leaving: Abortable;
  readonly cookie: ResponseCookie = { setCookie: null, isOpen: true };

  constructor(header: HeaderReader, leaving: Abortable, address: string | undefined) {
    this.header = header;
    this.address = address;
    const given = header('x-request-id') ?? '';
    this.requestId = /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID();
    this.leaving = leaving;
  }

  get signal(): AbortSignal {
    return toAbortSignal(this.leaving);
  }
}

/** Makes a reader of the headers of node's request. It joins repeated headers. */
export function createRequestReader(req: IncomingMessage): HeaderReader {
  const { headers, rawHeaders } = req;
  // Without repeated headers, `headers` has all of them at no cost. Of two `Authorization` headers, it has only the first.
  if (rawHeaders.length !== 2 * Object.keys(headers).length)
    return (name) => req.headersDistinct[name.toLowerCase()]?.join(', ') ?? null;
  return (name) => {
    const lowerCase = name.toLowerCase();
    return Object.hasOwn(headers, lowerCase) ? String(headers[lowerCase]) : null;
  };
}

/** An operation that arrived by HTTP. */
export class HttpOperation implements OperationRequest {
  readonly requester: HttpRequester;
  readonly readSent: () => unknown;
  readonly report: OperationReport | null;
  isTrusted = false;
  hidesSchema = false;
  allowance?: Allowance | null;
  estimate?: number;
  #kind: OperationTypeNode | null = null;
  readonly #method: string;
  readonly #accepted: AcceptedTypes;
  readonly #pages: OwnPages;

  constructor(
    requester: HttpRequester,
    readSent: () => unknown,
    report: OperationReport | null,
    method: string,
    pages: OwnPages,
  ) {
    this.requester = requester;
    this.readSent = readSent;
    this.report = report;
    this.#method = method;
    this.#accepted = readAccept(requester.header('accept'));
    this.#pages = pages;
  }

  get ownHeader(): HeaderReader {
    return this.requester.header;
  }

  get acceptsParts(): boolean {
    return this.#accepted.parts;
  }

  get liveAs(): 'stream' | 'result' {
    return this.#accepted.stream ? 'stream' : 'result';
  }

  /** Whether the results of a subscription are sent as events: those of a stream always, and a single one where JSON is not accepted. */
  sendsEvents(isStream: boolean): boolean {
    const { events, json } = this.#accepted;
    return this.#kind === OperationTypeNode.SUBSCRIPTION && events && (isStream || json === null);
  }

  /** Lets yoga write a result by `writeResult`. */
  toWritable<R extends IncrementalResult>(
    result: R,
  ): R & { readonly stringify: (formatted: object) => string } {
    const { requestId } = this.requester;
    return Object.assign(result, { stringify: (formatted: object) => writeResult(formatted, requestId) });
  }

  /** Reports the end of the response. @param status Null for none. */
  end(status: number | null): void {
    const hasLeft = this.requester.leaving.aborted;
    this.report?.end(hasLeft ? null : status, hasLeft);
  }

  admit({ operation: kind }: Pick<OperationDefinitionNode, 'operation'>): void {
    this.#kind = kind;
    if (kind === OperationTypeNode.MUTATION && this.#method === 'GET')
      throw createHttpError(405, 'Can only perform a mutation operation from a POST request.', {
        Allow: 'POST',
      });
    if (kind !== OperationTypeNode.SUBSCRIPTION) return;
    if (!this.#accepted.events)
      throw createHttpError(406, 'A subscription needs "Accept: text/event-stream", or a WebSocket.');
    const { header } = this.requester;
    // Browsers state that a page is the server's own, even if a proxy has replaced `Host`.
    if (header('sec-fetch-site') !== 'same-origin' && !isFromOwnPage(header, this.#pages))
      throw new RefusedError(
        'PAGE_FOREIGN',
        'Pages of this origin may not subscribe; the operator can list the origin in --origins.',
      );
  }
}

/** Makes results that are sent one after another end with their errors, and with the client. Reports their end. */
export function toResponseStream(
  results: AsyncIterable<ExecutionResult>,
  operation: HttpOperation,
): AsyncIterableIterator<ExecutionResult> {
  const stream = mapAsyncIterator(
    results,
    (result) => operation.toWritable(result),
    (error: GraphQLError) => operation.toWritable({ errors: [error] }),
    () => operation.end(200),
  );
  const { leaving } = operation.requester;
  // Nobody reads a response whose client has left before it began.
  const end = (): void => void stream.return?.();
  if (leaving.aborted) end();
  else leaving.addEventListener('abort', end);
  return stream;
}

/** Makes an error that the client gets with a status of HTTP, whatever media type it accepts. */
export const createHttpError = (
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): GraphQLError => new GraphQLError(message, { extensions: { http: { status, headers } } });

/** What an `Accept` header allows. */
interface AcceptedTypes {
  /** The type of a single result: the first of JSON that the header names, as yoga chooses. Null for none, and where yoga has to choose. */
  readonly json: string | null;
  /** Whether a subscription can be answered by server-sent events. */
  readonly events: boolean;
  /** Whether the header names a type for results in parts. */
  readonly parts: boolean;
  /** Whether the header names the type of server-sent events. */
  readonly stream: boolean;
}

/** Types that a single result can have, or that stand for one of them. */
const JSON_TYPE = /^(application\/(graphql-response\+json|json|\*)|\*\/\*)$/;

/** Decisions by header. Each client sends few different ones. */
const decisions = new LRUCache<string, AcceptedTypes>({ max: 100, memoMethod: (accept) => decide(accept) });

/** Reads an `Accept` header; null is as good as any type. */
export const readAccept = (accept: string | null): AcceptedTypes => decisions.memo(accept || '*/*');

function decide(accept: string): AcceptedTypes {
  const types = accept
    .replace(/\s/g, '')
    .toLowerCase()
    .split(',')
    .flatMap((item) => {
      const [type = '', ...parameters] = item.split(';');
      const charset = parameters.find((parameter) => parameter.includes('charset='));
      return charset === undefined || charset === 'charset=utf-8' ? [type] : [];
    });
  const named = types.find((type) => JSON_TYPE.test(type) || type.includes('*'));
  const json = named !== undefined && JSON_TYPE.test(named) ? named : null;
  return {
    json: json?.includes('*') ? 'application/json' : json,
    events: types.some((type) => /^(text\/event-stream|text\/\*|\*\/(\*|event-stream))$/.test(type)),
    stream: /text\/event-stream/i.test(accept),
    parts: /multipart\/mixed|text\/event-stream/i.test(accept),
  };
}

/** Parses JSON. @param what The subject of the error's message. @throws GraphQLError with the status 400. */
export function parseJson(text: string, what = 'The body'): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw createHttpError(400, `${what} must be JSON.`);
  }
}

/** The headers of a response, of fetch or of node. */
export interface WritableHeaders extends Pick<Headers, 'has' | 'append'> {
  get(name: string): string | null | undefined;
  set(name: string, value: string): unknown;
}

/** What pages of listed origins may read besides the body, and for how many seconds browsers remember that they may. */
const EXPOSED = 'RateLimit, RateLimit-Policy, Retry-After, X-Request-Id';
const MAX_AGE = '600';

/** Sets the headers of a response to an operation, or to a request that is none. */
export function setResponseHeaders(
  headers: WritableHeaders,
  { requester, allowance }: Pick<HttpOperation, 'requester' | 'allowance'>,
  readers: Pick<HttpOptions, 'pages' | 'observer'>,
): void {
  setCorsHeaders(headers, requester, readers);
  headers.set('x-content-type-options', 'nosniff');
  headers.set('x-frame-options', 'DENY');
  headers.set('referrer-policy', 'same-origin');
  // Only pages of listed origins may read the response.
  headers.append('vary', 'Origin');
  // A response without an `ETag` may belong to one caller.
  if (!headers.has('etag')) headers.set('cache-control', 'no-store');
  if (!headers.has('content-security-policy'))
    headers.set('content-security-policy', "default-src 'none'; frame-ancestors 'none'");
  const { cookie } = requester;
  cookie.isOpen = false;
  if (cookie.setCookie !== null) headers.append('set-cookie', cookie.setCookie);
  for (const [name, value] of Object.entries(rateLimitHeaders(allowance))) headers.set(name, value);
  headers.set('x-request-id', requester.requestId);
}

/** Returns the headers about a client's budget (draft-ietf-httpapi-ratelimit-headers): none where it is unknown. */
export function rateLimitHeaders(allowance: HttpOperation['allowance']): Readonly<Record<string, string>> {
  if (!allowance) return {};
  const { limit, window, remaining, reset } = allowance;
  return {
    'ratelimit-policy': `"cost";q=${limit};w=${window}`,
    ratelimit: `"cost";r=${remaining};t=${reset}`,
  };
}

/** Lets pages of listed origins read the response. The facade's own page needs no header, and other pages may read nothing. */
function setCorsHeaders(
  headers: WritableHeaders,
  { header, address }: HttpRequester,
  { pages, observer }: Pick<HttpOptions, 'pages' | 'observer'>,
): void {
  const origin = header('origin');
  if (origin === null) return;
  if (!pages.origins.includes(origin)) {
    // Browsers state that a page is the server's own, even if a proxy has replaced `Host`.
    if (header('sec-fetch-site') !== 'same-origin' && !isFromOwnPage(header, pages))
      observer.refusal?.({ reason: 'ORIGIN', value: origin, address: address ?? null });
    return;
  }
  headers.set('access-control-allow-origin', origin);
  // A preflight asks for these.
  const method = header('access-control-request-method');
  if (method !== null) headers.set('access-control-allow-methods', method);
  const names = header('access-control-request-headers');
  if (names !== null) {
    headers.set('access-control-allow-headers', names);
    headers.append('vary', 'Access-Control-Request-Headers');
  }
  headers.set('access-control-allow-credentials', 'true');
  headers.set('access-control-expose-headers', EXPOSED);
  headers.set('access-control-max-age', MAX_AGE);
}
