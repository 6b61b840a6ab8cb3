// Stores profiles: the sessions of the command line, one file for each, which only its owner can read.
import { accessSync, constants, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import { CommandError, EXIT_CODES } from '../command-line/exit-codes.ts';
import {
  checkFolder,
  configFolder,
  makeFolders,
  NotPrivateError,
  readPrivately,
  writePrivately,
} from '../private-file.ts';

/** Milliseconds after which a lock is broken in any case. A renewal or a revocation takes less. */
const STALE_LOCK = 60_000;
/** Milliseconds between two attempts to lock. */
const LOCK_INTERVAL = 50;

/** Characters of a secret that is sent in a header. */
const secret = z.string().regex(/^[\x21-\x7e]+$/);

const common = {
  /** Address of the management API. The session is sent to no other. */
  upstream: z.url({ protocol: /^https?$/ }),
  /** Identifies the session, also when its tokens are renewed. */
  id: z.string(),
};

/** A profile as its file holds it. */
const profileSchema = z.discriminatedUnion('kind', [
  z.object({
    ...common,
    kind: z.literal('token'),
    token: secret,
    /** When the token was issued or renewed, and when it ends; in milliseconds since 1970. Null: unknown, or it does not end. */
    validFrom: z.number(),
    validTo: z.number().nullable(),
  }),
  z.object({
    ...common,
    kind: z.literal('oauth2'),
    /** The provider as the API described it at the sign-in. The refresh token and the client's secret are sent to no other. */
    provider: z.object({ authorize: z.url(), token: z.url(), revoke: z.url() }),
    clientId: z.string(),
    /** Null for a public client (RFC 8252, section 8.4). */
    clientSecret: z.string().nullable(),
    tokens: z.object({
      access: secret,
      refresh: secret.nullable(),
      expiresAt: z.number().nullable(),
      lifetime: z.number().nullable(),
    }),
  }),
]);

/** The session of one caller of one API. */
export type Profile = z.output<typeof profileSchema>;
/** The session of a token that the API has issued. */
export type TokenProfile = Extract<Profile, { readonly kind: 'token' }>;
/** The session of a client of the API's OAuth 2.0 provider. */
export type OAuthProfile = Extract<Profile, { readonly kind: 'oauth2' }>;

/** A profile and its name. */
export interface NamedProfile {
  readonly name: string;
  readonly profile: Profile;
}

/** The profile that is used when none is named. */
export const DEFAULT_PROFILE = 'default';

/** The command that signs in again. */
export const loginCommand = (name: string): string =>
  name === DEFAULT_PROFILE ? 'optiongraph login' : `optiongraph login --profile ${name}`;

const folder = (): string => join(configFolder(), 'profiles');

/** The file of a profile. */
export const profileFile = (name: string): string => join(folder(), `${name}.json`);

/** The names of all profiles; none where they cannot be listed. */
export function listProfiles(): readonly string[] {
  try {
    return readdirSync(folder()).flatMap((file) => (file.endsWith('.json') ? [file.slice(0, -5)] : []));
  } catch {
    return [];
  }
}

/**
 * Reads a profile.
 * @returns Null when there is none.
 * @throws CommandError when its file cannot be read, is no profile, or other users may read or change it.
 */
export function readProfile(name: string): Profile | null {
  const file = profileFile(name);
  const text = readText(file);
  if (text === null) return null;
  const { data } = profileSchema.safeParse(parse(text));
  if (data === undefined)
    throw refuse(`The file ${file} is no valid profile. Sign in again: ${loginCommand(name)}`);
  return data;
}

/** Makes sure that profiles can be stored. @throws CommandError */
export function prepareStore(): void {
  try {
    makeFolders(folder(), 0o700);
    checkFolder(folder());
    accessSync(folder(), constants.W_OK | constants.X_OK);
  } catch (error) {
    if (error instanceof NotPrivateError)
      throw new CommandError(EXIT_CODES.failed, `Profiles cannot be stored there. ${error.message}`);
    throw new CommandError(
      EXIT_CODES.failed,
      `Profiles cannot be stored in ${folder()}: ${reasonOf(error)}. Name another folder as XDG_CONFIG_HOME.`,
    );
  }
}

/** Stores a profile, within `whileLocked`. @throws CommandError */
export function writeProfile(name: string, profile: Profile): void {
  prepareStore();
  const file = profileFile(name);
  const part = `${file}.part`;
  try {
    // Left behind by a process that was ended.
    rmSync(part, { force: true });
    writePrivately(file, `${JSON.stringify(profile, null, 2)}\n`, part);
  } catch (error) {
    throw new CommandError(EXIT_CODES.failed, `The profile cannot be stored in ${file}: ${reasonOf(error)}.`);
  }
}

/** Deletes a profile. */
export const removeProfile = (name: string): void => rmSync(profileFile(name), { force: true });

/** Runs something while no other process changes a profile, so that two never use the same refresh token. */
export async function whileLocked<T>(name: string, run: () => Promise<T>): Promise<T> {
  prepareStore();
  const file = `${profileFile(name)}.lock`;
  while (!tryToLock(file)) await delay(LOCK_INTERVAL);
  try {
    return await run();
  } finally {
    rmSync(file, { force: true });
  }
}

function tryToLock(file: string): boolean {
  try {
    writeFileSync(file, `${process.pid} ${hostname()}`, { mode: 0o600, flag: 'wx' });
    return true;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    const { mtimeMs } = statSync(file, { throwIfNoEntry: false }) ?? { mtimeMs: Date.now() };
    if (Date.now() - mtimeMs > STALE_LOCK || hasEnded(readText(file) ?? '')) rmSync(file, { force: true });
    return false;
  }
}

/** Whether the process that holds a lock was one of this machine, and has ended. */
function hasEnded(holder: string): boolean {
  const [pid, host] = holder.split(' ');
  if (host !== hostname()) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return codeOf(error) === 'ESRCH';
  }
}

/** Reads a file; null if there is none. @throws CommandError */
function readText(file: string): string | null {
  try {
    return readPrivately(file);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    if (error instanceof NotPrivateError) throw refuse(error.message);
    throw refuse(`The file ${file} cannot be read: ${reasonOf(error)}.`);
  }
}

const refuse = (message: string): CommandError => new CommandError(EXIT_CODES.credentials, message);

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined;
const reasonOf = (error: unknown): string => String(codeOf(error) ?? error);
