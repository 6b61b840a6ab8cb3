// Uses the session of a profile, and renews it when it is about to end.
import { isEnding, type Tokens } from '../../../../src/index.ts';
import type { Client } from '../client/client.ts';
import { CommandError, EXIT_CODES } from '../command-line/exit-codes.ts';
import { note } from '../command-line/output.ts';
import { isObject } from '../output/values.ts';
import type { ApiSettings } from '../read-settings.ts';
import { OAuthClient, RefusedError } from './oauth-client.ts';
import {
  loginCommand,
  type NamedProfile,
  type OAuthProfile,
  type Profile,
  readProfile,
  whileLocked,
  writeProfile,
} from './profile.ts';

type Api = Pick<ApiSettings, 'connection'>;

/** Renews a profile if its session is about to end. @throws CommandError when it has ended. */
export async function renewInTime(session: NamedProfile, api: Api): Promise<Profile> {
  const { profile } = session;
  return profile.kind === 'oauth2' && isEnding(profile.tokens) ? renew(session, api) : profile;
}

/**
 * Renews a profile whose session the API does not know any more, unless another process has renewed it meanwhile.
 * @throws CommandError when the session has ended.
 */
export function renew({ name, profile }: NamedProfile, api: Api): Promise<Profile> {
  return whileLocked(name, async () => {
    const stored = readProfile(name);
    if (profile.kind !== 'oauth2' || stored?.kind !== 'oauth2' || stored.upstream !== profile.upstream)
      throw ended(name);
    if (stored.tokens.access !== profile.tokens.access) return stored;
    const renewed = { ...stored, tokens: await refresh(name, stored, api) };
    writeProfile(name, renewed);
    return renewed;
  });
}

async function refresh(name: string, profile: OAuthProfile, api: Api): Promise<Tokens> {
  const { refresh: token } = profile.tokens;
  if (token === null) throw ended(name);
  await using client = new OAuthClient(profile, api.connection);
  try {
    return await client.refresh(token);
  } catch (error) {
    throw error instanceof RefusedError ? ended(name) : error;
  }
}

/** Extends a token that has passed half of its life, if the API can extend it. The command goes on in any case. */
export async function extendToken({ name, profile }: NamedProfile, client: Client): Promise<void> {
  if (profile.kind !== 'token' || profile.validTo === null) return;
  if (Date.now() < (profile.validFrom + profile.validTo) / 2) return;
  const { data } = await client.ask({ query: 'mutation { tokenRenew { result { validTo } } }' });
  const validTo = Date.parse(readEnd(data?.['tokenRenew']));
  // The API extends only some tokens, and those without a call that extend themselves.
  if (Number.isNaN(validTo)) return;
  try {
    await whileLocked(name, async () => {
      const stored = readProfile(name);
      if (stored?.kind === 'token' && stored.token === profile.token)
        writeProfile(name, { ...stored, validFrom: Date.now(), validTo });
    });
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    note(`warning: ${error.message}`);
  }
}

const readEnd = (payload: unknown): string => {
  const result = isObject(payload) ? payload['result'] : null;
  return String(isObject(result) ? result['validTo'] : null);
};

/** The error of a session that has ended. */
export const ended = (name: string): CommandError =>
  new CommandError(
    EXIT_CODES.credentials,
    `The session of the profile ${JSON.stringify(name)} has ended. Sign in again: ${loginCommand(name)}`,
  );
