// Builds dist from nothing: the library, the program with the sandbox, what documentation sites share, and the explorer's page.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildLibrary } from './library.ts';
import { writeLicenses } from './licenses.ts';
import { buildProgram } from './program.ts';

// On standard error, because `npm pack` prints its result on standard output.
console.error('Building Optiongraph; this takes some seconds.');
const startedAt = performance.now();
/** Says that a part is built. */
async function report(part: string, built: Promise<unknown>): Promise<void> {
  await built;
  console.error(`  ${part}: built after ${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
}

rmSync(join(import.meta.dirname, '../dist'), { recursive: true, force: true });
async function buildBundles(): Promise<void> {
  const packages = await buildLibrary();
  writeLicenses('dist/licenses.md', [packages, await buildProgram()]);
}

await Promise.all([
  report('library and program', buildBundles()),
  report('documentation sites', import('../packages/docs-site/build.ts')),
  report('explorer', import('../packages/explorer/build.ts')),
]);
