// Makes what answers the requests of browsers that are no operations: the explorer, its documents, and the sign-in.
import type { OwnPages } from '../callers/own-pages.ts';
import { openSession, type SessionSource } from '../callers/session.ts';
import { Collection } from '../operation/documents/collection.ts';
import { createExplorer } from '../plugins/explorer/explorer.ts';
import { createOwnDocuments } from '../plugins/explorer/own-documents.ts';
import type { Page } from '../transports/pages/page.ts';
import { createSignpost } from '../transports/pages/signpost.ts';
import type { FacadeOptions } from './facade-options.ts';

/** Makes the pages. @param signIn The routes that sign browsers in; null where they cannot sign in. */
export function createRoutes(
  { explorer = {}, trustedDocuments }: FacadeOptions,
  endpoint: string,
  { basePath, publicUrl }: OwnPages,
  sessions: SessionSource,
  signIn: Page | null,
): readonly Page[] {
  const explorerParts = {
    endpoint,
    basePath,
    publicUrl,
    hasSignIn: signIn !== null,
    authentication: () => sessions.callers.base.description.authentication,
  };
  return [
    // Where only trusted documents are executed, there is nothing to explore.
    ...(trustedDocuments?.mode === 'enforce'
      ? []
      : [
          createExplorer(explorer, explorerParts),
          createOwnDocuments({
            endpoint,
            collection: new Collection(trustedDocuments?.documents ?? new Map()),
            open: (requester) => openSession(requester, sessions),
          }),
        ]),
    ...(signIn === null ? [] : [signIn]),
    createSignpost(endpoint, basePath),
  ];
}
