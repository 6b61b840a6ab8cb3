// Serves documents that the caller can execute: the explorer's examples, and the operator's collection.
import type { Requester, Session } from '../../callers/session.ts';
import type { Collection } from '../../operation/documents/collection.ts';
import { createExampleTabs } from '../../schema/examples/example-tabs.ts';
import type { Page } from '../../transports/pages/page.ts';

/** The options of the pages. */
export interface OwnDocuments {
  /** Path of GraphQL. */
  readonly endpoint: string;
  readonly collection: Collection;
  readonly open: (requester: Requester) => Promise<Session>;
}

/**
 * Serves documents that are valid in the caller's schema: `GET <endpoint>/examples` those of the explorer's first tabs, and
 * `GET <endpoint>/collection` the trusted ones.
 */
export function createOwnDocuments({ endpoint, collection, open }: OwnDocuments): Page {
  const lists = new Map<string, (session: Session) => unknown>([
    [`${endpoint}/examples`, ({ served }) => createExampleTabs(served.schema)],
    [`${endpoint}/collection`, (session) => collection.list(session)],
  ]);
  return async ({ request, url, requester }) => {
    const list = request.method === 'GET' ? lists.get(url.pathname) : undefined;
    if (list === undefined) return null;
    const { header, address, requestId, leaving, signal } = requester;
    // Without the cookie of the response, so that the session of a browser is not renewed for documents.
    const session = await open({ header, address, requestId, leaving, signal });
    return Response.json(await list(session));
  };
}
