// Bundles the program in dist, so that a start reads a few files instead of a thousand. The library stays as tsc has written it.
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const inDist = (name: string): string => fileURLToPath(new URL(`dist/${name}`, import.meta.url));

await build({
  entryPoints: [fileURLToPath(new URL('src/cli/main.ts', import.meta.url))],
  outdir: inDist('cli'),
  bundle: true,
  // What the program loads only when needed stays in files of its own.
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  // The ES modules of a package, where it has both kinds, leave out what is unused.
  mainFields: ['module', 'main'],
  // Graphql checks each type twice where this is not set.
  define: { 'process.env.NODE_ENV': '"production"' },
  minifySyntax: true,
  minifyWhitespace: true,
  sourcemap: true,
  legalComments: 'linked',
  // Packages that are CommonJS modules require the modules of node.
  banner: {
    js: "import { createRequire as createBundleRequire } from 'node:module'; const require = createBundleRequire(import.meta.url);",
  },
});
