// Refuses requests that foreign pages could send without a preflight.
import { GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { isFromOwnPage, type OwnPages } from '../../callers/browsers/own-pages.ts';
import { ForeignPageError } from '../../operation/errors.ts';

/** Browsers send a body of any other type to a foreign server only after a preflight, or never. */
const BODY_TYPES: readonly string[] = ['application/json', 'application/graphql+json', 'application/graphql'];

/**
 * Refuses a body that is neither JSON nor GraphQL with 415, parameters that should be JSON with 400, and subscriptions of pages that
 * are not the server's own.
 */
export function useRequestChecks(pages: OwnPages, toClientError: (error: unknown) => GraphQLError): Plugin {
  return {
    onRequestParse({ request, url }) {
      if (request.method === 'GET') return checkParameters(url.searchParams);
      const [type = ''] = (request.headers.get('content-type') ?? '').split(/[;,]/, 1);
      if (request.method !== 'POST' || BODY_TYPES.includes(type.trim().toLowerCase())) return;
      throw new GraphQLError('Send the operation as JSON, with "Content-Type: application/json".', {
        extensions: { http: { status: 415 } },
      });
    },
    onSubscribe({ args, setResultAndStopExecution }) {
      const { request } = args.contextValue as { readonly request?: Request };
      // Operations of WebSockets have no request; their upgrade has been checked.
      if (request === undefined || isOwnPage(request.headers, pages)) return;
      setResultAndStopExecution({ errors: [toClientError(new ForeignPageError())] });
    },
  };
}

/** Yoga answers 500 when these parameters are no JSON. */
function checkParameters(parameters: URLSearchParams): void {
  for (const name of ['variables', 'extensions']) {
    try {
      JSON.parse(parameters.get(name) || 'null');
    } catch {
      throw new GraphQLError(`The parameter "${name}" must be JSON.`, {
        extensions: { http: { status: 400 } },
      });
    }
  }
}

/** Whether a request is from no page, or from a page of the server. Browsers tell the latter even if a proxy has replaced `Host`. */
function isOwnPage(headers: Headers, pages: OwnPages): boolean {
  return headers.get('sec-fetch-site') === 'same-origin' || isFromOwnPage((name) => headers.get(name), pages);
}
