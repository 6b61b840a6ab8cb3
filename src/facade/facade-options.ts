// Defines the options of a facade.

import type { DescribedApiOptions } from '../callers/caller-descriptions.ts';
import type { CredentialVerifier } from '../callers/credential-verifier.ts';
import type { OwnPages } from '../callers/requester.ts';
import type { SignInLimit } from '../callers/sign-in-limit.ts';
import type { AuditOptions } from '../plugins/audit/audit.ts';
import type { ExplorerOptions } from '../plugins/explorer/explorer.ts';
import type { OAuthOptions } from '../plugins/sign-in/sign-in.ts';
import type { SnippetsOptions } from '../plugins/snippets/snippets-client.ts';
import type { TrustedDocumentsOptions } from '../plugins/trusted-documents/trusted-documents.ts';
import type { Overrides } from '../schema/model/overrides.ts';
import type { SchemaAdditionOptions } from '../schema/schema-addition.ts';
import type { AddContext, ResolverContext } from '../server/caller-api.ts';
import type { CostBudget } from '../server/cost/cost-limit.ts';
import type { IntrospectionAccess } from '../server/documents.ts';
import type { LimitOptions } from '../server/limits.ts';
import type { OperationPlugin } from '../server/plugin.ts';
import type { Replicas } from '../sharing/replicas.ts';
import type { WatchOptions } from '../upstream/actions/watcher.ts';
import type { ClientHeader } from '../upstream/http/client-headers.ts';
import type { TransportOptions } from '../upstream/http/transport.ts';

/** Parts of a facade that are made elsewhere. */
interface SharedServices {
  readonly verifier: CredentialVerifier;
  readonly signIns: SignInLimit;
  readonly costBudget: CostBudget;
  /** The other replicas of the deployment; see `Replicas`. */
  readonly replicas: Replicas;
}

/** The options of a facade. `Added` is what the option `context` adds to the context of resolvers. */
export interface FacadeOptions<Added extends object = object> extends DescribedApiOptions {
  /** Facts that descriptions lack. Null (default): the built-in ones that a description shows to be about its API. */
  readonly overrides?: Overrides | null;
  /** Path at which GraphQL is served; default: /graphql below `pages.basePath`. */
  readonly endpoint?: string;
  /** Default: none, so that the schema has no fields for snippets. */
  readonly snippets?: SnippetsOptions | null;
  /** Whether to serve a subgraph of Apollo Federation. Default: false. */
  readonly federation?: boolean;
  /** What the explorer shows of this deployment. */
  readonly explorer?: ExplorerOptions;
  readonly transport?: TransportOptions;
  /** Whether to accept HTTP basic from browsers, which the specification forbids. Default: false. */
  readonly basicFromBrowsers?: boolean;
  /** The facade's own pages; default: those at the address of a request. A sign-in needs that address to be loopback. */
  readonly pages?: Partial<OwnPages>;
  /** Lets browsers sign in with OAuth 2.0; null (default): they cannot. */
  readonly oauth?: OAuthOptions | null;
  /** Aborts the start; `createFacade` then rejects. Default: nothing aborts it. */
  readonly signal?: AbortSignal;
  /** Limits that differ from `DEFAULT_LIMITS`. */
  readonly limits?: LimitOptions;
  /** Who may read the schema through introspection; default: `on`, everybody. */
  readonly introspection?: IntrospectionAccess;
  /** Documents that the operator trusts; null (default): none, and clients may send any. */
  readonly trustedDocuments?: TrustedDocumentsOptions | null;
  /** Types and fields in SDL next to the assembled ones, with their resolvers; default: none. */
  readonly extendSchema?: SchemaAdditionOptions<ResolverContext & Added> | null;
  /** Plugins, whose hooks run with the operations of all transports; default: none. */
  readonly plugins?: readonly OperationPlugin[];
  /** Adds to the context of resolvers and plugins; default: nothing. The names of the facade's own context win. */
  readonly context?: AddContext<Added> | null;
  /** Parts that are made elsewhere; default: nothing. */
  readonly shared?: Partial<SharedServices>;
  /** Proxies whose `X-Forwarded-For` is trusted: addresses, networks or `loopback`. Default: loopback. */
  readonly trustedProxies?: readonly string[];
  /** The headers that describe the client of a call to the management API; default: all of `CLIENT_HEADERS`. */
  readonly clientHeaders?: readonly ClientHeader[];
  /** Where writes are recorded, each before it is sent; null (default): nowhere. */
  readonly audit?: AuditOptions | null;
  /** How running actions are watched. */
  readonly watch?: Partial<WatchOptions>;
}
