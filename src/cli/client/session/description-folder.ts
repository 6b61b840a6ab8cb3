// Stores descriptions between commands: one file for each caller, which only its owner can read.
import { hash, randomUUID } from 'node:crypto';
import {
  closeSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { basename, isAbsolute, join } from 'node:path';
import * as z from 'zod';
import { makeFolders } from '../../../upstream/description/make-folders.ts';

/** Files that are stored at most, those under way included. */
const MAX_FILES = 32;
/** Longest description that is stored, in characters. */
const MAX_LENGTH = 16_000_000;

/** The first line of a file. The body of the response follows. */
const head = z.object({
  /** Milliseconds since 1970. */
  fetchedAt: z.number(),
  /** The header of tokens that it describes; null for none. */
  tokenHeader: z.string().nullable(),
  /** Hash of the body. */
  hash: z.string(),
});

/** A description as it is stored. */
export interface StoredDescription extends Pick<z.output<typeof head>, 'fetchedAt' | 'tokenHeader'> {
  readonly body: string;
}

const hashOf = (body: string): string => hash('sha256', body, 'base64');

/** The folder of all descriptions (XDG Base Directory Specification). */
export function descriptionFolder(): string {
  const { XDG_CACHE_HOME: given = '' } = process.env;
  // The specification has relative paths ignored.
  return join(isAbsolute(given) ? given : join(homedir(), '.cache'), 'optiongraph', 'descriptions');
}

/** Reads a description. Null when there is none, its file is damaged, or other users may read or change it. */
export function readStored(name: string): StoredDescription | null {
  try {
    const text = readPrivately(join(descriptionFolder(), name));
    const end = text.indexOf('\n');
    const body = text.slice(end + 1);
    const { hash: stored, ...rest } = head.parse(JSON.parse(text.slice(0, end)));
    return stored === hashOf(body) ? { ...rest, body } : null;
  } catch {
    return null;
  }
}

/** Stores a description; its file is whole at each moment. Nothing is stored where that fails, because commands work without. */
export function writeStored(name: string, { body, ...rest }: StoredDescription): void {
  if (body.length > MAX_LENGTH) return;
  const folder = descriptionFolder();
  const part = join(folder, `${name}.${randomUUID()}`);
  try {
    makeFolders(folder, 0o700);
    removeOldest(folder);
    const line = JSON.stringify({ ...rest, hash: hashOf(body) });
    writeFileSync(part, `${line}\n${body}`, { mode: 0o600, flag: 'wx' });
    renameSync(part, join(folder, name));
  } catch {
    removeStored(basename(part));
  }
}

/** Removes the descriptions whose names begin so. */
export function removeStored(prefix: string): void {
  const folder = descriptionFolder();
  try {
    for (const name of readdirSync(folder))
      if (name.startsWith(prefix)) rmSync(join(folder, name), { force: true });
  } catch {
    // There is no folder, or one in which this user has stored nothing.
  }
}

/** Reads a file of this user that no other may read or change. @throws Any error where it cannot be read. */
function readPrivately(file: string): string {
  const descriptor = openSync(file, 'r');
  try {
    const { mode, uid } = fstatSync(descriptor);
    // Windows has neither users nor modes.
    const owner = process.getuid?.() ?? uid;
    if (uid !== owner || (process.platform !== 'win32' && (mode & 0o077) !== 0))
      throw new Error('not private');
    return readFileSync(descriptor, 'utf8');
  } finally {
    closeSync(descriptor);
  }
}

/** Makes room for one file. */
function removeOldest(folder: string): void {
  const files = readdirSync(folder).map((name) => {
    const path = join(folder, name);
    return { path, time: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 };
  });
  files.sort((a, b) => b.time - a.time);
  for (const { path } of files.slice(MAX_FILES - 1)) rmSync(path, { force: true });
}
