// Tests that each example is a package of its own, so that people can copy its folder.
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { startPair } from '../helpers/facade.ts';

const ROOT = new URL('../../', import.meta.url);
const EXAMPLES = new URL('examples/', ROOT);
const text = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8');

const folders = readdirSync(EXAMPLES, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !['node_modules', 'test', '.cache'].includes(entry.name))
  .map(({ name }) => name);

/** The packages that the sources of an example import. */
function importsOf(folder: string): readonly string[] {
  const files = readdirSync(new URL(folder, EXAMPLES), { recursive: true, encoding: 'utf8' }).filter(
    (file) => /\.tsx?$/.test(file) && !/__generated__|dist|node_modules/.test(file),
  );
  const specifiers = files.flatMap((file) =>
    [...text(`examples/${folder}/${file}`).matchAll(/from '([^'.].*?)'/g)].map(([, found = '']) => found),
  );
  const packages = specifiers
    .filter((specifier) => !specifier.startsWith('node:'))
    .map((specifier) => /^(@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier);
  return [...new Set(packages)].sort();
}

it.each(folders)('%s lists its packages, in the versions with which it is tested', (folder) => {
  const {
    dependencies = {},
    devDependencies = {},
    scripts,
  } = JSON.parse(text(`examples/${folder}/package.json`));
  const listed: Readonly<Record<string, string>> = { ...dependencies, ...devDependencies };
  expect(Object.keys(listed)).toEqual(expect.arrayContaining([...importsOf(folder)]));
  const { dependencies: tested } = JSON.parse(text('examples/package.json'));
  const { devDependencies: ours } = JSON.parse(text('package.json'));
  const known = { ...tested, tsx: ours.tsx, optiongraph: 'file:../..' };
  for (const [name, version] of Object.entries(listed)) expect([name, version]).toEqual([name, known[name]]);
  // What the scripts run is installed by packages.
  const commands: Readonly<Record<string, string>> = {
    tsx: 'tsx',
    vite: 'vite',
    'graphql-codegen': '@graphql-codegen/cli',
    'relay-compiler': 'relay-compiler',
  };
  for (const script of Object.values<string>(scripts))
    expect(listed).toHaveProperty([commands[script.split(' ')[0] ?? ''] ?? script]);
});

it('are all in the document', () => {
  const named = text('examples/README.md').matchAll(/^\| \[([\w-]+)\]/gm);
  expect([...named].map(([, name]) => name).sort()).toEqual([...folders].sort());
});

it('get a token of the sandbox by the command in the document', async () => {
  await using pair = await startPair();
  const { url } = await pair.listen();
  const [, body = ''] = /--data '(\{.*tokenRequest.*\})'/.exec(text('examples/README.md')) ?? [];
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body });
  expect(await response.json()).toMatchObject({
    data: { tokenRequest: { result: { token: expect.stringMatching(/^\w{20,}$/) } } },
  });
});
