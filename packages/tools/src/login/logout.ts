// The command `logout`: revokes the session of a profile at the API, and deletes the profile.
import { parse } from 'graphql';
import { OptiongraphError, UnknownCredentialsError } from '../../../../src/upstream/errors.ts';
import { LANGUAGE_HEADER } from '../../../../src/upstream/http/languages.ts';
import { secretOfProfile } from '../caller-settings.ts';
import { CommandError, EXIT_CODES } from '../command-line/exit-codes.ts';
import { explain } from '../command-line/explain.ts';
import { note } from '../command-line/output.ts';
import { openWith } from '../open-api.ts';
import { ResultReport } from '../output/results.ts';
import { forgetSession } from '../session/caller-description.ts';
import type { LogoutConfig } from './login-settings.ts';
import { type Connections, withProvider } from './oauth-provider.ts';
import {
  DEFAULT_PROFILE,
  type OAuthProfile,
  type Profile,
  profileFile,
  removeProfile,
  type TokenProfile,
  whileLocked,
} from './profile.ts';
import { findProfile } from './use-profile.ts';

const REVOKE = 'mutation { tokenRevoke { userErrors { message } } }';

/** Signs out. @returns The exit code. */
export async function logout({ profile: given, upstream, proxy }: LogoutConfig): Promise<number> {
  const name = given ?? DEFAULT_PROFILE;
  findProfile(name, true);
  return whileLocked(name, async () => {
    const { profile } = findProfile(name, true);
    const api = {
      ...upstream,
      url: new URL(profile.upstream),
      version: null,
      authorization: null,
      languageHeader: LANGUAGE_HEADER,
    };
    const connections = { upstream: api, proxy };
    try {
      note(await revoke(profile, connections));
    } catch (error) {
      if (!(error instanceof CommandError || error instanceof OptiongraphError)) throw error;
      const { code, message } = explain(error);
      const advice = `The session is not revoked, so its profile is kept. Try again, or delete ${profileFile(name)}`;
      throw new CommandError(code, `${message}\n${advice}`, error);
    }
    removeProfile(name);
    forgetSession(connections.upstream, secretOfProfile(profile));
    note(`The profile ${JSON.stringify(name)} is deleted.`);
    return EXIT_CODES.ok;
  });
}

/** Revokes a session. @returns What has become of it. */
const revoke = (profile: Profile, connections: Connections): Promise<string> =>
  profile.kind === 'oauth2' ? revokeTokens(profile, connections) : revokeToken(profile, connections);

async function revokeTokens(profile: OAuthProfile, connections: Connections): Promise<string> {
  const { refresh, access } = profile.tokens;
  await withProvider({ ...profile, scope: null }, connections, async (client) => {
    if (refresh !== null) await client.revoke(refresh);
    await client.revoke(access);
  });
  return 'The session is revoked at the OAuth 2.0 provider.';
}

async function revokeToken(profile: TokenProfile, connections: Connections): Promise<string> {
  const api = await openWith(connections, secretOfProfile(profile)).catch((error: unknown) => {
    if (error instanceof CommandError && error.cause instanceof UnknownCredentialsError) return null;
    throw error;
  });
  if (api === null) return 'The session had ended already.';
  await using open = api;
  if (open.served.schema.getMutationType()?.getFields()['tokenRevoke'] === undefined)
    return 'The API describes no way to revoke the token, which is valid until its end.';
  const report = new ResultReport(open, parse(REVOKE));
  await report.add(await open.ask({ query: REVOKE }));
  if (report.code !== EXIT_CODES.ok)
    throw new CommandError(report.code, 'The API does not revoke the token.');
  return 'The session is revoked.';
}
