// Reads and writes files of this user that no other user may read or change: sessions and kept descriptions.
import { closeSync, fstatSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** Other users may read or change a file. */
export class NotPrivateError extends Error {
  override readonly name = 'NotPrivateError';
}

/**
 * The folder of the program for a purpose (XDG Base Directory Specification).
 * @param fallback The folder in the home of the user where the variable names none.
 */
export function userFolder(variable: 'XDG_CONFIG_HOME' | 'XDG_CACHE_HOME', fallback: string): string {
  const { [variable]: given = '' } = process.env;
  // The specification has relative paths ignored.
  return join(isAbsolute(given) ? given : join(homedir(), fallback), 'optiongraph');
}

/** Reads a file and whether this user owns it. @throws NotPrivateError, or what `node:fs` throws. */
export function readPrivately(file: string): { readonly text: string; readonly isOwn: boolean } {
  const descriptor = openSync(file, 'r');
  try {
    const { mode, uid } = fstatSync(descriptor);
    // Windows has neither such modes nor users.
    if (process.platform !== 'win32' && (mode & 0o077) !== 0) throw new NotPrivateError(file);
    return { text: readFileSync(descriptor, 'utf8'), isOwn: uid === (process.getuid?.() ?? uid) };
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Writes a file that is whole at each moment.
 * @param part The name that the file has meanwhile.
 * @throws What `node:fs` throws; nothing is left behind.
 */
export function writePrivately(file: string, text: string, part: string): void {
  try {
    writeFileSync(part, text, { mode: 0o600, flag: 'wx', flush: true });
    renameSync(part, file);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
}
