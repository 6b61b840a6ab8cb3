// Answers plain GraphQL requests by the same steps as yoga and its plugins, but without fetch's requests and responses.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { sendNodeResponse } from '@whatwg-node/server';
import { type ExecutionResult, type GraphQLError, getOperationAST } from 'graphql';
import { type GraphQLParams, isAsyncIterable, type YogaServerInstance } from 'graphql-yoga';
import { ResponseCookie } from '../../auth/response-cookie.ts';
import type { AddressOf } from '../../callers/client-address.ts';
import type { Observer } from '../../telemetry/observer.ts';
import { Abort, toAbortSignal } from '../../upstream/abortable.ts';
import type { OperationContext, ServerContext } from '../context.ts';
import type { CostBudget } from '../cost/cost-budget.ts';
import { type DocumentCaches, findValid } from '../cost/document-cache.ts';
import type { TrustedDocuments } from '../documents/trusted-documents.ts';
import { createRequestReader, HttpRequester } from '../requester.ts';
import { openSession, type SessionSource } from '../session.ts';
import type { Executor } from '../steps/executor.ts';
import { OperationReport, openReported } from '../telemetry/operation-report.ts';
import { parsePlainBody, plainPostType } from './plain-post.ts';
import { type ResponseOptions, sendResult } from './plain-response.ts';

/** What answers plain requests: `fast`, the fast path; `yoga`, yoga as all others. The fast path answers as yoga does. */
export type FrontName = 'fast' | 'yoga';

/** What the fast path needs besides yoga. */
export interface FastPathOptions extends ResponseOptions, Pick<Executor, 'execute'> {
  /** Largest body, in bytes. */
  readonly bodySize: number;
  readonly documents: TrustedDocuments;
  readonly documentCaches: DocumentCaches;
  readonly sessions: SessionSource;
  readonly addressOf: AddressOf;
  readonly costBudget: CostBudget;
  readonly observer: Observer;
  readonly createContext: (initial: ServerContext) => OperationContext | Promise<OperationContext>;
  readonly toClientError: (error: unknown) => GraphQLError;
}

type Yoga = YogaServerInstance<ServerContext, object>;
type RequestContext = ServerContext & Pick<Yoga, 'waitUntil'> & { readonly req: IncomingMessage };

/**
 * Makes a listener that answers a POST of JSON with one query or mutation by itself, as far as yoga has found its document valid before,
 * and its result has no errors. Yoga handles all other requests, and makes the responses of other results.
 */
export function createFastPath(yoga: Yoga, options: FastPathOptions): RequestListener {
  const { bodySize, documents, documentCaches, sessions, addressOf, costBudget, observer } = options;
  const { createContext, execute, toClientError } = options;
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
    try {
      context.session = await openReported(report, () => openSession(requester, sessions));
    } catch (error) {
      return { errors: [toClientError(error)] };
    }
    const { schema } = context.session.served;
    const { query = '', variables, operationName = null } = params;
    const document = findValid(documentCaches, schema, query);
    if (document === undefined || !getOperationAST(document, operationName)) return null;
    if (!costBudget.accepts(context.session)) return null;
    report?.addKnown({ document, operationName, isTrusted: documents.has(document) });
    const contextValue = Object.assign(context, await createContext(context));
    const args = { schema, document, contextValue, variableValues: variables ?? null, operationName };
    const result = await execute(args);
    if (isAsyncIterable(result)) throw new TypeError('expected an operation with a single result');
    return result.errors === undefined ? result : { ...result, errors: result.errors.map(toClientError) };
  }

  async function handle(req: IncomingMessage, res: ServerResponse, type: string): Promise<void> {
    const body = await readBody(req);
    if (body === null) return;
    const leaving = createLeavingSignal(res);
    const context: RequestContext = { req, waitUntil };
    const params = parsePlainBody(body, resolve);
    const header = createRequestReader(req);
    const requester = new HttpRequester(header, leaving, context, addressOf, new ResponseCookie());
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
function createLeavingSignal(res: ServerResponse): Abort {
  const leaving = new Abort();
  res.once('close', () => {
    if (!res.writableFinished)
      leaving.abort(res.errored ?? new DOMException('The client has left.', 'AbortError'));
  });
  return leaving;
}
