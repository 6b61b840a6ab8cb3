import type { BrowserSession } from '../auth/browser-sessions.ts';
import { UnknownCredentialsError } from '../upstream/errors/request-errors.ts';
import type { Credential } from '../upstream/http/authentication.ts';
import type { Callers } from './callers.ts';

/** The credential that a session's calls carry. That of a browser's session is renewed once, when it has ended early. */
export class SessionCredential {
  readonly #callers: Callers;
  readonly #address: string | undefined;
  #current: Credential | null;
  /** Null where nothing can be renewed (any more). */
  #browser: BrowserSession | null;
  #renewal: Promise<boolean> | null = null;

  /** @param address The client's; see KnownCredentials. */
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
   * Renews the credential of a call that was answered 401, once for all calls of the session. A credential that the upstream
   * still knows is kept: the action has a reason of its own for its answer. Never rejects.
   * @returns Whether the call is worth repeating, since there is another credential.
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
      // The refusal of the call stands.
      return false;
    }
  }

  /** Whether the upstream knows a credential, or does not answer that now. */
  async #isKnown(credential: Credential): Promise<boolean> {
    try {
      await this.#callers.ensureKnown(credential, { always: true, address: this.#address });
      return true;
    } catch (error) {
      return !(error instanceof UnknownCredentialsError);
    }
  }
}
