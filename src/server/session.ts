import type { BrowserSession, BrowserSessions, CookieRequest } from '../auth/browser-sessions.ts';
import { type CallerClientSource, createCallerClient } from '../callers/caller-client.ts';
import { SessionCredential } from '../callers/session-credential.ts';
import type { ServedSchema } from '../schema/registry.ts';
import { UnknownCredentialsError, UnsupportedCredentialsError } from '../upstream/errors/request-errors.ts';
import type { ActionClient, Caller } from '../upstream/http/action-client.ts';
import { readCredential } from '../upstream/http/authentication.ts';

/** Who asks, whatever the transport. */
export interface Requester extends CookieRequest {
  /** The client's address; undefined when it is not known. */
  readonly address: string | undefined;
  readonly requestId: string;
  /** Aborted when the client leaves. */
  readonly signal: AbortSignal | undefined;
}

/** One request's caller, found once, before anything of the request is read. */
export interface Session {
  readonly requester: Requester;
  readonly caller: Caller;
  readonly served: ServedSchema;
  /** When the credential ends, as far as that is known now; else null. */
  readonly expiresAt: string | null;
  /** The caller asks for what only others have: their own description may have changed. */
  revalidateRights(): void;
  /** Calls on the caller's behalf, and notices where the upstream contradicts what it described to them. */
  readonly client: ActionClient;
}

/** What it takes to make sessions. */
export interface SessionSource extends CallerClientSource {
  /** Whether HTTP basic is taken from browsers, which the specification forbids. */
  readonly basicFromBrowsers: boolean;
  /** Sessions of browsers that signed in by OAuth 2.0; null where that is not configured. */
  readonly browsers: BrowserSessions | null;
}

/**
 * Finds the caller of a request, and the schema that is theirs.
 * @throws AmbiguousCredentialsError, UnsupportedCredentialsError, UnknownCredentialsError
 */
export async function openSession(requester: Requester, source: SessionSource): Promise<Session> {
  const { callers } = source;
  const { address } = requester;
  const given = readCredential(requester.header, callers.base.description.authentication);
  if (given?.kind === 'basic' && !source.basicFromBrowsers && isBrowser(requester)) {
    throw new UnsupportedCredentialsError(
      'HTTP basic must not be used from web browsers (they would keep the password); send a token instead.',
    );
  }
  // An explicit credential beats a cookie.
  const opened = given === null ? await openBrowserSession(requester, source) : null;
  const first = given ?? opened?.browser.credential ?? null;
  const served = opened?.served ?? (await callers.schemaFor(first, address));
  const credential = new SessionCredential(first, opened?.browser ?? null, callers, address);
  return {
    requester,
    caller: { credential: first, headers: passedOn(requester) },
    served,
    get expiresAt() {
      return callers.expiryOf(credential.current);
    },
    revalidateRights: () => callers.revalidate(credential.current),
    client: createCallerClient(served.description, credential, address, source),
  };
}

/**
 * Opens the session in a request's cookie with a token that the upstream knows: one that it does not know is renewed once.
 * @returns Null where the request has no session, or may not use it.
 * @throws UnknownCredentialsError when it cannot be renewed, which takes the cookie away; StaleTokenError when it can, but not by
 *   this request; OAuthFailure when the provider cannot renew it now.
 */
export async function openBrowserSession(
  requester: Pick<Requester, 'address' | keyof CookieRequest>,
  { browsers, callers }: Pick<SessionSource, 'browsers' | 'callers'>,
): Promise<{ readonly browser: BrowserSession; readonly served: ServedSchema } | null> {
  const browser = await browsers?.sessionFor(requester);
  if (browser === null || browser === undefined) return null;
  const { address, cookie } = requester;
  const serve = async (session: BrowserSession): Promise<ServedSchema> => {
    const { credential, expiresAt } = session;
    // What has ended is asked about again, since actions that need no credential ignore one that did.
    callers.ends.note(credential, { at: expiresAt, movesWithUse: false });
    // A token that ends during an operation cannot be renewed where no cookie can follow, so it is proved before.
    if (cookie === undefined) await callers.ensureKnown(credential, { always: true, address });
    return callers.schemaFor(credential, address);
  };
  try {
    return { browser, served: await serve(browser) };
  } catch (error) {
    if (!(error instanceof UnknownCredentialsError)) throw error;
  }
  const renewed = await browser.renew();
  try {
    return { browser: renewed, served: await serve(renewed) };
  } catch (error) {
    if (error instanceof UnknownCredentialsError) renewed.forget();
    throw error;
  }
}

const isBrowser = ({ header }: Requester): boolean =>
  header('origin') !== null || header('sec-fetch-site') !== null;

/** Besides the credential only the language, the client's address and the request id go upstream. */
function passedOn({ header, address, requestId }: Requester): Record<string, string> {
  const language = header('accept-language');
  return {
    'x-request-id': requestId,
    ...(language === null ? {} : { 'accept-language': language }),
    ...(address === undefined ? {} : { 'x-forwarded-for': address }),
  };
}
