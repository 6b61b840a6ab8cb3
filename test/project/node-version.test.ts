// Tests that what users install runs on the oldest supported version of Node.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

interface Installed {
  readonly engines?: { readonly node?: string };
  readonly dependencies?: Readonly<Record<string, string>>;
}

const read = (name: string): string => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');
const { overrides } = JSON.parse(read('package.json')) as {
  readonly overrides: Readonly<Record<string, string>>;
};
const { packages } = JSON.parse(read('package-lock.json')) as {
  readonly packages: Readonly<Record<string, Installed>>;
};
/** The place in `node_modules` where Node finds a package that another one imports. */
function find(name: string, from: string): string {
  const path = `${from === '' ? '' : `${from}/`}node_modules/${name}`;
  if (path in packages || from === '') return path;
  return find(name, from.slice(0, Math.max(0, from.lastIndexOf('node_modules/') - 1)));
}

/** The places of packages with all that they need. */
function collect(names: Iterable<string>, from = '', places = new Set<string>()): ReadonlySet<string> {
  for (const name of names) {
    const place = find(name, from);
    if (places.has(place)) continue;
    places.add(place);
    collect(Object.keys(packages[place]?.dependencies ?? {}), place, places);
  }
  return places;
}

/** The packages that the source imports. What users do not install of them is compiled in. */
const imported = new Set(
  readdirSync(new URL('../../src', import.meta.url), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => [...read(`src/${file}`).matchAll(/ from '((?:@[\w-]+\/)?[\w.-]+)[^']*'/g)])
    .map(([, name = '']) => name)
    .filter((name) => !/^(\.|node:|@optiongraph$)/.test(name) && find(name, '') in packages),
);
const used = [...collect(imported)].map((place) => [place, packages[place] ?? {}] as const);
const majorOf = (range: string): string => /\d+/.exec(range)?.[0] ?? '';

describe('the packages of the library and the program', () => {
  it('accept Node 20', () => {
    const isAccepting = (range: string): boolean =>
      range.split('||').some((part) => Number(majorOf(part)) <= 20 && !/^\s*[\^~]?1\d\b/.test(part));
    const refusing = used.filter(([, { engines }]) => engines?.node && !isAccepting(engines.node));
    expect(refusing.map(([path, { engines }]) => `${path} needs ${engines?.node}`)).toEqual([]);
  });

  it('do not depend on overrides, which npm ignores for users', () => {
    const changed = used.flatMap(([path, { dependencies = {} }]) =>
      Object.entries(overrides)
        .filter(([name, range]) => majorOf(dependencies[name] ?? range) !== majorOf(range))
        .map(([name]) => `${path} needs another ${name}`),
    );
    expect(changed).toEqual([]);
  });
});
