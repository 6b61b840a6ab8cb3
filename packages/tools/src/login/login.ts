// The command `login`: signs in at a management API, and stores the session in a profile.
import { randomUUID } from 'node:crypto';
import { fetchUser, type Query } from '@optiongraph/explorer/sign-in/session-user';
import { headersOf, type OpenApi, openWith, secretOfProfile } from '../client/open-api.ts';
import { CommandError, EXIT_CODES, usageError } from '../command-line/exit-codes.ts';
import { note } from '../command-line/output.ts';
import { actionsIn, type Resource } from '../description.ts';
import { dataOf } from '../output/results.ts';
import { Answers } from '../output/terminal.ts';
import type { LoginSettings } from '../read-settings.ts';
import { OAuthClient } from './oauth-client.ts';
import {
  DEFAULT_PROFILE,
  type Profile,
  prepareStore,
  profileFile,
  readProfile,
  whileLocked,
  writeProfile,
} from './profile.ts';
import { signInAtProvider } from './provider-sign-in.ts';
import { isSameApi } from './use-profile.ts';
import { signInBySteps } from './user-sign-in.ts';

/** Signs in. @returns The exit code. */
export async function login(given: LoginSettings): Promise<number> {
  const name = given.profile ?? DEFAULT_PROFILE;
  const config = asBefore(given, readEarlier(name));
  const { url } = config;
  if (url === null)
    throw usageError('Give the address of the management API as --upstream URL or UPSTREAM_URL.');
  // Otherwise the session would stay open at the API, and nobody could end it.
  prepareStore();
  await using api = await openWith({ ...config, language: null, overrides: null }, null);
  const profile =
    config.clientId === null || config.user !== null
      ? await signInByUser(api, url, config)
      : await signInByProvider(api, url, config, config.clientId);
  const query = queryAs(api, headersOf(secretOfProfile(profile), api.served));
  const { session } = await query<{ session: Session }>('{ session { expiresAt } }');
  await whileLocked(name, async () => writeProfile(name, withEnd(profile, session)));
  const user = await fetchUser(query).catch(() => null);
  note(
    `Signed in to ${url.href}${user === null ? '' : ` as ${user.label}`}. ${describeEnd(profile, session)}`,
  );
  note(`The session is in ${profileFile(name)}.`);
  return EXIT_CODES.ok;
}

interface Session {
  readonly expiresAt: string | null;
}

/** The profile that is replaced; null if there is none that can be read. */
function readEarlier(name: string): Profile | null {
  try {
    return readProfile(name);
  } catch (error) {
    if (error instanceof CommandError) return null;
    throw error;
  }
}

/** Signs in as for the earlier profile where the settings do not say otherwise. */
function asBefore(config: LoginSettings, earlier: Profile | null): LoginSettings {
  if (earlier === null) return config;
  const url = config.url ?? new URL(earlier.upstream);
  if (earlier.kind === 'token' || config.clientId !== null || !isSameApi(url, earlier))
    return { ...config, url };
  const { clientId, clientSecret } = earlier;
  return { ...config, url, clientId, clientSecret };
}

async function signInByUser(api: OpenApi, url: URL, { user }: LoginSettings): Promise<Profile> {
  using answers = new Answers();
  const token = await signInBySteps(queryAs(api, {}), user, answers);
  return { kind: 'token', upstream: url.href, id: randomUUID(), token, validFrom: Date.now(), validTo: null };
}

async function signInByProvider(
  { served }: OpenApi,
  url: URL,
  config: LoginSettings,
  clientId: string,
): Promise<Profile> {
  const { token, oauth2 } = served.description.authentication;
  const provider = oauth2?.endpoints ?? null;
  if (provider === null)
    throw new CommandError(
      EXIT_CODES.credentials,
      'The API describes no OAuth 2.0 provider. To sign in by user name and password, leave out --oauth-client-id and OAUTH_CLIENT_ID.',
    );
  const { clientSecret, redirectUri } = config;
  const scope = config.scope ?? describedScope(token?.resources ?? []);
  await using client = new OAuthClient({ provider, clientId, clientSecret }, config.connection, scope);
  const tokens = await signInAtProvider(client, redirectUri, (address) => {
    note('Open this address in a browser on this machine, and sign in there:');
    note(address);
  });
  return { kind: 'oauth2', upstream: url.href, id: randomUUID(), provider, clientId, clientSecret, tokens };
}

/** The described default of the scope of a token; null where there is none. */
function describedScope(resources: readonly Resource[]): string | null {
  const request = actionsIn({ resources }).find(({ name }) => name === 'request');
  const scope = request?.input.parameters.find(({ name }) => name === 'scope');
  const value = scope === undefined || scope.type === 'Resource' ? null : scope.default;
  return typeof value === 'string' && value !== '' ? value : null;
}

/** Executes operations with a credential. Rejects with CommandError. */
const queryAs =
  (api: OpenApi, headers: Readonly<Record<string, string>>): Query =>
  async <Data>(query: string, variables = {}) =>
    dataOf(await api.client.ask({ query, variables: { ...variables } }, headers)) as Data;

/** Adds the end of a token, which the API states. */
function withEnd(profile: Profile, { expiresAt }: Session): Profile {
  if (profile.kind === 'oauth2' || expiresAt === null) return profile;
  return { ...profile, validTo: Date.parse(expiresAt) };
}

function describeEnd(profile: Profile, { expiresAt }: Session): string {
  if (profile.kind === 'oauth2' && profile.tokens.refresh !== null)
    return 'The session is renewed when needed.';
  if (expiresAt === null) return 'The API extends the session with each use, or states no end.';
  return `The session lasts until ${expiresAt}.`;
}
