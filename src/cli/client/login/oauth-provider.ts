// Opens the client of an API's OAuth 2.0 provider.
import {
  createOAuthClient,
  type OAuthClient,
  type OAuthCredentials,
  OAuthFailure,
} from '../../../callers/browsers/oauth-client.ts';
import { createProviderDispatcher } from '../../../callers/browsers/provider-dispatcher.ts';
import type { OAuthEndpoints } from '../../../upstream/description/description.ts';
import { CommandError, EXIT_CODES } from '../../exit-codes.ts';
import type { CallerSettings } from '../caller-settings.ts';

/** How an API is reached. */
export type Connections = Pick<CallerSettings, 'upstream' | 'proxy'>;

/** A provider, and the client that is registered there. */
export interface Provider extends OAuthCredentials {
  readonly provider: OAuthEndpoints;
  /** The scope to ask for; null lets the provider choose. */
  readonly scope: string | null;
}

/**
 * Uses the client of a provider, and then closes its connections.
 * @throws CommandError when the provider refuses, or cannot be reached. Its cause is the OAuthFailure.
 */
export async function withProvider<T>(
  { provider, scope, ...credentials }: Provider,
  { upstream, proxy }: Connections,
  use: (client: OAuthClient) => Promise<T>,
): Promise<T> {
  if (upstream.url === null) throw new TypeError('a provider belongs to an upstream');
  const dispatcher = createProviderDispatcher(provider, upstream.url, { ...upstream.transport, proxy });
  try {
    return await use(createOAuthClient(provider, credentials, scope, dispatcher));
  } catch (error) {
    if (!(error instanceof OAuthFailure)) throw error;
    const code = error.code === 'UNREACHABLE' ? EXIT_CODES.unreachable : EXIT_CODES.credentials;
    throw new CommandError(code, error.message, error);
  } finally {
    await dispatcher.close();
  }
}
