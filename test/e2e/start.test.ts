// Tests what a start of the program loads.
import { expect, test } from 'vitest';
import { runCli } from '../helpers/cli.ts';
import { openWorkshop } from '../helpers/workshop.ts';

/** Node writes the address of each module that it loads to the standard error. */
const REPORT_LOADS = [
  'export async function load(url, context, next) {',
  '  if (!url.startsWith("node:")) process._rawDebug("loads " + url);',
  '  return next(url, context);',
  '}',
].join('');
const REGISTER = `import { register } from "node:module"; register(${JSON.stringify(`data:text/javascript,${encodeURIComponent(REPORT_LOADS)}`)});`;

test('serve with an upstream loads the bundled program, and neither packages nor sandbox nor explorer', async () => {
  await using shop = await openWorkshop();
  await using cli = runCli(['serve', '--upstream', String(shop.upstream.url), '--port', '0'], {
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(REGISTER)}`,
  });
  await cli.waitForOutput(/GraphQL, and GraphiQL in a browser/);
  const loaded = cli.stderr.match(/(?<=^loads ).*/gm) ?? [];
  const files = loaded.map((url) => url.replace(/.*\/(?=dist\/|node_modules\/)/, ''));
  expect(files).toContain('dist/cli/main.js');
  expect(files.filter((file) => !/^(dist\/cli\/(main|chunk-\w+)\.js|data:.*)$/.test(file))).toEqual([]);
  expect(cli.stderr.replace(/^loads .*\n/gm, '')).toBe('');
});
