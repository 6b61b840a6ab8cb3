// Tests that each error has a public code. The contract's table of them is generated, see test/config/config-file.test.ts.
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { PUBLIC_CODES } from '../../src/server/mask-error.ts';

/** Codes of errors at startup, which no client gets. */
const AT_STARTUP = ['OVERRIDES_INVALID'];

it('each class of errors that clients get has a public code', () => {
  const folder = new URL('../../src/', import.meta.url);
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.ts'),
  );
  const codes = sources.flatMap((path) => {
    const text = readFileSync(new URL(path, folder), 'utf8');
    return [...text.matchAll(/ readonly code = '([A-Z_]+)'/g)].flatMap(([, code = '']) =>
      AT_STARTUP.includes(code) ? [] : [code],
    );
  });
  expect(codes.filter((code) => !Object.hasOwn(PUBLIC_CODES, code))).toEqual([]);
  expect(new Set(codes)).toEqual(new Set(Object.keys(PUBLIC_CODES)));
});
