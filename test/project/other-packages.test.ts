// Tests that what `npm run install:others` has installed is what the lock files name, and says where nothing is installed.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { isInstalled, OTHER_FOLDERS } from '../setup/other-packages.ts';

const ROOT = join(import.meta.dirname, '../..');

interface Lock {
  readonly packages: Readonly<
    Record<string, { readonly version?: string; readonly dependencies?: Readonly<Record<string, string>> }>
  >;
}

const read = (file: string): Lock => JSON.parse(readFileSync(join(ROOT, file), 'utf8'));

for (const folder of OTHER_FOLDERS)
  it.skipIf(!isInstalled(folder))(`${folder} has its packages, without which its tests are skipped`, () => {
    const installed = read(`${folder}/node_modules/.package-lock.json`).packages;
    const { packages } = read(`${folder}/package-lock.json`);
    const places = Object.keys(packages['']?.dependencies ?? {}).map((name) => `node_modules/${name}`);
    expect(places.length).toBeGreaterThan(0);
    const wrong = places.filter((place) => installed[place]?.version !== packages[place]?.version);
    expect(wrong, 'run: npm run install:others').toEqual([]);
  });
