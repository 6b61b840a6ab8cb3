// Caches the operator's description on disk, so that the facade can start while the upstream is down.
import { randomUUID, scryptSync } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDown } from '../errors.ts';
import type { Credential } from '../http/caller.ts';
import { isObject, type JsonObject, textOf } from '../json.ts';
import { type DescriptionSource, type FetchedDescription, hashOf } from './description-source.ts';
import { makeFolders } from './make-folders.ts';

/** A description source that can start from a copy on disk. */
export interface CachedDescriptionSource extends DescriptionSource {
  /** When the operator's latest description was saved, if it was read from disk; null when it was fetched from the upstream. */
  readonly savedAt: string | null;
  /**
   * Saves the operator's latest fetched description. Call it once the description has proved to be valid. Rejects with
   * Node's error when the file cannot be written.
   */
  save(): Promise<void>;
}

/**
 * Saves the operator's description in a folder, and serves the saved copy when the upstream is down before the first
 * successful fetch.
 * @param name Distinguishes the description from others in the folder, e.g. address and version of the API.
 * @param operator The credential whose description is saved; null for anonymous.
 */
export function cacheDescription(
  source: DescriptionSource,
  folder: string,
  name: string,
  operator: Credential | null,
): CachedDescriptionSource {
  // Each credential has its own file. scrypt makes it expensive to guess a password from the name of the file.
  const key = scryptSync(operator?.value ?? '', name, 8).toString('hex');
  const file = join(folder, `description-${key}.json`);
  let latest: FetchedDescription | null = null;
  let savedFingerprint: string | null = null;
  let savedAt: string | null = null;
  const readSaved = async (error: unknown): Promise<FetchedDescription> => {
    const saved = latest === null && isDown(error) ? await readSavedDescription(file) : null;
    if (saved === null) throw error;
    savedAt = saved.savedAt;
    return source.fromBody(saved.body);
  };
  return {
    get savedAt() {
      return savedAt;
    },
    fromBody: (body) => source.fromBody(body),
    checkVersion: (credential) =>
      source.checkVersion(credential).catch(async (error: unknown) => void (await readSaved(error))),
    async fetch(credential, options) {
      if (credential !== operator || options?.language !== undefined)
        return source.fetch(credential, options);
      try {
        latest = await source.fetch(credential, options);
        savedAt = null;
        return latest;
      } catch (error) {
        return readSaved(error);
      }
    },
    async verifyCredential(credential, probeAction, options) {
      if (savedAt === null || credential !== operator)
        await source.verifyCredential(credential, probeAction, options);
    },
    async save() {
      if (latest === null || latest.fingerprint === savedFingerprint) return;
      const { fingerprint, body } = latest;
      const temporaryFile = `${file}.${randomUUID()}`;
      makeFolders(folder);
      try {
        const text = writeStored({ savedAt: new Date().toISOString() }, body);
        await writeFile(temporaryFile, text, { mode: 0o600 });
        await rename(temporaryFile, file);
      } finally {
        await rm(temporaryFile, { force: true });
      }
      savedFingerprint = fingerprint;
    },
  };
}

/** Reads the saved description; null when the file is missing or damaged. */
async function readSavedDescription(
  file: string,
): Promise<{ readonly savedAt: string; readonly body: string } | null> {
  const stored = readStored(await readFile(file, 'utf8').catch(() => ''));
  return stored && { savedAt: textOf(stored.head['savedAt']) ?? 'an unknown time', body: stored.body };
}

/** The text of a file with a description: a line with facts about it, and the body of the response. */
export const writeStored = (head: JsonObject, body: string): string =>
  `${JSON.stringify({ ...head, hash: hashOf(body) })}\n${body}`;

/** Reads such a text; null when it is damaged. */
export function readStored(text: string): { readonly head: JsonObject; readonly body: string } | null {
  const end = text.indexOf('\n');
  const body = text.slice(end + 1);
  try {
    const head: unknown = JSON.parse(text.slice(0, end));
    return isObject(head) && head['hash'] === hashOf(body) ? { head, body } : null;
  } catch {
    return null;
  }
}
