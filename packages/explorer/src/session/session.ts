// Knows who is signed in to the page: adds the user's credential to requests, and signs in and out.
import { create } from 'zustand';
import { config } from '../config.ts';
import { OperationError } from '../sign-in/operation-error.ts';
import { tabStorage } from '../storage.ts';
import { type PageCredential, readCredential, storeCredential } from './credential.ts';
import { execute, START_TIMEOUT } from './execute.ts';

/** The session as the page shows it. */
export type SessionState =
  | { readonly kind: 'signed-out'; readonly hasEnded: boolean }
  /** The server did not say whether the credential of the page is still known. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'signed-in'; readonly method: string; readonly expiresAt: string | null };

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

/** What React shows of the session. */
export const useSession = create<{
  readonly state: SessionState;
  /** Changes when another user has signed in. */
  readonly caller: number;
  /** Whether the dialog to sign in or out is open. */
  readonly isAccountOpen: boolean;
}>(() => ({ state: SIGNED_OUT, caller: 0, isAccountOpen: false }));

/** Opens or closes the dialog to sign in or out. */
export const openAccount = (isAccountOpen: boolean): void => useSession.setState({ isAccountOpen });

/** The session of the page. It begins with `start`. */
class PageSession {
  #credential = readCredential();
  /** Whether the user's credential is in a cookie. */
  #hasCookie = false;
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

  /** Headers that the header editor holds at first. */
  get defaultHeaders(): Readonly<Record<string, string>> {
    return isSignedOut() ? config.prefilled : {};
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

  /** Fetches the session when the page starts. The dialog is open where an earlier session has ended. */
  async start(): Promise<void> {
    const state = await this.#fetch();
    const hasEnded = state.kind === 'signed-out' && tabStorage.read(ENDED) !== null;
    tabStorage.write(ENDED, null);
    this.#show(hasEnded ? { kind: 'signed-out', hasEnded } : state);
    openAccount(hasEnded);
  }

  /** Fetches the session again: it may have ended, its end may have moved, or another tab may have signed in or out. */
  async check(): Promise<void> {
    const wasSignedOut = isSignedOut();
    const state = await this.#fetch();
    if (state.kind === 'signed-in') this.#show(state, wasSignedOut);
    if (state.kind !== 'signed-out' || wasSignedOut) return;
    tabStorage.write(ENDED, 'true');
    location.reload();
  }

  /** Begins to use a credential. @throws OperationError when the API does not know it. */
  async signIn(credential: PageCredential): Promise<void> {
    await execute(SESSION, {}, this.authorize({ [credential.name]: credential.value }).headers);
    this.#setCredential(credential);
    this.#show(await this.#fetch(), true);
  }

  /** Executes an operation of the page itself with the user's credential. Rejects as `execute` does. */
  readonly execute = <Data>(query: string, variables: object = {}): Promise<Data> =>
    execute<Data>(query, variables, this.authorize().headers);

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
    const signal = AbortSignal.timeout(START_TIMEOUT);
    const answer = execute<{ session: DescribedSession }>(SESSION, {}, this.authorize().headers, signal);
    const isNewest = (): boolean => this.#newest === fetched;
    const fetched: Promise<SessionState> = answer.then(
      ({ session }) => (isNewest() ? this.#accept(session) : (this.#newest ?? SIGNED_OUT)),
      (error) => (isNewest() ? this.#fail(error) : (this.#newest ?? SIGNED_OUT)),
    );
    this.#newest = fetched;
    return fetched;
  }

  #accept({ authenticated, method, expiresAt }: DescribedSession): SessionState {
    this.#hasCookie = authenticated && this.#credential === null;
    return authenticated ? { kind: 'signed-in', method, expiresAt } : SIGNED_OUT;
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
    useSession.setState(({ caller }) => ({ state, caller: isOtherCaller ? caller + 1 : caller }));
    this.#checkAtEnd(state);
  }

  /** Checks the session when it should have ended, so that a page that nobody uses says so. */
  #checkAtEnd(state: SessionState): void {
    clearTimeout(this.#endTimer);
    if (state.kind !== 'signed-in' || state.expiresAt === null) return;
    const left = Date.parse(state.expiresAt) - Date.now();
    const delay = Math.min(Math.max(left, CHECK_DELAY.min), CHECK_DELAY.max);
    this.#endTimer = setTimeout(() => void this.check(), delay);
  }
}

const isSignedOut = (): boolean => useSession.getState().state.kind === 'signed-out';

/** The session of this page. */
export const session = new PageSession();
