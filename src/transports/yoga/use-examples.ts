// Serves the explorer's example documents.
import type { GraphQLError } from 'graphql';
import type { AddressOf } from '../../callers/client-address.ts';
import type { Requester, Session } from '../../callers/session.ts';
import type { ServerContext, ServerPlugin } from '../../operation/context.ts';
import { errorCodeFacts } from '../../operation/error-codes.ts';
import { formatError } from '../../operation/results.ts';
import { createExampleTabs } from '../../schema/examples/example-tabs.ts';
import { HttpRequester, readerOf, requestIdOf } from '../http/requester.ts';

const PRIVATE = { 'cache-control': 'no-store' };

/** The options of the route. */
export interface Examples {
  /** Path of GraphQL. */
  readonly endpoint: string;
  readonly addressOf: AddressOf;
  readonly open: (requester: Requester) => Promise<Session>;
  readonly toClientError: (error: unknown) => GraphQLError;
}

/** Serves `GET <endpoint>/examples`: documents for the explorer's first tabs that are valid in the caller's schema. */
export function useExamples(options: Examples): ServerPlugin {
  const { endpoint, addressOf, open, toClientError } = options;

  async function answer(request: Request, context: ServerContext): Promise<Response> {
    const { served } = await open(
      new HttpRequester(readerOf(request, context), request.signal, context, addressOf),
    );
    return Response.json(createExampleTabs(served.schema), { headers: PRIVATE });
  }

  function refuse(error: unknown, request: Request, context: ServerContext): Response {
    const failure = toClientError(error);
    const { status } = errorCodeFacts(failure.extensions['code']);
    const errors = [formatError(failure, requestIdOf(request, context))];
    return Response.json({ errors }, { status, headers: PRIVATE });
  }

  return {
    async onRequest({ request, url, serverContext, endResponse }) {
      if (request.method !== 'GET' || url.pathname !== `${endpoint}/examples`) return;
      endResponse(
        await answer(request, serverContext).catch((error: unknown) => refuse(error, request, serverContext)),
      );
    },
  };
}
