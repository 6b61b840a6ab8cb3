// Tests that the examples in the documents compile as strictly as they can.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

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

it('compiles the examples of all documents', () => {
  mkdirSync(join(ROOT, '.cache'), { recursive: true });
  // They are parts of programs, so that they need not use all that they declare. Within the repository, so that they find its packages.
  const folder = mkdtempSync(join(ROOT, '.cache/document-examples-'));
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
      include: ['.'],
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    expect(compile(folder)).toBe('');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

/** Returns what the compiler says of the files in a folder. */
function compile(folder: string): string {
  try {
    return execFileSync(join(ROOT, 'node_modules/.bin/tsc'), ['-p', folder], {
      encoding: 'utf8',
      stdio: 'pipe',
    });
  } catch (error) {
    if (error instanceof Error && 'stdout' in error) return String(error.stdout);
    throw error;
  }
}
