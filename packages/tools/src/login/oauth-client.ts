// Talks to an API's OAuth 2.0 provider, as the library does for browsers, and says in the words of commands why that fails.
import { createOAuthClient, OAuthFailure, type PendingSignIn, type Tokens } from '../../../../src/index.ts';
import { createDispatcher } from '../client/dispatcher.ts';
import { CommandError, EXIT_CODES } from '../command-line/exit-codes.ts';
import type { Connection } from '../read-settings.ts';

/** A provider, and the client that is registered there. */
export interface Registration {
  readonly provider: { readonly authorize: string; readonly token: string; readonly revoke: string };
  readonly clientId: string;
  /** Null for a public client, which relies on PKCE alone. */
  readonly clientSecret: string | null;
}

/** The provider has refused the user, or does not know a token. No message contains a code, a token or a secret. */
export class RefusedError extends CommandError {}

/** A client of a provider. Its methods reject with CommandError, or RefusedError. */
export class OAuthClient implements AsyncDisposable {
  readonly #client: ReturnType<typeof createOAuthClient>;
  readonly #dispatcher: ReturnType<typeof createDispatcher>;

  /** @param scope The scope to ask for; null lets the provider choose. */
  constructor(registration: Registration, connection: Connection, scope: string | null = null) {
    this.#dispatcher = createDispatcher(connection);
    this.#client = createOAuthClient(registration.provider, registration, scope, this.#dispatcher);
  }

  /** Returns the address to open in the browser, and the state to keep. */
  begin(redirectUri: string): Promise<{ readonly url: string; readonly pending: PendingSignIn }> {
    return this.#client.begin(redirectUri);
  }

  /** Exchanges the code in the callback address for tokens. */
  finish(callback: URL, pending: PendingSignIn): Promise<Tokens> {
    return this.#client.finish(callback, pending).catch(explain);
  }

  refresh(token: string): Promise<Tokens> {
    return this.#client.refresh(token).catch(explain);
  }

  revoke(token: string): Promise<void> {
    return this.#client.revoke(token).catch(explain);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#dispatcher.close();
  }
}

function explain(error: unknown): never {
  if (!(error instanceof OAuthFailure)) throw error;
  const { code, message } = error;
  if (code === 'CREDENTIALS_UNKNOWN') throw new RefusedError(EXIT_CODES.credentials, message);
  throw new CommandError(code === 'UNREACHABLE' ? EXIT_CODES.unreachable : EXIT_CODES.credentials, message);
}
