// Defines the options of a facade.
import type { OAuthOptions } from '../auth/configured-sessions.ts';
import type { CallersOptions } from '../callers/callers.ts';
import type { CredentialVerifier } from '../callers/credential-verifier.ts';
import type { RefreshOptions } from '../callers/refresh.ts';
import type { SignInLimit } from '../callers/sign-in-limit.ts';
import type { Log } from '../log/log.ts';
import type { Overrides } from '../schema/model/overrides.ts';
import type { WatchOptions } from '../upstream/actions/action-calls.ts';
import type { Credential } from '../upstream/http/authentication.ts';
import type { TransportOptions } from '../upstream/http/transport.ts';

/** A snippet service whose fields are part of the same schema. */
export interface SnippetsOptions {
  /** Address of the service, with its base path. */
  readonly url: URL;
  /** API key for callers who send none of their own; default: they use the service anonymously. */
  readonly apiKey?: string | null;
  readonly transport?: TransportOptions;
}

/** What the facades of all versions of an API share. */
export interface SharedState {
  readonly verifier: CredentialVerifier;
  readonly signIns: SignInLimit;
}

/** The options of a facade. */
export interface FacadeOptions {
  /** Address of the management API, with its base path. */
  readonly upstream: URL;
  /** Version of the API; default: the default version of the upstream. */
  readonly version?: string | null;
  /** Path at which GraphQL is served; default: /graphql. */
  readonly endpoint?: string;
  /** Credential that fetches the base description, never a caller's data; default: none. */
  readonly descriptionCredential?: Credential | null;
  readonly overrides?: Overrides;
  /** Default: none, so that the schema has no fields for snippets. */
  readonly snippets?: SnippetsOptions | null;
  /** Headers that GraphiQL's header editor holds at first. */
  readonly explorerHeaders?: Readonly<Record<string, string>>;
  readonly transport?: TransportOptions;
  /** How schemas are assigned to callers. */
  readonly callers?: CallersOptions;
  /** When descriptions are fetched again. */
  readonly refresh?: RefreshOptions;
  /** Whether to accept HTTP basic from browsers, which the specification forbids. Default: false. */
  readonly basicFromBrowsers?: boolean;
  /** Lets browsers sign in with OAuth 2.0; null (default): they cannot. */
  readonly oauth?: OAuthOptions | null;
  /** State that a process shares between the versions of an API; default: the facade has its own. */
  readonly shared?: Partial<SharedState>;
  /** Proxies whose `X-Forwarded-For` is trusted: addresses, networks or `loopback`. Default: loopback. */
  readonly trustedProxies?: readonly string[];
  /** Folder that stores the last good description for a start while the upstream is down; null (default): none. */
  readonly cacheDir?: string | null;
  /** How running actions are watched. */
  readonly watch?: Partial<WatchOptions>;
  readonly log: Log;
}
