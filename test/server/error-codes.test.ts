// Tests that each error has a public code. The contract's table of them is generated, see test/config/config-file.test.ts.
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { PUBLIC_CODES } from '../../src/server/mask-error.ts';

/** Codes of errors at startup, which no client gets. */
const AT_STARTUP = ['OVERRIDES_INVALID'];

it('each error that clients get has a public code', () => {
  const folder = new URL('../../src/', import.meta.url);
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('mask-error.ts'))
    .map((path) => readFileSync(new URL(path, folder), 'utf8'))
    .join('\n');
  const ofClasses = [...sources.matchAll(/ readonly code = '([A-Z_]+)'/g)].map(([, code = '']) => code);
  const isPublic = (code: string): boolean => Object.hasOwn(PUBLIC_CODES, code);
  expect(ofClasses.filter((code) => !isPublic(code) && !AT_STARTUP.includes(code))).toEqual([]);
  const ofRefusals = [...sources.matchAll(/RefusedError\(\s*'([A-Z_]+)'/g)].map(([, code = '']) => code);
  const made = new Set([...ofClasses, ...ofRefusals].filter(isPublic));
  expect(made).toEqual(new Set(Object.keys(PUBLIC_CODES)));
});
