// Makes a folder with its parents.
import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder and its parents, as far as they are missing. Node's own `recursive` never ends where a file system answers ENOENT to new
 * folders, as `/proc` does.
 * @param mode The permissions of each new folder. Default: all, less those that the process masks.
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
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}
