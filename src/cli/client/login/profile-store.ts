// Stores the sessions of the command line: one file for each profile, which only its owner can read.
import {
  accessSync,
  closeSync,
  constants,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir, hostname } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { makeFolders } from '../../../upstream/description/make-folders.ts';
import { CommandError, EXIT_CODES } from '../../exit-codes.ts';
import { loginCommand, type Profile, profileSchema } from './profile.ts';

/** Milliseconds after which a lock is broken in any case. A renewal or a revocation takes less. */
const STALE_LOCK = 60_000;
/** Milliseconds between two attempts to lock. */
const LOCK_INTERVAL = 50;

/** The folder of all profiles (XDG Base Directory Specification). */
function folder(): string {
  const { XDG_CONFIG_HOME: given = '' } = process.env;
  // The specification has relative paths ignored.
  return join(isAbsolute(given) ? given : join(homedir(), '.config'), 'optiongraph', 'profiles');
}

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
  const text = readPrivately(file);
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
    accessSync(folder(), constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new CommandError(
      EXIT_CODES.failed,
      `Profiles cannot be stored in ${folder()}: ${reasonOf(error)}. Name another folder as XDG_CONFIG_HOME.`,
    );
  }
}

/** Stores a profile, within `whileLocked`. Its file is whole at each moment. @throws CommandError */
export function writeProfile(name: string, profile: Profile): void {
  prepareStore();
  const file = profileFile(name);
  const part = `${file}.part`;
  try {
    // Left behind by a process that was ended.
    rmSync(part, { force: true });
    writeFileSync(part, `${JSON.stringify(profile, null, 2)}\n`, { mode: 0o600, flag: 'wx', flush: true });
    renameSync(part, file);
  } catch (error) {
    rmSync(part, { force: true });
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
    if (Date.now() - mtimeMs > STALE_LOCK || hasEnded(readPrivately(file) ?? ''))
      rmSync(file, { force: true });
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

/** Reads a file that only its owner can read or change; null if there is none. */
function readPrivately(file: string): string | null {
  let descriptor: number | null = null;
  try {
    descriptor = openSync(file, 'r');
    const { mode } = fstatSync(descriptor);
    // Windows has no such modes.
    if (process.platform !== 'win32' && (mode & 0o077) !== 0)
      throw refuse(`Other users may read or change the file ${file}. Allow only yourself: chmod 600 ${file}`);
    return readFileSync(descriptor, 'utf8');
  } catch (error) {
    if (error instanceof CommandError) throw error;
    if (codeOf(error) === 'ENOENT') return null;
    throw refuse(`The file ${file} cannot be read: ${reasonOf(error)}.`);
  } finally {
    if (descriptor !== null) closeSync(descriptor);
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
