import { setTimeout as pause } from 'node:timers/promises';
import type { GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { exampleTabs } from '../../schema/example-tabs.ts';
import type { AddressOf } from '../address.ts';
import { askerOf, requestIdOf, type ServerContext } from '../context.ts';
import { factsOf } from '../error-codes.ts';
import { formatError } from '../results.ts';
import type { Asker, Session } from '../session.ts';

/** What the route needs. */
export interface Examples {
  /** Path of GraphQL. */
  readonly endpoint: string;
  readonly addressOf: AddressOf;
  readonly open: (asker: Asker) => Promise<Session>;
  /** Answers one query for the caller whose credential is in some headers. */
  readonly ask: (query: string, headers: Headers) => Promise<unknown>;
  readonly toClientError: (error: unknown) => GraphQLError;
}

/** Serves `GET <endpoint>/examples`: for the explorer, documents to begin with that work with the caller's own schema. */
export function useExamples(options: Examples): Plugin<ServerContext> {
  const { endpoint, addressOf, open, ask, toClientError } = options;

  async function answer(request: Request, { req }: ServerContext): Promise<Response> {
    const { served, caller } = await open(askerOf(request, req, addressOf));
    const { credential } = caller;
    // Not the request's own cookie: its session would be renewed with nobody to take the new one.
    const headers = new Headers(credential === null ? {} : { [credential.header]: credential.value });
    const tabs = await exampleTabs(served.schema, async (list) => {
      const rows = ask(`{ rows: ${list}(first: 1) { nodes { id } } }`, headers);
      const data = await Promise.race([rows, pause(PATIENCE, null, { ref: false })]);
      return (data as { rows?: { nodes?: { id: string }[] } } | null)?.rows?.nodes?.[0]?.id ?? null;
    });
    return Response.json(tabs, { headers: PRIVATE });
  }

  function refuse(error: unknown, request: Request): Response {
    const failure = toClientError(error);
    const { status } = factsOf(failure.extensions['code']);
    const errors = [formatError(failure, requestIdOf(request))];
    return Response.json({ errors }, { status, headers: PRIVATE });
  }

  return {
    async onRequest({ request, url, serverContext, endResponse }) {
      if (request.method !== 'GET' || url.pathname !== `${endpoint}/examples`) return;
      endResponse(
        await answer(request, serverContext as ServerContext).catch((error: unknown) =>
          refuse(error, request),
        ),
      );
    },
  };
}

/** Longest wait for a row to put into an example, which does without. Milliseconds. */
const PATIENCE = 1_000;
const PRIVATE = { 'cache-control': 'no-store' };
