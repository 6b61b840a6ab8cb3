// Bundles the program, so that a start reads a few files instead of a thousand, and the sandbox, which both the program and tests of users start.
import { join } from 'node:path';
import { build, type Metafile } from 'esbuild';
import { runTypeScript, writeTypes } from './types.ts';

const ROOT = join(import.meta.dirname, '..');

/** Writes dist/cli, dist/sandbox.js and its types. Resolves with what packages are bundled. */
export async function buildProgram(): Promise<Metafile> {
  const [metafile] = await Promise.all([bundleProgram(), buildSandboxTypes()]);
  return metafile;
}

/** Writes dist/cli and dist/sandbox.js, without types. */
export async function bundleProgram(): Promise<Metafile> {
  const { metafile } = await build({
    entryPoints: {
      'cli/main': join(ROOT, 'src/cli/main.ts'),
      sandbox: join(ROOT, 'packages/sandbox/src/listen-sandbox.ts'),
    },
    outdir: join(ROOT, 'dist'),
    bundle: true,
    // What the program loads only when needed stays in files of its own.
    splitting: true,
    chunkNames: 'cli/[name]-[hash]',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    // The ES modules of a package, where it has both kinds, leave out what is unused.
    mainFields: ['module', 'main'],
    // Graphql checks each type twice where this is not set.
    define: { 'process.env.NODE_ENV': '"production"' },
    // Parts of OpenTelemetry that nothing uses, of which files would be left.
    external: ['./getMachineId-*'],
    minifySyntax: true,
    legalComments: 'none',
    metafile: true,
    // Packages that are CommonJS modules require the modules of node.
    banner: {
      js: "import { createRequire as createBundleRequire } from 'node:module'; const require = createBundleRequire(import.meta.url);",
    },
  });
  return metafile;
}

async function buildSandboxTypes(): Promise<void> {
  const folder = '.cache/types/sandbox';
  const emit = ['--noEmit', 'false', '--declaration', '--emitDeclarationOnly', '--outDir', folder];
  await runTypeScript('-p', 'packages/sandbox', ...emit);
  await writeTypes(`${folder}/listen-sandbox.d.ts`, 'dist/sandbox.d.ts');
}
