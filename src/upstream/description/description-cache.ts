import { createHash, randomUUID, scryptSync } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDown } from '../errors/upstream-errors.ts';
import type { Credential } from '../http/authentication.ts';
import { isObject, textOf } from '../reader.ts';
import type { DescriptionSource, DescriptionText } from './description-source.ts';

/** A source that can begin with what it kept on disk. */
export interface CachedDescriptionSource extends DescriptionSource {
  /** When what the operator was told last was kept, where it came from disk; null: it came from the upstream. */
  readonly keptAt: string | null;
  /** Keeps what the operator was told last, once it has proved good. Rejects with node's error where it cannot be written. */
  keep(): Promise<void>;
}

/**
 * Keeps the description that the operator's credential sees in a folder, and tells it from there while the upstream is down,
 * as long as it has not told a newer one.
 * @param name What tells it from others in the folder, e.g. address and version of the API.
 */
export function cacheDescription(
  source: DescriptionSource,
  folder: string,
  name: string,
  operator: Credential | null,
): CachedDescriptionSource {
  // Other rights see another description. Nobody can find a password by trying what gives the file's name.
  const key = scryptSync(operator?.value ?? '', name, 8).toString('hex');
  const file = join(folder, `description-${key}.json`);
  let told: DescriptionText | null = null;
  let kept: string | null = null;
  let keptAt: string | null = null;
  const fallBack = async (error: unknown): Promise<DescriptionText> => {
    const last = told === null && isDown(error) ? await readLast(file) : null;
    if (last === null) throw error;
    keptAt = last.keptAt;
    return last;
  };
  return {
    get keptAt() {
      return keptAt;
    },
    checkVersion: () => source.checkVersion().catch(async (error: unknown) => void (await fallBack(error))),
    async fetch(credential) {
      if (credential !== operator) return source.fetch(credential);
      try {
        told = await source.fetch(credential);
        keptAt = null;
        return told;
      } catch (error) {
        return fallBack(error);
      }
    },
    async verifyCredential(credential, guard, address) {
      if (keptAt === null || credential !== operator)
        await source.verifyCredential(credential, guard, address);
    },
    async keep() {
      if (told === null || told.fingerprint === kept) return;
      const { fingerprint, length } = told;
      const draft = `${file}.${randomUUID()}`;
      await mkdir(folder, { recursive: true });
      const description = told.read();
      const content = {
        keptAt: new Date().toISOString(),
        fingerprint,
        length,
        checksum: checksumOf(description),
        description,
      };
      try {
        await writeFile(draft, JSON.stringify(content), { mode: 0o600 });
        await rename(draft, file);
      } finally {
        await rm(draft, { force: true });
      }
      kept = fingerprint;
    },
  };
}

const checksumOf = (description: unknown): string =>
  createHash('sha256').update(JSON.stringify(description)).digest('base64');

/** What was kept last; null for nothing, and for what is damaged or no such file. */
async function readLast(file: string): Promise<(DescriptionText & { readonly keptAt: string }) | null> {
  const text = await readFile(file, 'utf8').catch(() => 'null');
  let raw: unknown;
  try {
    raw = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isObject(raw) || !isObject(raw['description'])) return null;
  if (raw['checksum'] !== checksumOf(raw['description'])) return null;
  const { description, fingerprint, keptAt } = raw;
  return {
    fingerprint: textOf(fingerprint) ?? '',
    length: text.length,
    keptAt: textOf(keptAt) ?? 'an unknown time',
    read: () => description,
  };
}
