// Opens the session of a request: its caller, their schema and their client.
import pTimeout from 'p-timeout';
import type { ObservedOperation } from '../observer.ts';
import type { ServedSchema } from '../schema/registry.ts';
import { untilAborted } from '../upstream/abortable.ts';
import {
  UnknownCredentialsError,
  UnsupportedCredentialsError,
  UpstreamTimeoutError,
} from '../upstream/errors.ts';
import type { ActionClient } from '../upstream/http/action-client.ts';
import {
  type Caller,
  type Credential,
  createCaller,
  readCredential,
  readForwarded,
} from '../upstream/http/caller.ts';
import type { DescribeClient, DescribedClient } from '../upstream/http/client-headers.ts';
import type { BrowserSession, BrowserSessions } from './browser-sessions.ts';
import type { Callers } from './callers.ts';
import {
  type Client,
  type CookieRequest,
  networkOf,
  type Requester,
  type ResponseCookie,
} from './requester.ts';

/**
 * Who sends the operation of a request, with their schema and their client. The credential of a browser is renewed once, if it ends
 * before its stated end.
 */
export class Session {
  readonly requester: Requester;
  /** The caller when the session was opened. */
  readonly caller: Caller;
  readonly served: ServedSchema;
  /** Calls actions on behalf of the caller. */
  readonly client: ActionClient;
  /** Whether the session has sent an attempt to sign in. */
  hasSignedIn = false;
  readonly #callers: Callers;
  #currentCaller: Caller;
  /** Null when nothing can be renewed. */
  #browser: BrowserSession | null;
  #renewal: Promise<boolean> | null = null;

  constructor(
    requester: Requester,
    { caller, served, browser }: Opened,
    { callers, clientFor }: Pick<SessionSource, 'callers' | 'clientFor'>,
  ) {
    this.requester = requester;
    this.caller = caller;
    this.served = served;
    this.#callers = callers;
    this.#currentCaller = caller;
    this.#browser = browser;
    this.client = clientFor(this);
  }

  /** The caller with the credential that calls carry now. */
  get currentCaller(): Caller {
    return this.#currentCaller;
  }

  /** When the credential ends; null when that is unknown. */
  get expiresAt(): string | null {
    const { credential } = this.#currentCaller;
    return credential === null ? null : this.#callers.verifier.endOf(credential);
  }

  /** Fetches the caller's description again: they used a field that only other callers have, so their rights may have changed. */
  revalidateRights(): void {
    this.#callers.revalidate(this.#currentCaller);
  }

  /**
   * Renews the credential of a refused call, once for all calls of the session. A credential that the upstream still knows is
   * kept, because then the action answers 401 for another reason. Never rejects.
   * @returns Whether there is a new credential, so that the call should be repeated.
   */
  async renew(refused: Caller): Promise<boolean> {
    if (refused.key !== this.#currentCaller.key) return true;
    this.#renewal ??= this.#tryToRenew().finally(() => {
      this.#renewal = null;
    });
    return this.#renewal;
  }

  async #tryToRenew(): Promise<boolean> {
    const browser = this.#browser;
    if (browser === null || (await this.#isKnown())) return false;
    this.#browser = null;
    try {
      const { credential, expiresAt } = await browser.renew();
      this.#callers.verifier.recordEnd(credential, expiresAt);
      this.#currentCaller = createCaller(credential, this.#currentCaller);
      return true;
    } catch {
      // The client gets the error of the refused call.
      return false;
    }
  }

  /** Whether the upstream knows the credential; true also when that cannot be verified now. */
  #isKnown(): Promise<boolean> {
    return this.#callers.verify(this.#currentCaller).then(
      () => true,
      (error: unknown) => !(error instanceof UnknownCredentialsError),
    );
  }
}

/** What is reported of a session while it opens. */
export interface SessionReport {
  readonly observed: ObservedOperation;
  /** Set as soon as the request's credential has been read. */
  caller: Caller | null;
}

/** Who has sent a request, as far as its headers show before its session is open. */
export interface Sender {
  readonly requester: Requester;
  /** Whose work it is. */
  readonly client: Client;
  /** Null where the headers have none. */
  readonly credential: Credential | null;
  /** Why the credential cannot be read, so that no session can be opened; null where it can. */
  readonly failure: unknown;
}

/** The key of clients without a credential that the API knows. */
const ANONYMOUS = 'anonymous';

/** What sessions are made from. */
interface SessionSource {
  readonly callers: Callers;
  /** Returns the client of a session. */
  readonly clientFor: (session: Session) => ActionClient;
  /** Whether to accept HTTP basic from browsers, which the specification forbids. */
  readonly basicFromBrowsers: boolean;
  readonly describeClient: DescribeClient;
  /** See `LanguageOptions`. */
  readonly languageHeader: string | undefined;
  /** Longest time from the start of a request until its session is open, in milliseconds. */
  readonly openingTime: number;
}

/** A session that is being opened. */
interface Opening {
  readonly requester: Pick<Requester, 'leaving' | keyof CookieRequest>;
  /** What is known of the caller besides the credential. */
  readonly client: DescribedClient & Partial<Pick<Caller, 'language'>>;
  /** When the request began, as `performance.now()`. */
  readonly startedAt: number;
  readonly report: SessionReport | null;
}

/** A caller with their schema, and the session in the cookie that has the credential; null for none. */
interface Opened {
  readonly caller: Caller;
  readonly served: ServedSchema;
  readonly browser: BrowserSession | null;
}

/** Opens the sessions of requests. */
export class Sessions {
  /** Sessions of browsers; null where they cannot sign in. */
  browsers: BrowserSessions | null = null;
  readonly #source: SessionSource;

  constructor(source: SessionSource) {
    this.#source = source;
  }

  /** Finds out who has sent a request. Never throws. */
  findSender(requester: Requester): Sender {
    const { callers } = this.#source;
    const { header, address = '' } = requester;
    let credential: Credential | null = null;
    let key: string | null | undefined = null;
    let failure: unknown = null;
    try {
      credential = readCredential(header, callers.base.description.authentication);
      if (credential === null) key = this.browsers?.knownKey(header);
      else if (callers.isVerified({ credential })) key = credential.key;
    } catch (error) {
      failure = error;
    }
    return { requester, client: { network: networkOf(address), key: key ?? ANONYMOUS }, credential, failure };
  }

  /**
   * Finds the caller of a request, and the caller's schema.
   * @param report Null when nobody observes operations, which is the default.
   * @param startedAt See `Opening`; default: now.
   * @throws AmbiguousCredentialsError, UnsupportedCredentialsError, UnknownCredentialsError
   * @throws UpstreamTimeoutError after `openingTime`. Rejects when the client leaves.
   */
  async open(
    { requester, credential, failure }: Sender,
    report: SessionReport | null = null,
    startedAt = performance.now(),
  ): Promise<Session> {
    if (failure !== null) throw failure;
    const { callers, basicFromBrowsers, languageHeader, describeClient } = this.#source;
    const client = Object.assign(readForwarded(requester, languageHeader), describeClient(requester));
    const opening = { requester, client, startedAt, report };
    // A credential in a header takes precedence over a cookie.
    const opened =
      credential === null && this.browsers !== null ? await this.#openCookie(opening, this.browsers) : null;
    if (opened !== null) return new Session(requester, opened, this.#source);
    const tokenHeader = callers.base.description.authentication.token?.httpHeader ?? null;
    if (credential?.kind === 'basic' && !basicFromBrowsers && isBrowser(requester))
      throw UnsupportedCredentialsError.ofBrowser(tokenHeader);
    const caller = createCaller(credential, client);
    if (report !== null) report.caller = caller;
    // Most callers are known, and their schema is there without waiting.
    const served =
      callers.knownSchema(caller) ??
      (await this.#schemaFor(caller, opening).catch((error: unknown) => {
        const mayBeToken = credential?.kind === 'bearer' && error instanceof UnknownCredentialsError;
        throw mayBeToken ? new UnknownCredentialsError(tokenHeader) : error;
      }));
    return new Session(requester, { caller, served, browser: null }, this.#source);
  }

  /**
   * Opens the session in the cookie of an upgrade to a WebSocket, and renews it if needed. Never rejects.
   * @returns Whether the upstream knows the token of the session, and the `Set-Cookie` header of the response; null for none.
   */
  async openUpgrade(
    upgrade: Pick<Requester, 'header' | 'address'>,
  ): Promise<{ readonly isOpen: boolean; readonly setCookie: string | null }> {
    const cookie: ResponseCookie = { setCookie: null, isOpen: true };
    const requester = { ...upgrade, cookie };
    const language = upgrade.header('accept-language') ?? '';
    const client = { ...this.#source.describeClient(requester), language };
    const opening = { requester, client, startedAt: performance.now(), report: null };
    const opened = this.browsers && (await this.#openCookie(opening, this.browsers).catch(() => null));
    return { isOpen: opened !== null, setCookie: cookie.setCookie };
  }

  /**
   * Opens the session in a request's cookie. A token that the upstream does not know is renewed once.
   * @returns Null when the request has no session, or may not use it.
   * @throws UnknownCredentialsError when the session cannot be renewed; the response then removes the cookie.
   * @throws StaleTokenError when the response to this request cannot carry the cookie of the renewed session.
   */
  async #openCookie(opening: Opening, browsers: BrowserSessions): Promise<Opened | null> {
    const browser = await browsers.sessionFor(opening.requester);
    if (browser === null) return null;
    try {
      return await this.#openWith(browser, opening);
    } catch (error) {
      if (!(error instanceof UnknownCredentialsError)) throw error;
    }
    const renewed = await this.#inTime(browser.renew(), opening);
    try {
      return await this.#openWith(renewed, opening);
    } catch (error) {
      if (error instanceof UnknownCredentialsError) renewed.forget();
      throw error;
    }
  }

  async #openWith(browser: BrowserSession, opening: Opening): Promise<Opened> {
    const { requester, client, report } = opening;
    const { callers } = this.#source;
    // With a known end, the token is verified again once it has passed: actions that need no credential ignore ended tokens.
    callers.verifier.recordEnd(browser.credential, browser.expiresAt);
    const caller = createCaller(browser.credential, client);
    if (report !== null) report.caller = caller;
    // Without a response to carry a new cookie, the token could not be renewed during the operation, so it is verified before.
    if (requester.cookie === undefined) await this.#inTime(callers.verify(caller, report?.observed), opening);
    const served = callers.knownSchema(caller) ?? (await this.#schemaFor(caller, opening));
    return { caller, served, browser };
  }

  #schemaFor(caller: Caller, opening: Opening): Promise<ServedSchema> {
    return this.#inTime(this.#source.callers.schemaFor(caller, opening.report?.observed), opening);
  }

  /** Waits for a part of the opening, until the client leaves or the time is over. */
  #inTime<T>(result: Promise<T>, { requester, startedAt }: Opening): Promise<T> {
    const message = new UpstreamTimeoutError('The management API did not answer in time.');
    const milliseconds = Math.max(1, startedAt + this.#source.openingTime - performance.now());
    return untilAborted(pTimeout(result, { milliseconds, message }), requester.leaving);
  }
}

const isBrowser = ({ header }: Requester): boolean => (header('origin') ?? header('sec-fetch-site')) !== null;
