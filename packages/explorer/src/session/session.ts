// Knows who is signed in to the page: adds the user's credential to requests, and signs in and out.
import { config } from '../config.ts';
import { OperationError } from '../sign-in/operation-error.ts';
import { fetchUser, type SessionUser } from '../sign-in/session-user.ts';
import { execute, START_TIMEOUT } from './execute.ts';
import { type PageCredential, readCredential, readText, storeCredential, storeText } from './kept.ts';

/** The session as the page shows it. */
export type SessionState =
  | { readonly kind: 'signed-out'; readonly hasEnded: boolean }
  /** The server did not say whether the credential of the page is still known. */
  | { readonly kind: 'unknown' }
  | {
      readonly kind: 'signed-in';
      readonly method: string;
      readonly expiresAt: string | null;
      /** Null until the API has said who it is, and where it cannot say so. */
      readonly user: SessionUser | null;
    };

interface DescribedSession {
  readonly authenticated: boolean;
  readonly method: string;
  readonly expiresAt: string | null;
}

const SESSION = '{ session { authenticated method expiresAt } }';

/** Stored while the page is loaded again because the server has ended the session. */
const ENDED = 'optiongraph:session-ended';

/**
 * Shortest and longest time until a session is checked because it should have ended, in milliseconds: the clocks of the browser and the
 * server may differ, and timers are limited.
 */
const CHECK_DELAY = { min: 30_000, max: 2 ** 31 - 1 };

const SIGNED_OUT: SessionState = { kind: 'signed-out', hasEnded: false };

/** The session of the page. It begins with the first `check`. */
export class PageSession {
  #credential = readCredential(config.headerNames);
  /** Whether the user's credential is in a cookie. */
  #hasCookie = false;
  #state: SessionState = SIGNED_OUT;
  #caller = 0;
  /** The caller whose user was asked for; the API is asked once. */
  #callerOfUser = -1;
  readonly #listeners = new Set<() => void>();
  /** Reaches the other pages of this server in the browser. */
  readonly #others = new BroadcastChannel('optiongraph');
  #endTimer: ReturnType<typeof setTimeout> | undefined;
  /** The promise of the latest request for the session. The results of earlier requests are outdated. */
  #newest: Promise<SessionState> | null = null;

  constructor() {
    this.#others.addEventListener('message', ({ data }: MessageEvent<{ isCookieGone: boolean }>) => {
      // Fetching the session could mislead, because the next user may have signed in with a cookie already.
      if (data.isCookieGone && this.#hasCookie) location.reload();
      else void this.check();
    });
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'visible') void this.check();
    });
  }

  /** The state; the same object until it changes. */
  readonly read = (): SessionState => this.#state;

  /** Changes when another user has signed in. */
  readonly readCaller = (): number => this.#caller;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Headers that the header editor holds at first. */
  get defaultHeaders(): Readonly<Record<string, string>> {
    return this.#state.kind === 'signed-out' ? config.prefilled : {};
  }

  /**
   * Makes the headers of a request. A credential from the header editor takes precedence over the user's.
   * @returns The headers, and whether the request uses the session of this page.
   */
  authorize(given: HeadersInit = {}): { readonly headers: Headers; readonly usesSession: boolean } {
    const headers = new Headers(given);
    // Without it, the server does not accept the cookie.
    headers.set('x-requested-with', 'GraphiQL');
    const hasOwn = config.headerNames.some((name) => headers.has(name));
    const usesSession = !hasOwn && (this.#credential !== null || this.#hasCookie);
    if (usesSession && this.#credential !== null) headers.set(this.#credential.name, this.#credential.value);
    return { headers, usesSession };
  }

  /** Fetches the session when the page starts. */
  async start(): Promise<void> {
    const state = await this.#fetch();
    const hasEnded = readText(ENDED) !== null;
    storeText(ENDED, null);
    this.#show(state.kind === 'signed-out' ? { kind: 'signed-out', hasEnded } : state);
  }

  /** Fetches the session again: it may have ended, its end may have moved, or another tab may have signed in or out. */
  async check(): Promise<void> {
    const wasSignedIn = this.#state.kind !== 'signed-out';
    const state = await this.#fetch();
    if (state.kind === 'unknown') return;
    if (state.kind === 'signed-in') return this.#show(state, !wasSignedIn);
    if (!wasSignedIn) return;
    storeText(ENDED, 'true');
    location.reload();
  }

  /** Begins to use a credential. @throws OperationError when the API does not know it. */
  async signIn(credential: PageCredential): Promise<void> {
    await execute(SESSION, {}, this.authorize({ [credential.name]: credential.value }).headers);
    this.#setCredential(credential);
    this.#show(await this.#fetch(), true);
  }

  /** Executes an operation of the page itself with the user's credential. Rejects as `execute` does. */
  async execute<Data>(query: string, variables: object = {}): Promise<Data> {
    return execute<Data>(query, variables, this.authorize().headers);
  }

  /**
   * Ends the session, and loads the page again, which removes all results and ends all requests. A pasted token is not revoked,
   * because it may be in use elsewhere.
   * @throws Error when only the server can end the session, and does not.
   */
  async signOut(): Promise<void> {
    if (this.#hasCookie) {
      const { headers } = this.authorize();
      const response = await fetch(`${config.authPath}/logout`, { method: 'POST', headers }).catch(
        () => null,
      );
      if (response?.status !== 204) throw new Error('The server did not sign you out; try again.');
    } else if (this.#credential?.isIssued === true) {
      await this.execute('mutation { tokenRevoke { userErrors { message } } }').catch(() => undefined);
    }
    this.#setCredential(null);
    this.#others.postMessage({ isCookieGone: this.#hasCookie });
    location.reload();
  }

  #fetch(): Promise<SessionState> {
    const { headers } = this.authorize();
    const signal = AbortSignal.timeout(START_TIMEOUT);
    const fetched: Promise<SessionState> = execute<{ session: DescribedSession }>(
      SESSION,
      {},
      headers,
      signal,
    ).then(
      ({ session }) => (fetched === this.#newest ? this.#accept(session) : (this.#newest ?? SIGNED_OUT)),
      (error) => (fetched === this.#newest ? this.#fail(error) : (this.#newest ?? SIGNED_OUT)),
    );
    this.#newest = fetched;
    return fetched;
  }

  #accept({ authenticated, method, expiresAt }: DescribedSession): SessionState {
    this.#hasCookie = authenticated && this.#credential === null;
    if (!authenticated) return SIGNED_OUT;
    const user = this.#state.kind === 'signed-in' ? this.#state.user : null;
    return { kind: 'signed-in', method, expiresAt, user };
  }

  #fail(error: unknown): SessionState {
    if (!(error instanceof OperationError && error.status === 401))
      return this.#credential === null && !this.#hasCookie ? SIGNED_OUT : { kind: 'unknown' };
    // The stored credential has ended.
    this.#setCredential(null);
    this.#hasCookie = false;
    return SIGNED_OUT;
  }

  #setCredential(credential: PageCredential | null): void {
    this.#credential = credential;
    storeCredential(credential);
  }

  #show(state: SessionState, isOtherCaller = false): void {
    const shown = isOtherCaller && state.kind === 'signed-in' ? { ...state, user: null } : state;
    this.#state = shown;
    if (isOtherCaller) this.#caller += 1;
    this.#checkAtEnd();
    for (const listener of this.#listeners) listener();
    if (shown.kind === 'signed-in' && this.#callerOfUser !== this.#caller) void this.#addUser();
  }

  /** Checks the session when it should have ended, so that a page that nobody uses says so. */
  #checkAtEnd(): void {
    clearTimeout(this.#endTimer);
    if (this.#state.kind !== 'signed-in' || this.#state.expiresAt === null) return;
    const left = Date.parse(this.#state.expiresAt) - Date.now();
    const delay = Math.min(Math.max(left, CHECK_DELAY.min), CHECK_DELAY.max);
    this.#endTimer = setTimeout(() => void this.check(), delay);
  }

  async #addUser(): Promise<void> {
    const caller = this.#caller;
    this.#callerOfUser = caller;
    const user = await fetchUser((query, variables) => this.execute(query, variables)).catch(() => null);
    if (user === null || caller !== this.#caller || this.#state.kind !== 'signed-in') return;
    this.#show({ ...this.#state, user });
  }
}
