// Finds the profile that a command uses.
import { CommandError, EXIT_CODES, usageError } from '../command-line/exit-codes.ts';
import { note } from '../command-line/output.ts';
import type { CallerSettings } from '../read-settings.ts';
import { DEFAULT_PROFILE, loginCommand, type NamedProfile, type Profile, readProfile } from './profile.ts';

/** How a command uses an API as one caller. */
export interface CallerConfig extends CallerSettings {
  /** The session that the command uses; null for the caller of the settings. */
  readonly signedIn: NamedProfile | null;
}

/**
 * Adds the profile that a command uses: the named one, or else the default one where no credential and no other API is given.
 * @throws CommandError when the profile cannot be used, or no API is given.
 */
export function withProfile(settings: CallerSettings): CallerConfig {
  const { profile: given, sandbox, authorization, token } = settings;
  if (sandbox) return { ...settings, signedIn: null };
  const mayUse = authorization === null && token === null;
  const signedIn = mayUse ? findProfile(given ?? DEFAULT_PROFILE, given !== null) : null;
  const url = settings.url ?? (signedIn === null ? null : new URL(signedIn.profile.upstream));
  if (url === null)
    throw usageError(
      'Give the address of the management API as --upstream URL or UPSTREAM_URL, or try the command on made-up data with --sandbox.',
    );
  const config = { ...settings, url };
  if (signedIn === null || isSameApi(url, signedIn.profile)) return { ...config, signedIn };
  const { name, profile } = signedIn;
  const difference = `The profile ${JSON.stringify(name)} is for ${profile.upstream}, not for ${url.href}`;
  if (given !== null) throw usageError(`${difference}; leave out one of the two.`);
  note(`${difference}, so this command is anonymous.`);
  return { ...config, signedIn: null };
}

/** Finds a profile. @throws CommandError when it must exist and does not, or cannot be read. */
export function findProfile(name: string, mustExist: true): NamedProfile;
export function findProfile(name: string, mustExist: boolean): NamedProfile | null;
export function findProfile(name: string, mustExist: boolean): NamedProfile | null {
  const profile = readProfile(name);
  if (profile !== null) return { name, profile };
  if (!mustExist) return null;
  throw new CommandError(
    EXIT_CODES.credentials,
    `There is no profile ${JSON.stringify(name)}. Sign in: ${loginCommand(name)} --upstream URL`,
  );
}

/** Whether a profile is for the API at an address. */
export const isSameApi = (url: URL, { upstream }: Profile): boolean =>
  withSlash(url) === withSlash(new URL(upstream));

const withSlash = ({ href }: URL): string => href.replace(/\/?$/, '/');
