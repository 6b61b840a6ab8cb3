// Answers plain GraphQL requests by the same steps as yoga and its plugins, but without fetch's requests and responses.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { sendNodeResponse } from '@whatwg-node/server';
import type { ExecutionResult, GraphQLError } from 'graphql';
import { type GraphQLParams, isAsyncIterable, type YogaServerInstance } from 'graphql-yoga';
import type { AddressOf } from '../../../callers/client-address.ts';
import { openSession, type Session, type SessionSource } from '../../../callers/session.ts';
import type { ServerContext } from '../../../operation/context.ts';
import type { TrustedDocuments } from '../../../operation/documents/trusted-documents.ts';
import { OperationReport, openReported } from '../../../operation/reports/operation-report.ts';
import type { KnownOperations } from '../../../operation/steps/known-operations.ts';
import type { Observer } from '../../../telemetry/observer.ts';
import { Abort, toAbortSignal } from '../../../upstream/abortable.ts';
import { createRequestReader, HttpRequester } from '../requester.ts';
import { parsePlainBody, plainPostType } from './plain-post.ts';
import { type ResponseOptions, sendResult } from './plain-response.ts';

/** `fast`: the fast path answers plain requests. `yoga`: yoga answers them, as it does all others. Both give the same responses. */
export type FrontName = 'fast' | 'yoga';

/** What the fast path needs besides yoga. */
export interface FastPathOptions extends ResponseOptions {
  /** Largest body, in bytes. */
  readonly bodySize: number;
  readonly documents: TrustedDocuments;
  readonly known: KnownOperations;
  readonly sessions: SessionSource;
  readonly addressOf: AddressOf;
  readonly observer: Observer;
  readonly toClientError: (error: unknown) => GraphQLError;
}

type Yoga = YogaServerInstance<ServerContext, object>;
type RequestContext = ServerContext & Pick<Yoga, 'waitUntil'> & { readonly req: IncomingMessage };

/**
 * Makes a listener that answers a POST of JSON with one query or mutation without yoga, if yoga has found the document valid before and
 * the result has no errors. Yoga handles all other requests, and makes the responses for other results.
 */
export function createFastPath(yoga: Yoga, options: FastPathOptions): RequestListener {
  const { bodySize, documents, known, sessions, addressOf, observer, toClientError } = options;
  const { fetchAPI, graphqlEndpoint, handleRequest, waitUntil } = yoga;
  const resolve = documents.resolve.bind(documents);

  /** Opens the session and executes the operation. Null when yoga has to execute it. */
  async function answer(
    params: GraphQLParams,
    requester: HttpRequester,
    context: RequestContext,
  ): Promise<ExecutionResult | null> {
    const { requestId, address = null, header } = requester;
    const report = OperationReport.begin(observer, { requestId, address, header }, 'http');
    if (report !== null) context.report = report;
    let session: Session;
    try {
      session = await openReported(report, { params, documents }, () =>
        openSession(requester, sessions, report),
      );
    } catch (error) {
      return { errors: [toClientError(error)] };
    }
    const open = Object.assign(context, { session });
    const document = known.find(params, open);
    if (document === null) return null;
    const result = await known.executor.execute(await known.prepare(document, params, open));
    if (isAsyncIterable(result)) throw new TypeError('expected an operation with a single result');
    return result;
  }

  async function handle(req: IncomingMessage, res: ServerResponse, type: string): Promise<void> {
    const body = await readBody(req);
    if (body === null) return;
    const leaving = createLeavingSignal(res);
    const context: RequestContext = { req, waitUntil };
    const params = parsePlainBody(body, resolve);
    const header = createRequestReader(req);
    const cookie = { setCookie: null, isOpen: true };
    const requester = new HttpRequester(header, leaving, context, addressOf, cookie);
    context.requester = requester;
    const result = params && (await answer(params, requester, context));
    if (isData(result)) return await sendResult(res, type, result, requester, context, options);
    if (params !== null && result !== null) context.executed = { params, result };
    const request = new fetchAPI.Request(`http://${req.headers.host}${graphqlEndpoint}`, {
      method: 'POST',
      headers: req.headers as Record<string, string>,
      body,
      signal: toAbortSignal(leaving),
    });
    await sendNodeResponse(await handleRequest(request, context), res, req, true);
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
const isData = (result: ExecutionResult | null): result is ExecutionResult =>
  result !== null && result.errors === undefined && result.extensions?.['http'] === undefined;

/** Reads a body as text. Null when the client leaves before it is complete. */
function readBody(req: IncomingMessage): Promise<string | null> {
  return new Promise((resolve) => {
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
function createLeavingSignal(res: ServerResponse): Abort {
  const leaving = new Abort();
  res.once('close', () => {
    if (!res.writableFinished)
      leaving.abort(res.errored ?? new DOMException('The client has left.', 'AbortError'));
  });
  return leaving;
}
