import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { FailureKind } from './actions/progress.ts';
import { createActionStates } from './actions/running-actions.ts';
import { password } from './auth/accounts.ts';
import { oauthHeader, tokenHeader } from './auth/authenticate.ts';
import type { Clock } from './auth/expiring-map.ts';
import { createAuthentication } from './auth/sandbox-authentication.ts';
import { readyToken } from './auth/sessions.ts';
import { createClientAddressReader, LOOPBACK } from './domain/request-address.ts';
import { bindApi } from './engine/api.ts';
import type { Apis } from './engine/definition.ts';
import { createHandler, type FailingIncludes, failed, type Response } from './engine/handler.ts';
import { createStore } from './engine/store.ts';
import { withLiveLog, withLogRows } from './habits/live-log.ts';
import { closeAtOnce, listen, readBody, splitTarget } from './http/http.ts';
import { createClients, type OAuthClient, seededClient } from './oauth/clients.ts';
import { withOAuth } from './oauth/provider.ts';
import { resources } from './resources/resources.ts';
import { tokenResource } from './resources/token.ts';
import { TOTP_SECRET, TWO_STEP_LOGIN } from './seed/base.ts';
import { seed } from './seed/seed.ts';
import { tokenOfVersionFive, versionFive } from './versions/version-5.ts';

/** How a sandbox listens and what it offers. */
export interface SandboxOptions {
  /** Default: 127.0.0.1. */
  readonly host?: string;
  /** Default: 0, any free one. */
  readonly port?: number;
  /** Actions offer `includes`. Default: true; false: no action offers or honours them, as on some servers. */
  readonly offerIncludes?: boolean;
  /** By action scope, names of associations with which it answers 500 when they are to be included. Default: none. */
  readonly failingIncludes?: FailingIncludes;
  /**
   * Property histories are newest first by time, and `from_id` lists the ids below it. That of dataset 1 has 2,200 rows with
   * ties, and after every so many lists of it a row is added at its head; at least 1. Default: null, none of this.
   */
  readonly liveLog?: number | null;
  /** Lists offer `count`. Default: true. */
  readonly offerCount?: boolean;
  /**
   * Milliseconds between two steps of a blocking action. Default: 2500; 0: actions finish before their call is answered, and
   * those of the seed stand still; manual: nothing moves but by `advance`.
   */
  readonly step?: number | 'manual';
  /** Milliseconds for which the state of a finished action is kept. Default: 60,000. */
  readonly stateExpiry?: number;
  /**
   * Proxies whose X-Forwarded-For is believed, as addresses or networks. Default: this machine, `127.0.0.0/8` and `::1`. What
   * is neither rejects with node's error.
   */
  readonly trustedProxies?: readonly string[];
  /** Cancelling answers with an action state of its own. Default: false, with null. */
  readonly cancelBlocks?: boolean;
  /** What an anonymous caller's description holds: everything, as on production servers (default), or what he may use. */
  readonly anonymousDescription?: 'everything' | 'usable';
  /** Redirect URIs of the seeded OAuth 2.0 client beside its own. Default: none. */
  readonly redirectUris?: readonly string[];
  /** OAuth 2.0 clients beside the seeded one. */
  readonly oauthClients?: readonly OAuthClient[];
  /** What time it is for tokens, codes and migrations that finish at a time of day. Default: Date.now. */
  readonly now?: Clock;
}

/** A user to log in as: by login and password, or by a token that is ready to use. */
export interface SandboxUser {
  readonly login: string;
  readonly password: string;
  readonly token: string;
  readonly admin: boolean;
}

/** A user who signs in with a password and then a one-time code (RFC 6238). */
export interface TwoStepUser {
  readonly login: string;
  readonly password: string;
  /** Base32. */
  readonly totpSecret: string;
}

/** A request and how it was answered. */
export interface RecordedRequest {
  readonly method: string;
  /** As sent, without the query. */
  readonly path: string;
  /** As sent, without the question mark. */
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
  /** Parsed where it is JSON, else the text; undefined for none. */
  readonly body: unknown;
  /** For example `dataset.snapshot#index`; null for OPTIONS and where no action was found. */
  readonly scope: string | null;
  readonly status: number;
}

/** A running management API with data of its own. */
export interface Sandbox extends AsyncDisposable {
  /** For example http://127.0.0.1:40123. */
  readonly url: string;
  /** The administrator first, then an ordinary user. */
  readonly users: readonly SandboxUser[];
  /** An ordinary user whose password is not enough. */
  readonly twoStepUser: TwoStepUser;
  /** The header that carries a session token. */
  readonly tokenHeader: string;
  /** The header that carries an OAuth 2.0 access token where `Authorization` does not. */
  readonly oauthHeader: string;
  /** The registered OAuth 2.0 clients, the seeded one first. */
  readonly oauthClients: readonly OAuthClient[];
  /** Requests being answered right now. */
  readonly openRequests: number;
  /** Polls of action states that wait right now. */
  readonly openPolls: number;
  /** Blocking actions under way: those that were called for, and those of the seed unless they stand still. */
  readonly runningActions: number;
  /** Moves blocking actions by so many steps (default: 1): all of them, or the one whose state has the id. */
  advance(steps?: number, actionState?: number): void;
  /** Makes the next blocking action fail, or the next one of a scope such as `dataset#create`. Calls queue up. */
  failNext(kind: FailureKind, scope?: string): void;
  /** Calls the listener when an answer is ready, before it is sent. Returns what ends that. */
  onRequest(listener: (request: RecordedRequest) => void): () => void;
  /** Closes the listener and every connection at once, and stops every action where it is. */
  close(): Promise<void>;
}

const twoStepUser: TwoStepUser = { login: TWO_STEP_LOGIN, password, totpSecret: TOTP_SECRET };

/**
 * Starts a sandbox of its own; rejects with node's error when it cannot listen (code EADDRINUSE when the port is taken),
 * and with a TypeError for a client with a redirect URI that none can be.
 */
export async function listenSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { host = '127.0.0.1', port = 0, offerIncludes = true, offerCount = true } = options;
  const { step = 2_500, stateExpiry = 60_000, cancelBlocks = false, trustedProxies = LOOPBACK } = options;
  const {
    now = Date.now,
    anonymousDescription = 'everything',
    failingIncludes = {},
    liveLog = null,
  } = options;
  const redirectUris = [...seededClient.redirectUris, ...(options.redirectUris ?? [])];
  const oauthClients = [{ ...seededClient, redirectUris }, ...(options.oauthClients ?? [])];
  const clients = createClients(oauthClients);
  const readClientAddress = createClientAddressReader(trustedProxies);
  const server = createServer((incoming, outgoing) => void serve(incoming, outgoing));
  const url = await listen(server, port, host);
  const store = createStore(liveLog === null ? seed() : withLogRows(seed()));
  const logins = ['admin', 'user'];
  const auth = createAuthentication(store, logins, now);
  const states = createActionStates(store, { step, expiry: stateExpiry, cancelBlocks, now });
  const offers = { includes: offerIncludes, count: offerCount, authUrl: url };
  const token = tokenResource(auth.login, auth.sessions);
  const latest = liveLog === null ? resources : withLiveLog(liveLog);
  const apis: Apis = [
    bindApi('7.0', latest, { token }, offers),
    bindApi('5.0', versionFive(latest), { token: tokenOfVersionFive(token) }, offers),
  ];
  const handle = withOAuth(
    { ...auth, clients, now },
    createHandler(apis, store, auth, states, { anonymousDescription, failingIncludes }),
  );
  const listeners = new Set<(request: RecordedRequest) => void>();
  let openRequests = 0;

  async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method = 'GET', url: target = '/', headers } = incoming;
    const address = readClientAddress(headers, incoming.socket.remoteAddress ?? '');
    openRequests += 1;
    const gone = new AbortController();
    outgoing.once('close', () => gone.abort());
    try {
      const body = await readBody(incoming);
      const response =
        body === undefined
          ? failed(413, 'Request body too large', null)
          : await handle({ method, target, headers, body, address, signal: gone.signal });
      // Nobody is left to answer: a poll that was dropped.
      if (gone.signal.aborted) return;
      const [path, query] = splitTarget(target);
      const { scope, status } = response;
      for (const listener of listeners) {
        listener({ method, path, query, headers, body: parsed(body), scope, status });
      }
      send(outgoing, response);
    } catch {
      // The client went away while it sent its request, or a listener threw: the one has nobody left to answer, the other
      // must not take the process down.
      outgoing.destroy();
    } finally {
      openRequests -= 1;
    }
  }

  function close(): Promise<void> {
    const closed = closeAtOnce(server);
    states.close();
    return closed;
  }

  return {
    url,
    users: logins.map((login) => ({ login, password, token: readyToken(login), admin: login === 'admin' })),
    twoStepUser,
    tokenHeader,
    oauthHeader,
    oauthClients,
    get openRequests() {
      return openRequests;
    },
    get openPolls() {
      return states.waiting;
    },
    get runningActions() {
      return states.running;
    },
    advance: (steps = 1, actionState) => states.advance(steps, actionState),
    failNext: states.failNext,
    onRequest(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

function send(outgoing: ServerResponse, { status, headers, body }: Response): void {
  outgoing.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
  outgoing.end(body);
}

function parsed(body: string | undefined): unknown {
  if (body === undefined || body === '') return undefined;
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}
