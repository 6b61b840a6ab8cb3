// Sends the result of a plain request.
import type { ServerResponse } from 'node:http';
import type { ExecutionResult } from 'graphql';
import type { OwnPages } from '../../../callers/browsers/own-pages.ts';
import type { ServerContext } from '../../../operation/context.ts';
import { stateAllowance } from '../../../operation/cost/cost-limit.ts';
import { wantsTrace, withCost } from '../../../operation/results.ts';
import { setCorsHeaders } from '../../yoga/use-cors.ts';
import { setSecurityHeaders } from '../../yoga/use-response-headers.ts';
import { setCookieOf } from '../../yoga/use-session.ts';
import { PlainHeaders } from '../plain-headers.ts';
import type { HttpRequester } from '../requester.ts';
import { chooseCompression } from '../use-compression.ts';

/** How results are sent. */
export interface ResponseOptions {
  readonly pages: OwnPages;
  readonly compression: boolean;
}

/** Sends a result without errors as the plugins of the server would: with its cost, and with the same headers in the same order. */
export async function sendResult(
  res: ServerResponse,
  type: string,
  result: ExecutionResult,
  requester: HttpRequester,
  context: ServerContext,
  { pages, compression }: ResponseOptions,
): Promise<void> {
  const { report } = context;
  const { header, requestId, leaving } = requester;
  const complete = withCost(result, context, wantsTrace(header));
  const text = JSON.stringify(complete);
  const headers = new PlainHeaders();
  headers.set('content-type', `${type}; charset=utf-8`);
  headers.set('content-length', String(Buffer.byteLength(text)));
  setCorsHeaders(headers, header('origin'), pages);
  setSecurityHeaders(headers);
  setCookieOf(headers, context);
  stateAllowance(headers, context);
  headers.set('x-request-id', requestId);
  if (leaving.aborted) return report?.end(null, true);
  report?.addResult(complete);
  report?.end(200);
  const compress = compression ? chooseCompression(headers, header('accept-encoding')) : null;
  if (compress === null) return send(res, headers, text);
  const body = await compress(text);
  headers.set('content-length', String(body.length));
  send(res, headers, body);
}

/**
 * Sends a response as soon as the event loop has handled what it has received. Responses are then written one after another, and only
 * the first has to wake the client. Node writes the head and a text at once.
 */
function send(res: ServerResponse, { list }: PlainHeaders, body: string | Buffer): void {
  if (res.destroyed || res.writableEnded) return;
  res.writeHead(200, list);
  setImmediate(() => {
    if (!res.destroyed) res.end(body);
  });
}
