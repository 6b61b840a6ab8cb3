// Tests that the examples, and those in the documents, compile as strictly as they can.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { typeCheck } from '../../test/helpers/type-check.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const DOCUMENTS = [
  'README.md',
  'examples/README.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .map((path) => join('docs', path)),
];

/** Examples of JavaScript are TypeScript, too. */
const EXAMPLE = /^```(?:js|ts|tsx)\n([\s\S]*?)^```/gm;

it('has tests without type errors', () => {
  expect(typeCheck('examples/test')).toBe('');
});

it('compiles all examples, and those of all documents', () => {
  const cache = join(ROOT, 'examples/.cache');
  mkdirSync(cache, { recursive: true });
  // They are parts of programs, so that they need not use all that they declare. Beside the examples, whose packages they find.
  const folder = mkdtempSync(join(cache, 'documents-'));
  try {
    let examples = 0;
    for (const document of DOCUMENTS)
      for (const [, code = ''] of readFileSync(join(ROOT, document), 'utf8').matchAll(EXAMPLE)) {
        examples += 1;
        writeFileSync(join(folder, `${document.replaceAll(/\W/g, '-')}-${examples}.ts`), code);
      }
    expect(examples).toBeGreaterThan(10);
    const paths = {
      optiongraph: [join(ROOT, 'src/index.ts')],
      'optiongraph/sandbox': [join(ROOT, 'packages/sandbox/src/listen-sandbox.ts')],
    };
    const config = {
      extends: join(ROOT, 'examples/tsconfig.json'),
      compilerOptions: { paths, noUnusedLocals: false },
      include: ['.', '../../*/**/*.ts', '../../*/**/*.tsx'],
      exclude: ['../../node_modules', '../../test'],
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    expect(typeCheck(folder)).toBe('');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
