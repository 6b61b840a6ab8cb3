import { isPoll } from '../schema/placement.ts';
import type { ServedSchema } from '../schema/registry.ts';
import { type Credential, credentialKey, readCredential } from '../upstream/authentication.ts';
import {
  type ActionCall,
  type ActionClient,
  type ActionResult,
  type Caller,
  createActionClient,
} from '../upstream/client.ts';
import type { Action, Description } from '../upstream/description.ts';
import {
  ActionFailedError,
  InvalidInputError,
  UnknownCredentialsError,
  UnsupportedCredentialsError,
} from '../upstream/errors.ts';
import { isObject } from '../upstream/reader.ts';
import { isTokenAction } from '../upstream/token-method.ts';
import type { Transport } from '../upstream/transport.ts';
import { networkOf } from './address.ts';
import type { BrowserSessions, Visitor } from './auth/browser-sessions.ts';
import type { Callers } from './callers.ts';
import type { FairShare } from './fair-share.ts';
import type { SignInLimit } from './sign-in-limit.ts';

/** Who asks, whatever the transport. */
export interface Asker extends Visitor {
  /** The client's address; undefined when it is not known. */
  readonly address: string | undefined;
  readonly requestId: string;
  /** Aborted when the client leaves. */
  readonly signal: AbortSignal | undefined;
}

/** One request's caller, found once, before anything of the request is read. */
export interface Session {
  readonly asker: Asker;
  readonly caller: Caller;
  readonly served: ServedSchema;
  /** When the credential ends, as the upstream wrote it; null where that is not known. */
  readonly expiresAt: string | null;
  /** The caller asks for what only others have: their own description may have changed. */
  doubtRights(): void;
  /** Calls on the caller's behalf, and notices where the upstream contradicts what it described to them. */
  readonly client: ActionClient;
}

/** What it takes to make sessions. */
export interface SessionSource {
  readonly transport: Transport;
  /** For long polls, which wait for seconds and must not keep others waiting. */
  readonly polls: Transport;
  readonly fairShare: FairShare;
  readonly callers: Callers;
  /** Whether HTTP basic is taken from browsers, which the specification forbids. */
  readonly basicFromBrowsers: boolean;
  readonly signIns: SignInLimit;
  /** Sessions of browsers that signed in by OAuth 2.0; null where that is not configured. */
  readonly browsers: BrowserSessions | null;
  /** Called when a described path is not there. */
  onContradiction(): void;
}

/**
 * Finds the caller of a request, and the schema that is theirs.
 * @throws AmbiguousCredentialsError, UnsupportedCredentialsError, UnknownCredentialsError
 */
export async function openSession(asker: Asker, source: SessionSource): Promise<Session> {
  const { callers } = source;
  const given = readCredential(asker.header, callers.base.description.authentication);
  // An explicit credential beats a cookie.
  const browser = given === null ? ((await source.browsers?.of(asker)) ?? null) : null;
  const credential = given ?? browser?.credential ?? null;
  if (credential?.kind === 'basic' && !source.basicFromBrowsers && isBrowser(asker)) {
    throw new UnsupportedCredentialsError(
      'HTTP basic must not be used from web browsers (they would keep the password); send a token instead.',
    );
  }
  // What has ended is asked about again, since actions that need no credential ignore one that did.
  if (browser?.expiresAt) callers.noteExpiry(browser.credential, browser.expiresAt);
  const served = await callers.schemaOf(credential, asker.address).catch((error: unknown) => {
    if (error instanceof UnknownCredentialsError) browser?.forget();
    throw error;
  });
  return {
    asker,
    caller: { credential, headers: passedOn(asker) },
    served,
    expiresAt: browser?.expiresAt ?? callers.expiryOf(credential),
    doubtRights: () => callers.doubt(credential),
    client: createWatchfulClient(served.description, credential, asker, source),
  };
}

const isBrowser = ({ header }: Asker): boolean =>
  header('origin') !== null || header('sec-fetch-site') !== null;

/** Besides the credential only the language, the client's address and the request id go upstream. */
function passedOn({ header, address, requestId }: Asker): Record<string, string> {
  const language = header('accept-language');
  return {
    'x-request-id': requestId,
    ...(language === null ? {} : { 'accept-language': language }),
    ...(address === undefined ? {} : { 'x-forwarded-for': address }),
  };
}

function createWatchfulClient(
  description: Description,
  credential: Credential | null,
  { address }: Asker,
  { callers, transport, polls, fairShare, signIns, onContradiction }: SessionSource,
): ActionClient {
  const client = createActionClient(transport, description.metaNamespace);
  const poller = createActionClient(polls, description.metaNamespace);
  // Anonymous callers are told apart by where they are.
  const share = credential === null ? networkOf(address ?? '') : credentialKey(credential);
  let hasSignedIn = false;
  const attempt = async ({ action, input }: ActionCall): Promise<void> => {
    if (hasSignedIn) throw new InvalidInputError('Sign in once a request.', { action: action.scope });
    hasSignedIn = true;
    await signIns.attempt(action, input, address);
  };
  return {
    async call(call, caller, signal) {
      const { action } = call;
      // Actions that need no credential ignore one that has ended, and answer as if there were none.
      const ignored = action.auth ? null : credential;
      const isToken = isTokenAction(action, description.authentication);
      try {
        if (isToken && !action.auth) await attempt(call);
        if (ignored !== null) await callers.ensureKnown(ignored, { address });
        const result = isPoll(action)
          ? await poller.call(call, caller, signal)
          : await fairShare.run(share, () => client.call(call, caller, signal), signal);
        if (isToken) noteToken(callers, description, credential, action, result);
        const step = isToken && !action.auth ? tokenOf(result) : null;
        if (step !== null) signIns.noteStep(action, call.input, step);
        return result;
      } catch (error) {
        if (!(error instanceof ActionFailedError)) throw error;
        if (ignored !== null) await callers.ensureKnown(ignored, { always: true, address });
        if (error.status === 401) callers.forget(credential);
        else if (error.status === 403) callers.doubt(credential);
        else if (error.status === 404 && action.path.placeholders.length === 0) onContradiction();
        throw error;
      }
    },
  };
}

/** Remembers how long a token lives that was issued or renewed, and forgets the caller whose token it was: it may be revoked. */
function noteToken(
  callers: Callers,
  { authentication }: Description,
  credential: Credential | null,
  { auth }: Action,
  { output }: ActionResult,
): void {
  const { valid_to: expiresAt } = isObject(output) ? output : {};
  const token = tokenOf({ output });
  const header = authentication.token?.httpHeader.toLowerCase();
  if (auth) callers.forget(credential);
  const own = auth ? credential : null;
  const issued =
    token !== null && header !== undefined ? ({ kind: 'token', header, value: token } as const) : own;
  if (issued !== null && typeof expiresAt === 'string') callers.noteExpiry(issued, expiresAt);
}

function tokenOf({ output }: Pick<ActionResult, 'output'>): string | null {
  const token = isObject(output) ? output['token'] : null;
  return typeof token === 'string' ? token : null;
}
