// Starts a sandbox: a management API with its own data, for development and tests.
import type { FailureKind } from './actions/progress.ts';
import { createActionStates } from './actions/running-actions.ts';
import { PASSWORD } from './auth/accounts.ts';
import { OAUTH_HEADER, TOKEN_HEADER } from './auth/authenticate.ts';
import type { Clock } from './auth/expiring-map.ts';
import { createAuthentication } from './auth/sandbox-authentication.ts';
import { seededToken } from './auth/sessions.ts';
import { bindApi } from './engine/api.ts';
import type { Apis, Row } from './engine/definition.ts';
import { createHandler } from './engine/handler.ts';
import { createStore } from './engine/store.ts';
import { applyHabits, type Habits } from './habits/habits.ts';
import { type RecordedRequest, SandboxServer } from './http/sandbox-server.ts';
import { createClients, type OAuthClient, SEEDED_CLIENT } from './oauth/clients.ts';
import { withOAuth } from './oauth/provider.ts';
import { resources as latestResources } from './resources/resources.ts';
import { tokenResource } from './resources/token.ts';
import { TOTP_SECRET, TWO_STEP_LOGIN } from './seed/base.ts';
import { seed } from './seed/seed.ts';
import { adaptTokenResource, createVersionFive } from './versions/version-5.ts';

/** The options of a sandbox. */
export interface SandboxOptions extends Habits {
  /** Default: 127.0.0.1. */
  readonly host?: string;
  /** Default: 0, any free port. */
  readonly port?: number;
  /** Whether actions offer `includes`. Default: true. False: no action offers or obeys it, as on some servers. */
  readonly offerIncludes?: boolean;
  /** Whether lists offer `count`. Default: true. */
  readonly offerCount?: boolean;
  /**
   * Milliseconds between two steps of a blocking action. Default: 2500. 0: actions finish before their call is answered, and
   * those of the seed do not move. manual: actions move only when `advance` is called.
   */
  readonly step?: number | 'manual';
  /** Milliseconds for which the state of a finished action is kept. Default: 60,000. */
  readonly stateExpiry?: number;
  /**
   * Whether the API is behind a simulated reverse proxy, which sets `X-Real-IP` to the address that connects. Default: false. In both
   * cases, the API takes a client's address from `Client-IP`, else from `X-Real-IP`, else from the connection.
   */
  readonly behindProxy?: boolean;
  /** Whether cancelling is a blocking action with its own state. Default: false. */
  readonly cancelBlocks?: boolean;
  /**
   * What the description for anonymous callers holds: everything, or what they may use. Default: everything, as on
   * production servers.
   */
  readonly anonymousDescription?: 'everything' | 'usable';
  /** Redirect URIs of the seeded OAuth 2.0 client in addition to its own. Default: none. */
  readonly redirectUris?: readonly string[];
  /** OAuth 2.0 clients in addition to the seeded one. Default: none. */
  readonly oauthClients?: readonly OAuthClient[];
  /** The clock for tokens, codes and migrations that finish at a time of day. Default: Date.now. */
  readonly now?: Clock;
}

/** A user who can sign in with a login and password, or with a session token. */
export interface SandboxUser {
  readonly login: string;
  readonly password: string;
  readonly token: string;
  readonly admin: boolean;
}

/** A user who signs in with a password and a one-time code (RFC 6238). */
export interface TwoStepUser {
  readonly login: string;
  readonly password: string;
  /** In Base32. */
  readonly totpSecret: string;
}

/** A running sandbox. */
export interface Sandbox extends AsyncDisposable {
  /** For example http://127.0.0.1:40123. */
  readonly url: string;
  /** The administrator and an ordinary user, in this order. */
  readonly users: readonly SandboxUser[];
  /** An ordinary user who signs in with a password and a one-time code. */
  readonly twoStepUser: TwoStepUser;
  /** The header that carries a session token. */
  readonly tokenHeader: string;
  /** The header that can carry an OAuth 2.0 access token instead of `Authorization`. */
  readonly oauthHeader: string;
  /** The registered OAuth 2.0 clients, the seeded one first. */
  readonly oauthClients: readonly OAuthClient[];
  /** The number of requests without a response. */
  readonly openRequests: number;
  /** The number of waiting polls of action states. */
  readonly openPolls: number;
  /** The number of running blocking actions. Actions of the seed count unless `step` is 0. */
  readonly runningActions: number;
  /**
   * The current rows of a table such as `user_sessions`, by ascending id, also those that some users cannot see. No id is used
   * twice, so a row that is there before and after a walk was there throughout. @throws Error when the table is unknown.
   */
  rows(table: string): readonly Row[];
  /** Moves the blocking action with the given state id, or every blocking action, by a number of steps. Default: 1. */
  advance(steps?: number, actionState?: number): void;
  /** Makes the next blocking action fail, or the next action with the given scope. Each call affects one action. */
  failNext(kind: FailureKind, scope?: string): void;
  /** Calls the listener before each response is sent. Returns a function that removes the listener. */
  onRequest(listener: (request: RecordedRequest) => void): () => void;
  /** Closes the server and its connections immediately, and stops every action where it is. */
  close(): Promise<void>;
}

const TWO_STEP_USER: TwoStepUser = { login: TWO_STEP_LOGIN, password: PASSWORD, totpSecret: TOTP_SECRET };

/**
 * Starts a sandbox. Rejects with Node's error when it cannot listen (EADDRINUSE: the port is taken), and with a TypeError
 * when a redirect URI of an OAuth 2.0 client is relative or has a fragment.
 */
export async function listenSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { host = '127.0.0.1', port = 0, offerIncludes = true, offerCount = true } = options;
  const { step = 2_500, stateExpiry = 60_000, cancelBlocks = false, behindProxy = false } = options;
  const { now = Date.now, anonymousDescription = 'everything', failingIncludes = {} } = options;
  const { clampedLimit = null } = options;
  const redirectUris = [...SEEDED_CLIENT.redirectUris, ...(options.redirectUris ?? [])];
  const oauthClients = [{ ...SEEDED_CLIENT, redirectUris }, ...(options.oauthClients ?? [])];
  const clients = createClients(oauthClients);
  const server = new SandboxServer(behindProxy);
  const url = await server.listen(port, host);
  const { tables, resources } = applyHabits(options, seed(), latestResources);
  const store = createStore(tables);
  const logins = ['admin', 'user'];
  const auth = createAuthentication(store, logins, now);
  const states = createActionStates(store, { step, expiry: stateExpiry, cancelBlocks, now });
  const offers = { includes: offerIncludes, count: offerCount, authUrl: url };
  const token = tokenResource(auth.login, auth.sessions);
  const apis: Apis = [
    bindApi('7.0', resources, { token }, offers),
    bindApi('5.0', createVersionFive(resources), { token: adaptTokenResource(token) }, offers),
  ];
  const handle = withOAuth(
    { ...auth, clients, now },
    createHandler(apis, store, auth, states, { anonymousDescription, failingIncludes, clampedLimit }),
  );
  server.serve(handle);

  function close(): Promise<void> {
    const closed = server.close();
    states.close();
    return closed;
  }

  return {
    url,
    users: logins.map((login) => ({
      login,
      password: PASSWORD,
      token: seededToken(login),
      admin: login === 'admin',
    })),
    twoStepUser: TWO_STEP_USER,
    tokenHeader: TOKEN_HEADER,
    oauthHeader: OAUTH_HEADER,
    oauthClients,
    get openRequests() {
      return server.openRequests;
    },
    get openPolls() {
      return states.waiting;
    },
    get runningActions() {
      return states.running;
    },
    rows: (table) => store.rows(table),
    advance: (steps = 1, actionState) => states.advance(steps, actionState),
    failNext: (kind, scope) => states.failNext(kind, scope),
    onRequest: (listener) => server.onRequest(listener),
    close,
    [Symbol.asyncDispose]: close,
  };
}
