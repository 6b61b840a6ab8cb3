// Lists the plugins of a facade, a line each, in the order in which their hooks run. Each of them can be left out.

import { startAudit } from '../plugins/audit/audit.ts';
import { startExplorer } from '../plugins/explorer/explorer.ts';
import { FEDERATION } from '../plugins/federation/federation.ts';
import { startIdempotency } from '../plugins/idempotency/idempotency.ts';
import { useIncremental } from '../plugins/incremental/incremental.ts';
import { startLive } from '../plugins/live/live.ts';
import { startSignIn } from '../plugins/sign-in/sign-in.ts';
import { createSnippets } from '../plugins/snippets/snippets.ts';
import { startTrustedDocuments } from '../plugins/trusted-documents/trusted-documents.ts';
import { useAddedContext } from '../server/context.ts';
import type { FacadePlugin } from '../server/plugin.ts';
import type { FacadeOptions } from './facade-options.ts';

/** Makes a plugin from the options of a facade; null when they do not want it. */
export type CreatePlugin = (options: FacadeOptions) => FacadePlugin | null;

/** All plugins by their names. */
export const PLUGINS: Readonly<Record<string, CreatePlugin>> = {
  /** Adds the fields of a snippet service. */
  snippets: ({ snippets, observer }) => (snippets ? createSnippets(snippets, observer) : null),
  /** Adds what routers of Apollo Federation ask a subgraph for. */
  federation: ({ federation }) => (federation === true ? { schema: FEDERATION } : null),
  /** Signs browsers in at the API's OAuth 2.0 provider. */
  signIn: (options) => {
    const { oauth } = options;
    return oauth ? { start: (services) => startSignIn({ ...options, oauth }, services) } : null;
  },
  /** Finds documents by their ids: those that the operator trusts, and those that clients have registered. */
  trustedDocuments: ({ trustedDocuments = null }) => ({
    start: (services) => startTrustedDocuments(trustedDocuments, services),
  }),
  /** Executes queries with `@live` again. */
  live: () => ({ start: startLive }),
  /** Executes a mutation with an idempotency key once. */
  idempotency: () => ({ start: startIdempotency }),
  /** Records who writes what. */
  audit: ({ audit }) => (audit ? { start: (services) => startAudit(audit, services) } : null),
  /** Delivers results with `@defer` and `@stream` in parts. */
  incremental: () => ({ start: useIncremental }),
  /** Serves GraphiQL. Where only trusted documents are executed, there is nothing to explore. */
  explorer: ({ explorer = {}, trustedDocuments }) =>
    trustedDocuments?.mode === 'enforce' ? null : { start: (services) => startExplorer(explorer, services) },
  /** Adds to the context of resolvers what a user of the library adds. */
  context: ({ context }) => (context ? { start: () => useAddedContext(context) } : null),
};
