// Writes the licenses of the packages whose code a bundle contains, which most of them ask of those who pass it on.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';

const ROOT = join(import.meta.dirname, '..');

/** The folder of the package that a bundled file belongs to; the last one, where packages contain others. */
const PACKAGE = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/;

/** Writes the file, relative to the root. @param bundles What esbuild tells of each bundle. */
export function writeLicenses(file: string, bundles: readonly Metafile[]): void {
  const inputs = bundles.flatMap((bundle) => Object.keys(bundle.inputs));
  const folders = new Set(inputs.flatMap((input) => PACKAGE.exec(input)?.[0] ?? []));
  const texts = [...folders].sort().map(describeLicense);
  writeFileSync(join(ROOT, file), ['# Licenses of the packages in this folder', ...texts].join('\n\n'));
}

function describeLicense(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'));
  const [file] = readdirSync(join(ROOT, folder)).filter((entry) => /^licen[cs]e/i.test(entry));
  const text = file === undefined ? '' : `\n\n${readFileSync(join(ROOT, folder, file), 'utf8').trim()}`;
  return `## ${name} ${version} (${license})${text}`;
}
