// Holds the credential of a session, and renews that of a browser when it has ended.
import type { BrowserSession } from '../auth/browser-sessions.ts';
import { UnknownCredentialsError } from '../upstream/errors/request-errors.ts';
import type { Credential } from '../upstream/http/authentication.ts';
import type { Callers } from './callers.ts';

/** The credential that a session's calls carry. A browser's credential is renewed once, if it ends before its stated end. */
export class SessionCredential {
  readonly #callers: Callers;
  readonly #address: string | undefined;
  #current: Credential | null;
  /** Null when nothing can be renewed. */
  #browser: BrowserSession | null;
  #renewal: Promise<boolean> | null = null;

  /** @param address The client's; see `CredentialVerifier.verify`. */
  constructor(
    credential: Credential | null,
    browser: BrowserSession | null,
    callers: Callers,
    address: string | undefined,
  ) {
    this.#current = credential;
    this.#browser = browser;
    this.#callers = callers;
    this.#address = address;
  }

  /** Null for an anonymous caller. */
  get current(): Credential | null {
    return this.#current;
  }

  /**
   * Renews the credential of a call that was answered with 401, once for all calls of the session. A credential that the upstream
   * still knows is kept, because then the action answers 401 for another reason. Never rejects.
   * @returns Whether there is a new credential, so that the call should be repeated.
   */
  async renew(refused: Credential | null): Promise<boolean> {
    if (refused !== this.#current) return true;
    this.#renewal ??= this.#tryToRenew(refused).finally(() => {
      this.#renewal = null;
    });
    return this.#renewal;
  }

  async #tryToRenew(refused: Credential | null): Promise<boolean> {
    const browser = this.#browser;
    if (browser === null || refused === null || (await this.#isKnown(refused))) return false;
    this.#browser = null;
    try {
      const { credential, expiresAt } = await browser.renew();
      this.#callers.ends.note(credential, { at: expiresAt, movesWithUse: false });
      this.#current = credential;
      return true;
    } catch {
      // The client gets the error of the refused call.
      return false;
    }
  }

  /** Whether the upstream knows a credential; true also when that cannot be verified now. */
  async #isKnown(credential: Credential): Promise<boolean> {
    try {
      await this.#callers.ensureKnown(credential, { always: true, address: this.#address });
      return true;
    } catch (error) {
      return !(error instanceof UnknownCredentialsError);
    }
  }
}
