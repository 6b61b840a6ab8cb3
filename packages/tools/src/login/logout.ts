// The command `logout`: revokes the session of a profile at the API, and deletes the profile.
import { parse } from 'graphql';
import { isUnknownCredential, openWith, secretOfProfile } from '../client/open-api.ts';
import { CommandError, EXIT_CODES } from '../command-line/exit-codes.ts';
import { note } from '../command-line/output.ts';
import { ResultReport } from '../output/results.ts';
import type { Connection, LogoutSettings } from '../read-settings.ts';
import { OAuthClient } from './oauth-client.ts';
import {
  DEFAULT_PROFILE,
  type OAuthProfile,
  profileFile,
  removeProfile,
  type TokenProfile,
  whileLocked,
} from './profile.ts';
import { findProfile } from './use-profile.ts';

const REVOKE = 'mutation { tokenRevoke { userErrors { message } } }';

/** Signs out. @returns The exit code. */
export async function logout({ profile: given, connection }: LogoutSettings): Promise<number> {
  const name = given ?? DEFAULT_PROFILE;
  findProfile(name, true);
  return whileLocked(name, async () => {
    const { profile } = findProfile(name, true);
    try {
      note(
        profile.kind === 'oauth2'
          ? await revokeTokens(profile, connection)
          : await revokeToken(profile, connection),
      );
    } catch (error) {
      note(`The session is not revoked, so its profile is kept. Try again, or delete ${profileFile(name)}`);
      throw error;
    }
    removeProfile(name);
    note(`The profile ${JSON.stringify(name)} is deleted.`);
    return EXIT_CODES.ok;
  });
}

async function revokeTokens(profile: OAuthProfile, connection: Connection): Promise<string> {
  const { refresh, access } = profile.tokens;
  await using client = new OAuthClient(profile, connection);
  if (refresh !== null) await client.revoke(refresh);
  await client.revoke(access);
  return 'The session is revoked at the OAuth 2.0 provider.';
}

async function revokeToken(profile: TokenProfile, connection: Connection): Promise<string> {
  const url = new URL(profile.upstream);
  const settings = { url, connection, version: null, operator: null, language: null, overrides: null };
  const opened = await openWith(settings, secretOfProfile(profile)).catch((error: unknown) => {
    if (isUnknownCredential(error)) return null;
    throw error;
  });
  if (opened === null) return 'The session had ended already.';
  await using api = opened;
  if (api.served.schema.getMutationType()?.getFields()['tokenRevoke'] === undefined)
    return 'The API describes no way to revoke the token, which is valid until its end.';
  const report = new ResultReport(api.client, parse(REVOKE));
  await report.add(await api.client.ask({ query: REVOKE }));
  if (report.code !== EXIT_CODES.ok)
    throw new CommandError(report.code, 'The API does not revoke the token.');
  return 'The session is revoked.';
}
