// Builds dist from nothing: the library, the program with the sandbox, what documentation sites share, and the explorer's page.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildLibrary } from './library.ts';
import { writeLicenses } from './licenses.ts';
import { buildProgram } from './program.ts';

rmSync(join(import.meta.dirname, '../dist'), { recursive: true, force: true });
async function buildBundles(): Promise<void> {
  const packages = await buildLibrary();
  writeLicenses('dist/licenses.md', [packages, await buildProgram()]);
}

await Promise.all([
  buildBundles(),
  import('../packages/docs-site/build.ts'),
  import('../packages/explorer/build.ts'),
]);
