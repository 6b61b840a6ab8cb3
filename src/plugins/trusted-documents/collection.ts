// Lists the trusted documents that a caller can execute.
import { type GraphQLSchema, parse, validate } from 'graphql';
import type { Page, Services } from '../../server/plugin.ts';

/** A trusted document. */
interface CollectedDocument {
  readonly id: string;
  readonly query: string;
}

/**
 * Serves `GET <endpoint>/collection`: the documents that are valid in the caller's schema, in the operator's order. They are validated once
 * for each schema.
 */
export function createCollection(
  texts: ReadonlyMap<string, string>,
  { endpoint, openSession }: Pick<Services, 'endpoint' | 'openSession'>,
): Page {
  const valid = new WeakMap<GraphQLSchema, readonly CollectedDocument[]>();
  return async ({ request, url, requester }) => {
    if (request.method !== 'GET' || url.pathname !== `${endpoint}/collection`) return null;
    const { header, address, requestId, leaving, signal } = requester;
    // Without the cookie of the response, so that the session of a browser is not renewed for documents.
    const { schema } = (await openSession({ header, address, requestId, leaving, signal })).served;
    const documents = valid.get(schema) ?? listValid(texts, schema);
    valid.set(schema, documents);
    return Response.json(documents);
  };
}

const listValid = (texts: ReadonlyMap<string, string>, schema: GraphQLSchema): readonly CollectedDocument[] =>
  [...texts].flatMap(([id, query]) => (validate(schema, parse(query)).length === 0 ? [{ id, query }] : []));
