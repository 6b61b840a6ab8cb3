// Runs the TypeScript compiler over a project.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** Returns what the compiler says of a folder with a tsconfig.json. */
export function typeCheck(folder: string): string {
  try {
    return execFileSync(join(ROOT, 'node_modules/.bin/tsc'), ['--noEmit', '-p', folder], {
      cwd: ROOT,
      encoding: 'utf8',
      stdio: 'pipe',
    });
  } catch (error) {
    if (error instanceof Error && 'stdout' in error) return String(error.stdout);
    throw error;
  }
}
