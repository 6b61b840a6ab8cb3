// Knows which tests need packages that `npm ci` does not install, and whether these are there.
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** Folders with packages of their own for the tests in them, which `npm run install:others` installs. */
export const OTHER_FOLDERS = ['examples', 'test/conformance'];

export const isInstalled = (folder: string): boolean =>
  existsSync(join(ROOT, folder, 'node_modules/.package-lock.json'));
