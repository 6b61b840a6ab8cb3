// Reads who sent an HTTP request, and what it asks for.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { GraphQLError, OperationTypeNode } from 'graphql';
import type { ResponseCookie } from '../../callers/browsers/browser-sessions.ts';
import { isFromOwnPage, type OwnPages } from '../../callers/browsers/own-pages.ts';
import type { Requester } from '../../callers/session.ts';
import type { Allowance } from '../../operation/cost/cost-budget.ts';
import { ForeignPageError } from '../../operation/errors.ts';
import type { OperationRequest } from '../../operation/operation-request.ts';
import type { OperationReport } from '../../operation/reports/operation-report.ts';
import { type Abortable, toAbortSignal } from '../../upstream/abortable.ts';
import type { HeaderReader } from '../../upstream/http/caller.ts';
import { type AcceptedTypes, readAccept } from './accepted-types.ts';

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
  allowance?: Allowance | null;
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

  get acceptsParts(): boolean {
    return this.#accepted.parts;
  }

  /** Whether the results of a subscription are sent as events: those of a stream always, and a single one where JSON is not accepted. */
  sendsEvents(isStream: boolean): boolean {
    const { events, json } = this.#accepted;
    return this.#kind === OperationTypeNode.SUBSCRIPTION && events && (isStream || json === null);
  }

  /** Reports the end of the response. @param status Null for none. */
  end(status: number | null): void {
    const hasLeft = this.requester.leaving.aborted;
    this.report?.end(hasLeft ? null : status, hasLeft);
  }

  admit(kind: OperationTypeNode): void {
    this.#kind = kind;
    if (kind === OperationTypeNode.MUTATION && this.#method === 'GET')
      throw createHttpError(405, 'Can only perform a mutation operation from a POST request.', {
        Allow: 'POST',
      });
    if (kind !== OperationTypeNode.SUBSCRIPTION) return;
    if (!this.#accepted.events)
      throw createHttpError(406, 'A subscription needs "Accept: text/event-stream", or a WebSocket.');
    const { header } = this.requester;
    // Browsers tell that a page is the server's own even if a proxy has replaced `Host`.
    if (header('sec-fetch-site') !== 'same-origin' && !isFromOwnPage(header, this.#pages))
      throw new ForeignPageError();
  }
}

/** Makes an error that the client gets with a status of HTTP, whatever media type it accepts. */
export const createHttpError = (
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): GraphQLError => new GraphQLError(message, { extensions: { http: { status, headers } } });
