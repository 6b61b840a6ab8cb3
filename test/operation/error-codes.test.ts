// Tests that the contract lists all error codes.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ERROR_CODES } from '../../src/operation/error-codes.ts';

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
