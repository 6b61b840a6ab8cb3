// Builds the explorer's page and copies it to dist/explorer/app. Nothing is built unless something has changed since the last build.
import { createHash } from 'node:crypto';
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { build } from 'vite';

const ROOT = import.meta.dirname;
const APP = join(ROOT, 'src/explorer/app');
const SIGN_IN = join(ROOT, 'src/sign-in');
const OUT = join(ROOT, '.cache/explorer');
/** Where the server finds the page. It is emptied by each build of the program. */
const SERVED = join(ROOT, 'dist/explorer/app');
/** Holds the hash of what the page in `OUT` was built from. Written last, so that a build that was interrupted is repeated. */
const STAMP = join(OUT, 'inputs.sha256');

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();

/** The hash of the page's sources, this file and the versions of all packages. */
function hashInputs(): string {
  const hash = createHash('sha256');
  const versions = ['build-explorer.ts', 'package-lock.json', 'src/explorer/panel-config.ts'];
  for (const file of [...versions.map((name) => join(ROOT, name)), ...filesIn(APP), ...filesIn(SIGN_IN)])
    hash.update(file.slice(ROOT.length)).update('\0').update(readFileSync(file)).update('\0');
  return hash.digest('hex');
}

function readStamp(): string | null {
  try {
    return readFileSync(STAMP, 'utf8');
  } catch {
    return null;
  }
}

/** Compresses a file once, so that the server never does. */
async function compress(file: string): Promise<void> {
  const content = readFileSync(file);
  const [brotli, gzipped] = await Promise.all([
    promisify(brotliCompress)(content, {
      params: {
        // The highest quality, 11, takes twice the time for 2 % less.
        [constants.BROTLI_PARAM_QUALITY]: 10,
        [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
      },
    }),
    promisify(gzip)(content, { level: 9 }),
  ]);
  writeFileSync(`${file}.br`, brotli);
  writeFileSync(`${file}.gz`, gzipped);
}

const inputs = hashInputs();
if (readStamp() !== inputs) {
  await build({
    configFile: false,
    root: APP,
    // The page is served below any path.
    base: './',
    logLevel: 'warn',
    publicDir: false,
    // Tests, which build it too, have another value in the environment.
    define: { 'process.env.NODE_ENV': '"production"' },
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
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      chunkSizeWarningLimit: 5_000,
      target: 'es2022',
      rolldownOptions: {
        input: join(APP, 'main.ts'),
        // `"use client"` concerns servers that render React.
        checks: { moduleLevelDirective: false },
      },
    },
  });
  await Promise.all(
    filesIn(OUT)
      .filter((file) => /\.(js|css)$/.test(file))
      .map(compress),
  );
  writeFileSync(STAMP, inputs);
}
rmSync(SERVED, { recursive: true, force: true });
cpSync(OUT, SERVED, { recursive: true });
