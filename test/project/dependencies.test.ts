// Tests that each dependency has its reason, that a clone installs few packages without a warning, and that lock files name no registry.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const text = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** The folders of a section of the document, and their dependencies. */
const SECTIONS = {
  'In package.json': ['.', ...readdirSync(join(ROOT, 'packages')).map((name) => `packages/${name}`)],
  'In test/conformance': ['test/conformance'],
  'In test/bench/peers': ['test/bench/peers'],
};

const sections = new Map(
  text('docs/dependencies.md')
    .split(/^## /m)
    .map((section) => [section.slice(0, section.indexOf('\n')), section]),
);

/** The packages in the first column of a section's table. */
const listedIn = (section: string): readonly string[] =>
  [...(sections.get(section) ?? '').matchAll(/^\| (`[^|]+`) \|/gm)].flatMap(([, names = '']) =>
    [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
  );

function dependenciesOf(folder: string): readonly string[] {
  const { dependencies = {}, devDependencies = {} } = JSON.parse(text(join(folder, 'package.json')));
  return Object.keys({ ...dependencies, ...devDependencies });
}

it.each(Object.entries(SECTIONS))('%s: each dependency has one reason', (section, folders) => {
  expect([...listedIn(section)].sort()).toEqual([...new Set(folders.flatMap(dependenciesOf))].sort());
});

it('names each module of a package that src imports beside its public ones', () => {
  const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' });
  const imported = files
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => [
      ...text(join('src', file)).matchAll(/ from '((?:@[^/']+\/)?[^/.'][^/']*\/[^']+\.js)'/g),
    ]);
  const named = sections.get('What their authors do not promise') ?? '';
  expect(imported.length).toBeGreaterThan(0);
  expect(imported.map(([, module = '']) => module).filter((module) => !named.includes(module))).toEqual([]);
});

interface Locked {
  readonly link?: boolean;
  readonly optional?: boolean;
  readonly resolved?: string;
  readonly engines?: { readonly node?: string };
}
const lockOf = (folder: string): readonly (readonly [string, Locked])[] =>
  Object.entries(JSON.parse(text(join(folder, 'package-lock.json'))).packages);

/** Whether a range such as `^18 || >=20.19` accepts the oldest supported version, 20.19. */
function acceptsOldest(range: string): boolean {
  return range.split('||').some((part) => {
    const [, operator = '', major = '0', minor = '0'] = /^\s*(\D*?)\s*v?(\d+)(?:\.(\d+))?/.exec(part) ?? [];
    if (part.trim() === '*') return true;
    const isReached = Number(major) < 20 || (Number(major) === 20 && Number(minor) <= 19);
    return isReached && (operator.startsWith('>') || Number(major) === 20);
  });
}

describe('the packages of a clone', () => {
  const installed = lockOf('.').filter(
    ([path, { optional }]) => path.startsWith('node_modules/') && !optional,
  );

  it('are at most 320', () => {
    expect(installed.length).toBeLessThanOrEqual(320);
  });

  it('accept the oldest supported version of Node, so that npm prints no warning', () => {
    const refusing = installed.filter(([, { engines }]) => engines?.node && !acceptsOldest(engines.node));
    expect(refusing.map(([path, { engines }]) => `${path} needs ${engines?.node}`)).toEqual([]);
  });
});

it.each([
  '.',
  'examples',
  ...Object.values(SECTIONS)
    .flat()
    .filter((folder) => folder.startsWith('test')),
])('%s: the lock file names no registry', (folder) => {
  const resolved = lockOf(folder).filter(([, locked]) => locked.resolved !== undefined && !locked.link);
  expect(resolved).toEqual([]);
});
