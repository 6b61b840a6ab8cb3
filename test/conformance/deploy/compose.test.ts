// Tests the Compose file against its schema and the rules of dclint.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { DCLinter } from 'dclint';
import { expect, it } from 'vitest';
import { parse } from 'yaml';

const FILE = fileURLToPath(new URL('../../../deploy/compose.yaml', import.meta.url));

it('is valid', () => {
  const linter = new DCLinter({ rules: {}, quiet: false, debug: false, exclude: [] });
  const [result] = linter.lintFiles([FILE], false);
  expect(result?.messages).toEqual([]);
});

it('gives its containers no rights that they do not need', () => {
  const { services } = parse(readFileSync(FILE, 'utf8'));
  expect(Object.keys(services)).toContain('optiongraph-1');
  for (const service of Object.values(services)) {
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    });
  }
});
