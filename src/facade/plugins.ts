// Lists the plugins of a facade, a line each, in the order in which their hooks run. Each of them can be left out.

import { useAudit } from '../plugins/audit/audit.ts';
import { useDryRun } from '../plugins/dry-run/dry-run.ts';
import { useExplorer } from '../plugins/explorer/explorer.ts';
import { FEDERATION } from '../plugins/federation/federation.ts';
import { useIdempotency } from '../plugins/idempotency/idempotency.ts';
import { useIncremental } from '../plugins/incremental/incremental.ts';
import { useLive } from '../plugins/live/live.ts';
import { useSchemaFile } from '../plugins/schema-file/schema-file.ts';
import { useSignIn } from '../plugins/sign-in/sign-in.ts';
import { useSnippets } from '../plugins/snippets/snippets.ts';
import { useTrustedDocuments } from '../plugins/trusted-documents/trusted-documents.ts';
import { useAddedContext } from '../server/caller-api.ts';
import type { FacadePlugin } from '../server/plugin.ts';
import type { FacadeOptions } from './facade-options.ts';

/** Makes a plugin from the options of a facade; null when they do not want it. */
export type CreatePlugin = (options: FacadeOptions) => FacadePlugin | null;

/** All plugins by their names. */
export const PLUGINS: Readonly<Record<string, CreatePlugin>> = {
  /** Adds the fields of a snippet service. */
  snippets: ({ snippets, observer }) => (snippets ? useSnippets(snippets, observer) : null),
  /** Adds what routers of Apollo Federation ask a subgraph for. */
  federation: ({ federation }) => (federation === true ? { schema: FEDERATION } : null),
  /** Signs browsers in at the API's OAuth 2.0 provider. */
  signIn: ({ oauth, upstream, transport }) =>
    oauth ? { start: (services) => useSignIn(oauth, upstream, transport, services) } : null,
  /** Finds documents by their ids: those that the operator trusts, and those that clients have registered. */
  trustedDocuments: ({ trustedDocuments = null }) => ({
    start: () => useTrustedDocuments(trustedDocuments),
  }),
  /** Executes queries with `@live` again. */
  live: () => ({ start: useLive }),
  /** Checks the writes of a mutation without sending them. */
  dryRun: () => ({ start: useDryRun }),
  /** Executes a mutation with an idempotency key once. */
  idempotency: () => ({ start: useIdempotency }),
  /** Records who writes what. */
  audit: ({ audit }) => (audit ? { start: (services) => useAudit(audit, services) } : null),
  /** Delivers results with `@defer` and `@stream` in parts. */
  incremental: () => ({ start: useIncremental }),
  /** Serves GraphiQL. Where only trusted documents are executed, there is nothing to explore. */
  explorer: ({ explorer = {}, trustedDocuments }) =>
    trustedDocuments?.mode === 'enforce' ? null : { start: (services) => useExplorer(explorer, services) },
  /** Serves the caller's schema as a file. */
  schemaFile: () => ({ start: useSchemaFile }),
  /** Adds to the context of resolvers what a user of the library adds. */
  context: ({ context }) => (context ? { start: () => useAddedContext(context) } : null),
};
