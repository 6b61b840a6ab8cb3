// Caches the operator's description on disk, so that the facade can start while the upstream is down.
import { randomUUID, scryptSync } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDown } from '../errors.ts';
import type { Credential } from '../http/caller.ts';
import { isObject } from '../json.ts';
import type { DescriptionSource, FetchedDescription } from './description-source.ts';

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
  const recover = async (error: unknown): Promise<FetchedDescription> => {
    const saved = latest === null && isDown(error) ? await readSaved(file) : null;
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
      source.checkVersion(credential).catch(async (error: unknown) => void (await recover(error))),
    async fetch(credential, options) {
      if (credential !== operator || options?.language !== undefined)
        return source.fetch(credential, options);
      try {
        latest = await source.fetch(credential, options);
        savedAt = null;
        return latest;
      } catch (error) {
        return recover(error);
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
      const saved: Saved = { savedAt: new Date().toISOString(), body };
      await mkdir(folder, { recursive: true });
      try {
        await writeFile(temporaryFile, JSON.stringify(saved), { mode: 0o600 });
        await rename(temporaryFile, file);
      } finally {
        await rm(temporaryFile, { force: true });
      }
      savedFingerprint = fingerprint;
    },
  };
}

/** A saved description. */
interface Saved {
  readonly savedAt: string;
  readonly body: string;
}

/** Reads the saved description; null when the file is missing or damaged. */
async function readSaved(file: string): Promise<Saved | null> {
  try {
    const saved: unknown = JSON.parse(await readFile(file, 'utf8'));
    const { savedAt, body } = isObject(saved) ? saved : {};
    const isWhole = typeof savedAt === 'string' && Date.parse(savedAt) > 0 && typeof body === 'string';
    return isWhole ? { savedAt, body } : null;
  } catch {
    return null;
  }
}
