// Tests the language of commands, over the sandbox.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, print, visit } from 'graphql';
import { expect, it } from 'vitest';
import { runInProcess } from '../../../test/helpers/cli-in-process.ts';
import { makeFolder } from '../../../test/helpers/folder.ts';

const run = (...args: readonly string[]) => runInProcess([...args, '--sandbox']);

const withoutTexts = (sdl: string): string =>
  print(
    visit(parse(sdl), {
      enter: (node) => ('description' in node ? { ...node, description: undefined } : undefined),
    }),
  );

it('is that of the texts in a printed schema, whose names and order stay', async () => {
  const english = await run('schema', 'print');
  const czech = await run('schema', 'print', '--language', 'cs');
  expect(english.stdout).toContain('List datasets');
  expect(czech.stdout).toContain('Vypsat datasety');
  expect(czech.stdout).not.toContain('List datasets');
  expect(withoutTexts(czech.stdout)).toBe(withoutTexts(english.stdout));
  const json = await run('schema', 'json', '--language', 'cs');
  expect(json.stdout).toContain('Vypsat datasety');
});

it('is that of described actions and of refusals', async () => {
  const described = await run('describe', 'component', '--language', 'cs');
  expect(described.stdout).toContain('Vypsat součásti');
  const write = 'mutation { datasetCreate(input: { name: "a b" }) { userErrors { message } } }';
  const refused = await run('query', write, '--language', 'cs');
  expect(refused.stderr).toContain('„a b“ není platný název datasetu');
});

it('is that of a documentation site', async () => {
  using folder = makeFolder();
  const out = join(folder.path, 'site');
  expect(await run('docs', '--out', out, '--language', 'cs')).toMatchObject({ code: 0 });
  expect(readFileSync(join(out, 'resource-dataset.html'), 'utf8')).toContain('Vypsat datasety');
});

it('is English for one that the API lacks', async () => {
  const { code, stdout } = await run('schema', 'print', '--language', 'de');
  expect(code).toBe(0);
  expect(stdout).toContain('List datasets');
});
