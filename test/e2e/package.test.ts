// Tests the package as npm packs and installs it.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeFolder } from '../helpers/folder.ts';
import { type PackedFile, pack } from '../helpers/packed-file.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Other versions of node that run what is installed, if there are any. */
const OTHER_NODES = (process.env['OTHER_NODES'] ?? '').split(':').filter((path) => path !== '');

const folder = makeFolder();
let packed: PackedFile;
beforeAll(() => {
  packed = pack(folder.path);
}, 60_000);
afterAll(() => folder[Symbol.dispose](), 60_000);

it('has types that need only packages that users install', () => {
  // Not even those that may be there, because strict compilers check all types.
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const imported = ['index', 'sandbox'].flatMap((name) => [
    ...readFileSync(join(ROOT, `dist/${name}.d.ts`), 'utf8').matchAll(/ from "((?:@[^/"]+\/)?[^/"]+)/g),
  ]);
  const names = imported.map(([, name = '']) => name).filter((name) => !/^node:/.test(name));
  expect(names.length).toBeGreaterThan(0);
  expect(names.filter((name) => !(name in dependencies))).toEqual([]);
});

it('is small, and contains neither sources nor tests', () => {
  const { files, unpackedSize } = packed;
  expect(files.length).toBeLessThanOrEqual(400);
  expect(unpackedSize).toBeLessThanOrEqual(13_000_000);
  expect(files).toEqual(
    expect.arrayContaining(['dist/index.js', 'dist/cli/main.js', 'dist/licenses.md', 'LICENSE']),
  );
  expect(
    files.filter((file) => !/^dist\/|^((audit|config)\.schema|package)\.json$|^(README|LICENSE)/.test(file)),
  ).toEqual([]);
});

/** Installs packages in an empty folder. Returns the output. @param overrides Versions that its user insists on. */
async function install(place: string, packages: readonly string[], overrides: object = {}): Promise<string> {
  await writeFile(join(place, 'package.json'), JSON.stringify({ type: 'module', private: true, overrides }));
  const command = `npm install --no-audit --no-fund --prefer-offline "$@" 2>&1`;
  return execFileSync('sh', ['-c', command, 'sh', ...packages], { cwd: place, encoding: 'utf8' });
}

const runIn = (place: string, command: string, args: readonly string[]): string =>
  execFileSync(command, args, { cwd: place, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

it('installs with at most 15 packages in an empty folder, without a warning, and runs there', async () => {
  const installed = await install(folder.path, [packed.path]);
  const warnings = installed
    .split('\n')
    .filter((line) => /warn/i.test(line) && !/(user|env) config/.test(line));
  expect(warnings).toEqual([]);
  const lock = JSON.parse(readFileSync(join(folder.path, 'node_modules/.package-lock.json'), 'utf8'));
  const others = Object.keys(lock.packages).filter((path) => path !== 'node_modules/optiongraph');
  expect(others.length, others.join(' ')).toBeLessThanOrEqual(15);
  await writeFile(
    join(folder.path, 'run.js'),
    `import { createOptiongraph } from 'optiongraph';
import { listenSandbox } from 'optiongraph/sandbox';
const sandbox = await listenSandbox();
const optiongraph = await createOptiongraph({ upstream: sandbox.url });
const request = new Request('http://any.test/graphql?query={__typename}');
console.log(await (await optiongraph.fetch(request)).text());
await optiongraph.dispose();
await sandbox[Symbol.asyncDispose]();
`,
  );
  for (const node of [process.execPath, ...OTHER_NODES]) {
    expect(runIn(folder.path, node, ['run.js'])).toContain('"__typename":"Query"');
    const program = ['node_modules/.bin/optiongraph', 'query', '--sandbox', '{ __typename }'];
    expect(JSON.parse(runIn(folder.path, node, program))).toEqual({ __typename: 'Query' });
  }
}, 300_000);

it('runs within a bundle, and beside one, as the documentation says', async () => {
  const entry = join(folder.path, 'run.js');
  const [, banner] = /--banner:js="(.+)"/.exec(readFileSync(join(ROOT, 'docs/embedding.md'), 'utf8')) ?? [];
  for (const options of [{ banner: { js: banner ?? '' } }, { packages: 'external' }] as const) {
    const outfile = join(folder.path, 'bundle.js');
    await build({
      entryPoints: [entry],
      bundle: true,
      platform: 'node',
      format: 'esm',
      outfile,
      logLevel: 'error',
      ...options,
    });
    expect(runIn(folder.path, process.execPath, [outfile])).toContain('"__typename":"Query"');
  }
}, 60_000);

it.each([
  ['beside', {}],
  ['on', { optiongraph: { graphql: '^17.0.0' } }],
])(
  'runs %s another graphql-js, whose errors its user may throw',
  async (_place, overrides) => {
    using host = makeFolder();
    await install(host.path, ['graphql@^17.0.0', packed.path], overrides);
    const own = existsSync(join(host.path, 'node_modules/optiongraph/node_modules/graphql'));
    expect(own).toBe(Object.keys(overrides).length === 0);
    await writeFile(
      join(host.path, 'run.js'),
      `import { GraphQLError, version } from 'graphql';
import { createOptiongraph } from 'optiongraph';
import { listenSandbox } from 'optiongraph/sandbox';
const sandbox = await listenSandbox();
const fail = () => {
  throw new GraphQLError('refused by the host');
};
const optiongraph = await createOptiongraph({
  upstream: sandbox.url,
  extendSchema: { typeDefs: 'extend type Query { own: Int failing: Int }', resolvers: { Query: { own: () => 1, failing: fail } } },
});
const headers = { accept: 'multipart/mixed', authorization: 'Basic ' + btoa('user:sandbox') };
const query = '{ own failing datasets(first: 1) { nodes { __typename } } ... @defer { __schema { queryType { name } } } }';
const request = new Request('http://any.test/graphql?query=' + encodeURIComponent(query), { headers });
console.log(version, await (await optiongraph.fetch(request)).text());
await optiongraph.dispose();
await sandbox[Symbol.asyncDispose]();
`,
    );
    for (const node of [process.execPath, ...OTHER_NODES]) {
      const output = runIn(host.path, node, ['run.js']);
      expect(output).toMatch(/^17\./);
      expect(output).toContain(
        '"data":{"own":1,"failing":null,"datasets":{"nodes":[{"__typename":"Dataset"}]}}',
      );
      expect(output).toContain('"message":"refused by the host"');
      expect(output).toContain('{"__schema":{"queryType":{"name":"Query"}}}');
    }
  },
  300_000,
);
