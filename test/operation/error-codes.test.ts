// Tests that each error has a public code, and that the contract lists all of them.
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ERROR_CODES } from '../../src/operation/error-codes.ts';
import { PUBLIC_CODES } from '../../src/operation/mask-error.ts';

it('the contract has a row with the status of each error code', () => {
  const contract = readFileSync(new URL('../../docs/contract.md', import.meta.url), 'utf8');
  const rows = [...contract.matchAll(/^\| `([A-Z_]+)` \|.*\| (\d{3}) \|$/gm)];
  const documented = new Map(rows.map(([, code, status]) => [code, Number(status)]));
  // The table gives the status of one operation that costs too much; a spent budget has 429.
  const expected = Object.entries(ERROR_CODES).map(([code, { status }]) => [
    code,
    code === 'COST_LIMIT_EXCEEDED' ? 400 : status,
  ]);
  expect(Object.fromEntries(documented)).toEqual(Object.fromEntries(expected));
});

it('each class of errors has a public code', () => {
  const folder = new URL('../../src/', import.meta.url);
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.ts'),
  );
  const codes = sources.flatMap((path) => {
    const text = readFileSync(new URL(path, folder), 'utf8');
    return [...text.matchAll(/ readonly code = '([A-Z_]+)'/g)].map(([, code]) => code);
  });
  expect(codes.filter((code) => !Object.hasOwn(PUBLIC_CODES, code ?? ''))).toEqual([]);
  expect(new Set(codes)).toEqual(new Set(Object.keys(PUBLIC_CODES)));
});
