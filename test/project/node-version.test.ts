// Tests that what users install runs on the oldest supported version of Node.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

interface Installed {
  readonly version: string;
  readonly dev?: boolean;
  readonly engines?: { readonly node?: string };
  readonly dependencies?: Readonly<Record<string, string>>;
}

const read = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8'));
const { overrides } = read('package.json') as { readonly overrides: Readonly<Record<string, string>> };
const { packages } = read('package-lock.json') as { readonly packages: Readonly<Record<string, Installed>> };
const installed = Object.entries(packages).filter(([path, { dev }]) => path !== '' && dev !== true);
const majorOf = (range: string): string => /\d+/.exec(range)?.[0] ?? '';

describe('the packages that users install', () => {
  it('accept Node 20', () => {
    const isAccepting = (range: string): boolean =>
      range.split('||').some((part) => Number(majorOf(part)) <= 20 && !/^\s*[\^~]?1\d\b/.test(part));
    const refusing = installed.filter(([, { engines }]) => engines?.node && !isAccepting(engines.node));
    expect(refusing.map(([path, { engines }]) => `${path} needs ${engines?.node}`)).toEqual([]);
  });

  it('do not depend on overrides, which npm ignores for users', () => {
    const changed = installed.flatMap(([path, { dependencies = {} }]) =>
      Object.entries(overrides)
        .filter(([name, range]) => majorOf(dependencies[name] ?? range) !== majorOf(range))
        .map(([name]) => `${path} needs another ${name}`),
    );
    expect(changed).toEqual([]);
  });
});
