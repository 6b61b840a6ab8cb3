// Builds the explorer's page and copies it to dist/explorer/app. Nothing is built unless something has changed since the last build.
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { env } from 'node:process';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import { build } from 'vite';
import { buildIfChanged, filesIn } from '../../build/build-if-changed.ts';

const ROOT = join(import.meta.dirname, '../..');
const APP = join(import.meta.dirname, 'src');
const OUT = join(ROOT, '.cache/explorer/page');
/** Where the server finds the page. It is emptied by each build of the program. */
const SERVED = join(ROOT, 'dist/explorer/app');
/** The page's sources, what builds them and the versions of all packages, in a file that a new version of our own does not change. */
const INPUTS = [
  ...[
    'packages/explorer/build.ts',
    'build/build-if-changed.ts',
    'node_modules/.package-lock.json',
    'src/plugins/explorer/panel-config.ts',
  ].map((file) => join(ROOT, file)),
  ...filesIn(APP),
];

/** Replaces a file by its compressed form. The server makes the other forms of it, for the few clients that need one. */
async function compress(file: string): Promise<void> {
  const content = readFileSync(file);
  const params = {
    // Quality 10 takes five times the time for 7 % less.
    [constants.BROTLI_PARAM_QUALITY]: 9,
    [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
  };
  writeFileSync(`${file}.br`, await promisify(brotliCompress)(content, { params }));
  rmSync(file);
}

/** One module of the build in vite's manifest. */
interface Chunk {
  readonly file: string;
  readonly isEntry?: boolean;
  readonly css?: readonly string[];
  readonly imports?: readonly string[];
  readonly dynamicImports?: readonly string[];
}

/** Writes what the page needs before it can be used, the entry first, so that the browser loads everything at once. */
function listPageFiles(): void {
  const manifest = JSON.parse(readFileSync(join(OUT, 'manifest.json'), 'utf8')) as Record<string, Chunk>;
  const [entry = ''] = Object.entries(manifest).find(([, { isEntry }]) => isEntry === true) ?? [];
  const needed = new Set<string>();
  const add = (key: string, depth: number): void => {
    const chunk = manifest[key];
    if (chunk === undefined || needed.has(key)) return;
    needed.add(key);
    for (const name of chunk.imports ?? []) add(name, depth);
    // The entry imports the explorer, and the explorer the editor. What these import later is needed for single commands.
    if (depth < 2)
      for (const name of chunk.dynamicImports ?? [])
        if (depth === 0 || name.includes('monaco-graphql/')) add(name, depth + 1);
  };
  add(entry, 0);
  const chunks = [...needed].flatMap((key) => manifest[key] ?? []);
  const scripts = chunks.map(({ file }) => file);
  const styles = [...new Set(chunks.flatMap(({ css = [] }) => css))];
  writeFileSync(join(OUT, 'page.json'), JSON.stringify({ scripts, styles }));
  rmSync(join(OUT, 'manifest.json'));
}

// Tests, which build it too, have another value, by which Vite would choose other code.
env['NODE_ENV'] = 'production';

await buildIfChanged([join(ROOT, '.cache/explorer/inputs.sha256')], INPUTS, async () => {
  await build({
    configFile: false,
    root: APP,
    // The page is served below any path.
    base: './',
    logLevel: 'warn',
    publicDir: false,
    oxc: { jsx: { runtime: 'automatic', development: false } },
    // Two copies of graphql-js refuse to work with each other.
    resolve: { dedupe: ['graphql', 'react', 'react-dom'] },
    worker: { format: 'es' },
    build: {
      outDir: OUT,
      emptyOutDir: true,
      assetsDir: '',
      assetsInlineLimit: 0,
      manifest: 'manifest.json',
      license: { fileName: 'licenses.md' },
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      chunkSizeWarningLimit: 5_000,
      target: 'es2022',
      rolldownOptions: {
        input: join(APP, 'main.ts'),
        // The editor is loaded as a whole; it would be twenty files, most of them small.
        output: { codeSplitting: { groups: [{ name: 'editor', test: /node_modules\/monaco-/ }] } },
        // `"use client"` concerns servers that render React.
        checks: { moduleLevelDirective: false },
      },
    },
  });
  listPageFiles();
  await Promise.all(
    filesIn(OUT)
      .filter((file) => /\.(js|css)$/.test(file))
      .map(compress),
  );
});
rmSync(SERVED, { recursive: true, force: true });
cpSync(OUT, SERVED, { recursive: true });
