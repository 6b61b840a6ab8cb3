// Makes what answers the requests of browsers that are no operations: the explorer, its documents, and the sign-in.
import type { OwnPages } from '../callers/own-pages.ts';
import { openSession, type SessionSource } from '../callers/session.ts';
import { Collection } from '../operation/documents/collection.ts';
import { Explorer } from '../transports/explorer/explorer.ts';
import { createExplorerPage } from '../transports/explorer/serve-explorer.ts';
import { createOwnDocuments } from '../transports/pages/own-documents.ts';
import type { Page } from '../transports/pages/page.ts';
import { createSignpost } from '../transports/pages/signpost.ts';
import type { FacadeOptions } from './facade-options.ts';

/** Makes the pages. @param signIn The routes that sign browsers in; null where they cannot sign in. */
export function createRoutes(
  options: FacadeOptions,
  endpoint: string,
  pages: OwnPages,
  sessions: SessionSource,
  signIn: Page | null,
): readonly Page[] {
  const { callers } = sessions;
  const explorer = new Explorer(endpoint, () => callers.base.description.authentication, {
    authPath: signIn === null ? null : `${pages.basePath}/auth`,
    prefilled: options.explorer?.headers ?? {},
    // Never the address of the API, which may be internal.
    title: options.explorer?.title ?? (pages.publicUrl === null ? null : new URL(pages.publicUrl).host),
    signInHint: options.explorer?.signInHint ?? null,
  });
  return [
    // Where only trusted documents are executed, there is nothing to explore.
    ...(options.trustedDocuments?.mode === 'enforce'
      ? []
      : [
          createExplorerPage(endpoint, pages.basePath, explorer),
          createOwnDocuments({
            endpoint,
            collection: new Collection(options.trustedDocuments?.documents ?? new Map()),
            open: (requester) => openSession(requester, sessions),
          }),
        ]),
    ...(signIn === null ? [] : [signIn]),
    createSignpost(endpoint, pages.basePath),
  ];
}
