// Holds the caller of a session, and renews the credential of a browser when it has ended.

import { UnknownCredentialsError } from '../upstream/errors.ts';
import { type Caller, createCaller } from '../upstream/http/caller.ts';
import type { BrowserSession } from './browsers/browser-sessions.ts';
import type { Callers } from './callers.ts';

/** The caller of a session. A browser's credential is renewed once, if it ends before its stated end. */
export class SessionCaller {
  /** The caller when the session was opened. */
  readonly opened: Caller;
  /** Whether the session has sent an attempt to sign in. */
  hasSignedIn = false;
  readonly #callers: Callers;
  #current: Caller;
  /** Null when nothing can be renewed. */
  #browser: BrowserSession | null;
  #renewal: Promise<boolean> | null = null;

  constructor(opened: Caller, browser: BrowserSession | null, callers: Callers) {
    this.opened = opened;
    this.#current = opened;
    this.#browser = browser;
    this.#callers = callers;
  }

  /** The caller with the credential that calls carry now. */
  get current(): Caller {
    return this.#current;
  }

  /**
   * Renews the credential of a refused call, once for all calls of the session. A credential that the upstream still knows is
   * kept, because then the action answers 401 for another reason. Never rejects.
   * @returns Whether there is a new credential, so that the call should be repeated.
   */
  async renew(refused: Caller): Promise<boolean> {
    if (refused.key !== this.#current.key) return true;
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
      this.#callers.ends.record(credential, { at: expiresAt, isExtendedByUse: false });
      this.#current = createCaller(credential, this.#current.address, this.#current.headers);
      return true;
    } catch {
      // The client gets the error of the refused call.
      return false;
    }
  }

  /** Whether the upstream knows the credential; true also when that cannot be verified now. */
  async #isKnown(): Promise<boolean> {
    try {
      await this.#callers.ensureKnown(this.#current, true);
      return true;
    } catch (error) {
      return !(error instanceof UnknownCredentialsError);
    }
  }
}
