// The command `auth status`: which sessions are stored, and who commands are.
import { fetchUser, type Query } from '@optiongraph/explorer/sign-in/session-user';
import type { Client } from '../client/client.ts';
import { openApi } from '../client/open-api.ts';
import { CommandError, EXIT_CODES } from '../command-line/exit-codes.ts';
import { note } from '../command-line/output.ts';
import { type Format, printRows } from '../output/formats.ts';
import { dataOf } from '../output/results.ts';
import type { CallerSettings } from '../read-settings.ts';
import { DEFAULT_PROFILE, listProfiles, type Profile, readProfile } from './profile.ts';
import { type CallerConfig, withProfile } from './use-profile.ts';

/** A profile as it is listed. */
interface Row {
  readonly profile: string;
  /** Null where the profile cannot be used. */
  readonly api: string | null;
  readonly method: 'password' | 'OAuth 2.0' | null;
  /** When the session ends as far as it is known; null for one that is renewed, or has no stated end. */
  readonly ends: string | null;
  /** Whether commands with the same settings use it. */
  readonly used: boolean;
}

/** Lists the profiles, and says at the API who commands are. @returns The exit code: that of missing credentials for an anonymous caller. */
export async function showStatus(settings: CallerSettings, format: Format): Promise<number> {
  const config = hasApi(settings) ? withProfile(settings) : null;
  await printRows(listRows(config?.signedIn?.name ?? null), format);
  if (config === null) {
    note(
      'No API is given, and no session for one: give --upstream URL, or sign in with: optiongraph login --upstream URL',
    );
    return EXIT_CODES.credentials;
  }
  await using api = await openApi(config);
  if (api.client.signInAdvice !== null) {
    note(api.client.signInAdvice);
    return EXIT_CODES.credentials;
  }
  const user = await findUser(api.client);
  note(`Signed in to ${describeApi(config)}${user === null ? '' : ` as ${user}`}, ${describeMeans(config)}.`);
  return EXIT_CODES.ok;
}

const hasApi = ({ sandbox, url, profile }: CallerSettings): boolean =>
  sandbox || url !== null || profile !== null || listProfiles().includes(DEFAULT_PROFILE);

function listRows(used: string | null): readonly Row[] {
  return listProfiles()
    .toSorted()
    .map((name) => ({ profile: name, ...describeProfile(readUsable(name)), used: name === used }));
}

/** Reads a profile; null, with a warning, where it cannot be used. */
function readUsable(name: string): Profile | null {
  try {
    return readProfile(name);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    note(`warning: ${error.message}`);
    return null;
  }
}

function describeProfile(profile: Profile | null): Pick<Row, 'api' | 'method' | 'ends'> {
  if (profile === null) return { api: null, method: null, ends: null };
  const { upstream: api } = profile;
  if (profile.kind === 'token') return { api, method: 'password', ends: toTime(profile.validTo) };
  const { refresh, expiresAt } = profile.tokens;
  return { api, method: 'OAuth 2.0', ends: refresh === null ? toTime(expiresAt) : null };
}

const toTime = (time: number | null): string | null => (time === null ? null : new Date(time).toISOString());

async function findUser(client: Client): Promise<string | null> {
  const query: Query = async <Data>(text: string, variables = {}) =>
    dataOf(await client.ask({ query: text, variables: { ...variables } })) as Data;
  return (await fetchUser(query).catch(() => null))?.label ?? null;
}

const describeApi = ({ sandbox, url }: CallerConfig): string => (sandbox ? 'the sandbox' : `${url?.href}`);

function describeMeans({ sandbox, signedIn, token }: CallerConfig): string {
  if (sandbox) return 'by --as';
  if (signedIn !== null) return `by the profile ${JSON.stringify(signedIn.name)}`;
  return token === null ? 'by OPTIONGRAPH_AUTHORIZATION' : 'by OPTIONGRAPH_TOKEN';
}
