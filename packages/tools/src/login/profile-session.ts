// Uses the session of a profile, and renews it when it is about to end.
import { isEnding, OAuthFailure, type Tokens } from '../../../../src/plugins/sign-in/oauth-client.ts';
import type { AuthenticationMethods } from '../../../../src/upstream/description/description.ts';
import { isObject } from '../../../../src/upstream/json.ts';
import { CommandError, EXIT_CODES } from '../command-line/exit-codes.ts';
import { note } from '../command-line/output.ts';
import type { OpenApi } from '../open-api.ts';
import { type Connections, withProvider } from './oauth-provider.ts';
import {
  loginCommand,
  type NamedProfile,
  type OAuthProfile,
  type Profile,
  readProfile,
  whileLocked,
  writeProfile,
} from './profile.ts';

/** The header that carries the credential of a profile. @throws CommandError when the API describes no such header. */
export function headersOf(
  profile: Profile,
  { token: method }: AuthenticationMethods,
): Readonly<Record<string, string>> {
  if (profile.kind === 'oauth2') return { authorization: `Bearer ${profile.tokens.access}` };
  if (method === null)
    throw new CommandError(
      EXIT_CODES.credentials,
      'The API describes no tokens any more. Give the credential as OPTIONGRAPH_AUTHORIZATION.',
    );
  return { [method.httpHeader]: profile.token };
}

/** Renews a profile if its session is about to end. @throws CommandError when it has ended. */
export async function renewInTime(session: NamedProfile, connections: Connections): Promise<Profile> {
  const { profile } = session;
  return profile.kind === 'oauth2' && isEnding(profile.tokens) ? renew(session, connections) : profile;
}

/**
 * Renews a profile whose session the API does not know any more, unless another process has renewed it meanwhile.
 * @throws CommandError when the session has ended.
 */
export function renew({ name, profile }: NamedProfile, connections: Connections): Promise<Profile> {
  return whileLocked(name, async () => {
    const stored = readProfile(name);
    if (profile.kind !== 'oauth2' || stored?.kind !== 'oauth2' || stored.upstream !== profile.upstream)
      throw ended(name);
    if (stored.tokens.access !== profile.tokens.access) return stored;
    const renewed = { ...stored, tokens: await refresh(name, stored, connections) };
    writeProfile(name, renewed);
    return renewed;
  });
}

async function refresh(name: string, profile: OAuthProfile, connections: Connections): Promise<Tokens> {
  const { refresh: token } = profile.tokens;
  if (token === null) throw ended(name);
  try {
    return await withProvider({ ...profile, scope: null }, connections, (client) => client.refresh(token));
  } catch (error) {
    const { cause } = error instanceof CommandError ? error : {};
    throw cause instanceof OAuthFailure && cause.code === 'CREDENTIALS_UNKNOWN' ? ended(name) : error;
  }
}

/** Extends a token that has passed half of its life, if the API can extend it. The command goes on in any case. */
export async function extendToken({ name, profile }: NamedProfile, api: OpenApi): Promise<void> {
  if (profile.kind !== 'token' || profile.validTo === null) return;
  if (Date.now() < (profile.validFrom + profile.validTo) / 2) return;
  const { data } = await api.ask({ query: 'mutation { tokenRenew { result { validTo } } }' });
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
