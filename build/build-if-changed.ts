// Remembers from what something was built, so that it is built again only when that has changed.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

/** All files in a folder and its folders, sorted by name. */
export const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();

/**
 * Builds unless the files are those of the last build.
 * @param stamps Hold the hash of the files of a build; any of them suffices. The first one is written last, so that a build that was
 *   interrupted is repeated.
 */
export async function buildIfChanged(
  stamps: readonly [string, ...string[]],
  files: readonly string[],
  build: () => Promise<void>,
): Promise<void> {
  const hash = createHash('sha256');
  for (const file of files)
    hash.update(relative(ROOT, file)).update('\0').update(readFileSync(file)).update('\0');
  const inputs = hash.digest('hex');
  if (stamps.some((stamp) => readStamp(stamp) === inputs)) return;
  const [stamp] = stamps;
  await build();
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, inputs);
}

function readStamp(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
