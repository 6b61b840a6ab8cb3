// Serves the explorer's example documents.
import type { GraphQLError } from 'graphql';
import type { Requester, Session } from '../../callers/session.ts';
import { errorCodeFacts } from '../../operation/error-codes.ts';
import { formatError } from '../../operation/results/results.ts';
import { withIds } from '../../operation/results/whole-failure.ts';
import { createExampleTabs } from '../../schema/examples/example-tabs.ts';
import type { Page } from './page.ts';

const PRIVATE = { 'cache-control': 'no-store' };

/** The options of the page. */
export interface Examples {
  /** Path of GraphQL. */
  readonly endpoint: string;
  readonly open: (requester: Requester) => Promise<Session>;
  readonly toClientError: (error: unknown) => GraphQLError;
}

/** Serves `GET <endpoint>/examples`: documents for the explorer's first tabs that are valid in the caller's schema. */
export function createExamples({ endpoint, open, toClientError }: Examples): Page {
  return async ({ request, url, requester }) => {
    if (request.method !== 'GET' || url.pathname !== `${endpoint}/examples`) return null;
    try {
      const { header, address, requestId, leaving, signal } = requester;
      // Without the cookie of the response, so that the session of a browser is not renewed for examples.
      const { served } = await open({ header, address, requestId, leaving, signal });
      return Response.json(createExampleTabs(served.schema), { headers: PRIVATE });
    } catch (error) {
      const failure = toClientError(error);
      const { errors = [] } = withIds({ errors: [failure] }, requester.requestId);
      const { status } = errorCodeFacts(failure.extensions['code']);
      return Response.json({ errors: errors.map(formatError) }, { status, headers: PRIVATE });
    }
  };
}
