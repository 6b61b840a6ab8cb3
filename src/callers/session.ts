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
import type { CallerClients } from './caller-client.ts';
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

  /** @param browser The session in the cookie that has the credential; null for none. */
  constructor(
    requester: Requester,
    caller: Caller,
    served: ServedSchema,
    browser: BrowserSession | null,
    { callers, clients }: Pick<SessionSource, 'callers' | 'clients'>,
  ) {
    this.requester = requester;
    this.caller = caller;
    this.served = served;
    this.#callers = callers;
    this.#currentCaller = caller;
    this.#browser = browser;
    this.client = clients.clientFor(this);
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
  async #isKnown(): Promise<boolean> {
    try {
      await this.#callers.verify(this.#currentCaller);
      return true;
    } catch (error) {
      return !(error instanceof UnknownCredentialsError);
    }
  }
}

/** What sessions are made from. */
export interface SessionSource {
  readonly callers: Callers;
  readonly clients: CallerClients;
  /** Whether to accept HTTP basic from browsers, which the specification forbids. */
  readonly basicFromBrowsers: boolean;
  /** Sessions of browsers; null where they cannot sign in. */
  readonly browsers: BrowserSessions | null;
  readonly describeClient: DescribeClient;
  /** See `LanguageOptions`. */
  readonly languageHeader: string | undefined;
  /** Longest time from the start of a request until its session is open, in milliseconds. */
  readonly openingTime: number;
}

/** What is reported of a session while it opens. */
export interface SessionReport {
  readonly observed: ObservedOperation;
  /** Set as soon as the request's credential has been read. */
  caller: Caller | null;
}

/** A session that is being opened. */
interface Opening {
  readonly requester: Pick<Requester, 'leaving' | keyof CookieRequest>;
  readonly source: Pick<SessionSource, 'browsers' | 'callers' | 'openingTime'>;
  /** What is known of the caller besides the credential. */
  readonly client: DescribedClient & Partial<Pick<Caller, 'language'>>;
  /** When the request began, as `performance.now()`. */
  readonly startedAt: number;
  readonly report: SessionReport | null;
}

/** The key of clients without a credential that the API knows. */
const ANONYMOUS = 'anonymous';

/** Who has sent a request, as far as its headers show before its session is open. */
interface Sender {
  /** Whose work it is. */
  readonly client: Client;
  /** Null where the headers have none, undefined where it cannot be read: the session cannot be opened then. */
  readonly credential: Credential | null | undefined;
}

/** Finds out who has sent a request. Never throws. */
export function findSender(
  { header, address = '' }: Pick<Requester, 'header' | 'address'>,
  { callers, browsers }: Pick<SessionSource, 'callers' | 'browsers'>,
): Sender {
  const network = networkOf(address);
  try {
    const credential = readCredential(header, callers.base.description.authentication);
    const ofHeader = credential !== null && callers.isVerified({ credential }) ? credential.key : null;
    const known = credential === null ? browsers?.knownKey(header) : ofHeader;
    return { client: { network, key: known ?? ANONYMOUS }, credential };
  } catch {
    return { client: { network, key: ANONYMOUS }, credential: undefined };
  }
}

/**
 * Finds the caller of a request, and the caller's schema.
 * @param report Null when nobody observes operations, which is the default.
 * @param startedAt See `Opening`; default: now.
 * @param given The credential in the request's headers; default: it is read now.
 * @throws AmbiguousCredentialsError, UnsupportedCredentialsError, UnknownCredentialsError
 * @throws UpstreamTimeoutError after `openingTime`. Rejects when the client leaves.
 */
export async function openSession(
  requester: Requester,
  source: SessionSource,
  report: SessionReport | null = null,
  startedAt = performance.now(),
  given = readCredential(requester.header, source.callers.base.description.authentication),
): Promise<Session> {
  const { callers } = source;
  const client = Object.assign(
    readForwarded(requester, source.languageHeader),
    source.describeClient(requester),
  );
  const opening = { requester, source, client, startedAt, report };
  const tokenHeader = callers.base.description.authentication.token?.httpHeader ?? null;
  if (given?.kind === 'basic' && !source.basicFromBrowsers && isBrowser(requester))
    throw UnsupportedCredentialsError.ofBrowser(tokenHeader);
  // A credential in a header takes precedence over a cookie.
  const opened = given === null ? await openBrowserSession(opening) : null;
  const credential = given ?? opened?.browser.credential ?? null;
  const caller = createCaller(credential, client);
  if (report !== null) report.caller = caller;
  // Most callers are known, and their schema is there without waiting.
  const served =
    opened?.served ??
    callers.knownSchema(caller) ??
    (await whileOpening(callers.schemaFor(caller, report?.observed), opening).catch((error: unknown) => {
      const mayBeToken = given?.kind === 'bearer' && error instanceof UnknownCredentialsError;
      throw mayBeToken ? new UnknownCredentialsError(tokenHeader) : error;
    }));
  return new Session(requester, caller, served, opened?.browser ?? null, source);
}

/** Waits for a part of the opening, until the client leaves or the time is over. */
function whileOpening<T>(result: Promise<T>, { requester, source, startedAt }: Opening): Promise<T> {
  const message = new UpstreamTimeoutError('The management API did not answer in time.');
  const milliseconds = Math.max(0, startedAt + source.openingTime - performance.now());
  return untilAborted(pTimeout(result, { milliseconds, message }), requester.leaving);
}

/**
 * Opens the session in the cookie of an upgrade to a WebSocket, and renews it if needed. Never rejects.
 * @returns Whether the upstream knows the token of the session, and the `Set-Cookie` header of the response; null for none.
 */
export async function openUpgrade(
  upgrade: Pick<Requester, 'header' | 'address'>,
  source: SessionSource,
): Promise<{ readonly isOpen: boolean; readonly setCookie: string | null }> {
  const cookie: ResponseCookie = { setCookie: null, isOpen: true };
  const requester = { ...upgrade, cookie };
  const language = upgrade.header('accept-language') ?? '';
  const client = { ...source.describeClient(requester), language };
  const opening = { requester, source, client, startedAt: performance.now(), report: null };
  const opened = await openBrowserSession(opening).catch(() => null);
  return { isOpen: opened !== null, setCookie: cookie.setCookie };
}

/**
 * Opens the session in a request's cookie. A token that the upstream does not know is renewed once.
 * @returns Null when the request has no session, or may not use it.
 * @throws UnknownCredentialsError when the session cannot be renewed; the response then removes the cookie.
 * @throws StaleTokenError when the response to this request cannot carry the cookie of the renewed session.
 */
async function openBrowserSession(
  opening: Opening,
): Promise<{ readonly browser: BrowserSession; readonly served: ServedSchema } | null> {
  const { requester, client, report } = opening;
  const { browsers, callers } = opening.source;
  const browser = await browsers?.sessionFor(requester);
  if (browser === null || browser === undefined) return null;
  const findSchema = async (session: BrowserSession): Promise<ServedSchema> => {
    const { credential, expiresAt } = session;
    // With a known end, the token is verified again once it has passed: actions that need no credential ignore ended tokens.
    callers.verifier.recordEnd(credential, expiresAt);
    // Without a response to carry a new cookie, the token could not be renewed during the operation, so it is verified before.
    const caller = createCaller(credential, client);
    if (report !== null) report.caller = caller;
    const find = async (): Promise<ServedSchema> => {
      if (requester.cookie === undefined) await callers.verify(caller, report?.observed);
      return callers.schemaFor(caller, report?.observed);
    };
    const known = requester.cookie === undefined ? undefined : callers.knownSchema(caller);
    return known ?? whileOpening(find(), opening);
  };
  try {
    return { browser, served: await findSchema(browser) };
  } catch (error) {
    if (!(error instanceof UnknownCredentialsError)) throw error;
  }
  const renewed = await whileOpening(browser.renew(), opening);
  try {
    return { browser: renewed, served: await findSchema(renewed) };
  } catch (error) {
    if (error instanceof UnknownCredentialsError) renewed.forget();
    throw error;
  }
}

const isBrowser = ({ header }: Requester): boolean => (header('origin') ?? header('sec-fetch-site')) !== null;
