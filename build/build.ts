// Builds dist from nothing: the library, the program with the sandbox, what documentation sites share, and the explorer's page.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildLibrary } from './library.ts';
import { buildProgram } from './program.ts';

rmSync(join(import.meta.dirname, '../dist'), { recursive: true, force: true });
await Promise.all([
  buildLibrary().then(buildProgram),
  import('../packages/docs-site/build.ts'),
  import('../packages/explorer/build.ts'),
]);
