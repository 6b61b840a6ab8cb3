// Reads and writes files of this user that no other user may read or change: the sessions of profiles.
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';

/** Bits of a mode by which other users may change something, and by which they may read or change it. */
const OTHERS = { change: 0o022, use: 0o077 };

/** Other users may read or change a file, or its folder. The message says so, and what to do. */
export class NotPrivateError extends Error {
  override readonly name = 'NotPrivateError';
}

/** The folder for the settings of the user (XDG Base Directory Specification), which ignores relative paths. */
export function configFolder(): string {
  const { XDG_CONFIG_HOME: given = '' } = process.env;
  return join(isAbsolute(given) ? given : join(homedir(), '.config'), 'optiongraph');
}

/**
 * Makes a folder and its parents, as far as they are missing. Node's own `recursive` never ends where a file system answers ENOENT to new
 * folders, as `/proc` does.
 * @throws Node's error when one cannot be made.
 */
export function makeFolders(path: string, mode = 0o777): void {
  if (existsSync(path)) return;
  const parent = dirname(path);
  if (parent !== path) makeFolders(parent, mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!existsSync(path)) throw error;
  }
}

/** Reads a file. @throws NotPrivateError, or what `node:fs` throws. */
export function readPrivately(file: string): string {
  // A pipe does not wait for its other end. Windows lacks this flag.
  const descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw new NotPrivateError(`${file} is no file.`);
    checkOwner(`The file ${file}`, stats);
    if (isOpenTo(OTHERS.use, stats))
      throw new NotPrivateError(
        `Other users may read or change the file ${file}. Allow only yourself: chmod 600 ${file}`,
      );
    checkFolder(dirname(file));
    return readFileSync(descriptor, 'utf8');
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Checks that other users cannot replace the files in a folder below that of the program.
 * @throws NotPrivateError, or what `node:fs` throws.
 */
export function checkFolder(folder: string): void {
  for (const path of [dirname(folder), folder]) {
    const stats = statSync(path);
    checkOwner(`The folder ${path}`, stats);
    if (isOpenTo(OTHERS.change, stats))
      throw new NotPrivateError(
        `Other users may change the folder ${path}. Allow only yourself: chmod 700 ${path}`,
      );
  }
}

/** Root may own what this user has, because root may do everything. */
function checkOwner(what: string, { uid }: Stats): void {
  if (uid !== 0 && uid !== (process.getuid?.() ?? uid))
    throw new NotPrivateError(`${what} belongs to another user (${uid}).`);
}

/** Windows has neither such modes nor users. */
const isOpenTo = (bits: number, { mode }: Stats): boolean =>
  process.platform !== 'win32' && (mode & bits) !== 0;

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
