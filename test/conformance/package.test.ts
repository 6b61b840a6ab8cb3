// Tests that the packed file passes the checks of publint and "are the types wrong".
import { readFileSync } from 'node:fs';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { beforeAll, expect, it } from 'vitest';
import { makeFolder } from '../helpers/folder.ts';
import { pack } from '../helpers/packed-file.ts';

let bytes: Uint8Array<ArrayBuffer>;
beforeAll(() => {
  using folder = makeFolder();
  bytes = new Uint8Array(readFileSync(pack(folder.path).path));
});

it('passes publint', async () => {
  const { messages, pkg } = await publint({ strict: true, pack: { tarball: bytes.buffer } });
  expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
});

it('has the right types at each entry for users of ES modules', async () => {
  const checked = await checkPackage(createPackageFromTarballData(bytes));
  if (checked.types === false) throw new Error('The package has no types.');
  // There are no CommonJS modules, so nothing is said of those who resolve them.
  const problems = checked.problems.filter(
    (problem) => !('resolutionKind' in problem) || ['node16-esm', 'bundler'].includes(problem.resolutionKind),
  );
  expect(problems).toEqual([]);
}, 60_000);
