// Builds dist from nothing: the library, the program with the sandbox, what documentation sites share, and the explorer's page. Nothing is
// built unless something has changed since the last build.
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildIfChanged, filesIn } from './build-if-changed.ts';
import { buildLibrary } from './library.ts';
import { writeLicenses } from './licenses.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { buildProgram, bundleProgram } from './program.ts';

const ROOT = join(import.meta.dirname, '..');
const DIST = join(ROOT, 'dist');
/** Whether only what `serve` needs is built, without the library and the documentation sites. */
const isProgramOnly = process.argv.includes('--program');
const STAMPS = join(ROOT, '.cache/build');
const WHOLE = join(STAMPS, 'whole.sha256');
const PROGRAM = join(STAMPS, 'program.sha256');
/** What is built, what builds it, and the versions of all packages. */
const INPUTS = [
  ...['package.json', 'package-lock.json', 'tsconfig.json'].map((file) => join(ROOT, file)),
  ...['build', 'docs', 'packages', 'src'].flatMap((folder) => filesIn(join(ROOT, folder))),
];

const startedAt = performance.now();
/** Says that a part is built. */
async function report(part: string, built: Promise<unknown>): Promise<void> {
  await built;
  console.error(`  ${part}: built after ${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
}

async function buildBundles(): Promise<void> {
  const packages = await buildLibrary();
  writeLicenses('dist/licenses.md', [packages, await buildProgram()]);
}

/** The parts that are built, each with what it is called. */
const partsToBuild = (): readonly (readonly [string, Promise<unknown>])[] => [
  ['explorer', import('../packages/explorer/build.ts')],
  ...(isProgramOnly
    ? ([['program', bundleProgram()]] as const)
    : ([
        ['library and program', buildBundles()],
        ['documentation sites', import('../packages/docs-site/build.ts')],
      ] as const)),
];

await oneAtATime(join(STAMPS, 'lock'), async () => {
  if (!existsSync(join(DIST, 'cli'))) for (const stamp of [WHOLE, PROGRAM]) rmSync(stamp, { force: true });
  await buildIfChanged(isProgramOnly ? [PROGRAM, WHOLE] : [WHOLE], INPUTS, async () => {
    // On standard error, because `npm pack` prints its result on standard output.
    console.error('Building Optiongraph; this takes some seconds.');
    for (const stamp of [WHOLE, PROGRAM]) rmSync(stamp, { force: true });
    rmSync(DIST, { recursive: true, force: true });
    await Promise.all(partsToBuild().map(([part, built]) => report(part, built)));
  });
});
