// Tests that readers of the examples learn which packages each one needs.
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const ROOT = new URL('../../', import.meta.url);
const EXAMPLES = new URL('examples/', ROOT);
const text = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8');

const folders = readdirSync(EXAMPLES, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !['node_modules', 'test', '.cache'].includes(entry.name))
  .map(({ name }) => name);

/** The packages of each folder, as the table in the document has them. */
const listed = new Map(
  text('examples/README.md')
    .split('\n')
    .filter((line) => line.startsWith('| ['))
    .map((line) => {
      const [, name = '', , packages = ''] = line.split('|');
      return [
        /\[(.+)\]/.exec(name)?.[1],
        [...packages.matchAll(/`(.+?)`/g)].map(([, found = '']) => found),
      ] as const;
    }),
);

/** The packages that the sources of an example import. */
function importsOf(folder: string): readonly string[] {
  const files = readdirSync(new URL(folder, EXAMPLES), { recursive: true, encoding: 'utf8' }).filter(
    (file) => /\.tsx?$/.test(file) && !/__generated__|dist/.test(file),
  );
  const specifiers = files.flatMap((file) =>
    [...text(`examples/${folder}/${file}`).matchAll(/from '([^'.].*?)'/g)].map(([, found = '']) => found),
  );
  const packages = specifiers
    .filter((specifier) => !specifier.startsWith('node:'))
    .map((specifier) => /^(@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier);
  return [...new Set(packages)].sort();
}

it.each(folders)('%s has its packages in the list', (folder) => {
  expect(listed.get(folder)).toEqual(expect.arrayContaining([...importsOf(folder)]));
});

it('lists packages that the tests of the examples use', () => {
  const { dependencies } = JSON.parse(text('examples/package.json'));
  const known = new Set(['optiongraph', ...Object.keys(dependencies)]);
  expect([...listed.values()].flat().filter((found) => !known.has(found))).toEqual([]);
  expect([...listed.keys()].sort()).toEqual([...folders].sort());
});
