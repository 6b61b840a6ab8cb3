// Tests what a start of the program loads.
import { expect, inject, test } from 'vitest';
import { ADDRESS, loadedFiles, REPORTS_LOADS, runCli } from '../helpers/cli.ts';
import { openWorkshop } from '../helpers/workshop.ts';

test('a build says that it takes a while, and what is built', () => {
  const lines = inject('built')
    .split('\n')
    .filter((line) => /^Building |: built after /.test(line));
  expect(lines).toEqual([
    'Building Optiongraph; this takes some seconds.',
    ...Array.from({ length: 3 }, () => expect.stringMatching(/^ {2}[a-z ]+: built after \d+ s$/)),
  ]);
});

test('serve with an upstream loads the bundled program, and neither packages nor sandbox nor explorer', async () => {
  await using shop = await openWorkshop();
  const args = ['serve', '--upstream', String(shop.upstream.url), '--port', '0'];
  await using cli = runCli(args, REPORTS_LOADS);
  await cli.waitForOutput(ADDRESS);
  const files = loadedFiles(cli.stderr);
  expect(files).toContain('dist/cli/main.js');
  expect(
    files.filter((file) => !/^(dist\/cli\/(main|run-\w+|serve-\w+|chunk-\w+)\.js|data:.*)$/.test(file)),
  ).toEqual([]);
  expect(cli.stderr.replace(/^loads .*\n/gm, '')).toBe('');
});
