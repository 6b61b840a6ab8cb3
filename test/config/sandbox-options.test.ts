// Tests the options of the command `sandbox`.
import { describe, expect, test } from 'vitest';
import { readSandbox, refusal } from '../helpers/read-config.ts';

describe('the options of the sandbox', () => {
  test('contain the associations that the sandbox cannot include, by action', async () => {
    const given = ['book#index=author,shelf', 'shelf.book#show=author'];
    const args = given.map((text) => `--failing-includes=${text}`);
    expect((await readSandbox(args)).failingIncludes).toEqual({
      'book#index': ['author', 'shelf'],
      'shelf.book#show': ['author'],
    });
    expect(await refusal(['sandbox', '--failing-includes', 'book#index'])).toBe(
      '--failing-includes must be like book#index=author,shelf, not "book#index".',
    );
  });

  test('contain outputs that are never sent by resource, and broken rows by list', async () => {
    const args = ['--unsent-outputs=book=title,author', '--broken-rows=book#index=17,300'];
    expect(await readSandbox(args)).toMatchObject({
      unsentOutputs: { book: ['title', 'author'] },
      brokenRows: { 'book#index': [17, 300] },
    });
    expect(await refusal(['sandbox', '--unsent-outputs=book#index=title'])).toBe(
      '--unsent-outputs must be like book=title,author, not "book#index=title".',
    );
    expect(await refusal(['sandbox', '--broken-rows=book#index=first'])).toBe(
      '--broken-rows must be like book#index=17,300, not "book#index=first".',
    );
  });

  test('contain the habits of lists', async () => {
    const toggles = ['--unstable-ties', '--shuffled-times', '--changing-rows', '--wide-count'];
    const numbers = ['--logs=2400', '--clamped-limit=50', '--habit-seed=7'];
    expect(await readSandbox([...toggles, ...numbers])).toMatchObject({
      unstableTies: true,
      shuffledTimes: true,
      changingRows: true,
      wideCount: true,
      logs: 2400,
      clampedLimit: 50,
      habitSeed: 7,
    });
  });

  test('contain the number of lists after which the live log gains a row', async () => {
    expect((await readSandbox(['--live-log=3'])).liveLog).toBe(3);
    for (const text of ['0', '-1', '1.5', 'x', '', '1000000'])
      expect(await refusal(['sandbox', `--live-log=${text}`])).toMatch(
        /^--live-log must be a whole number from 1 to 999999, not .+\.$/,
      );
  });

  test('contain redirect URIs of the OAuth client', async () => {
    const redirectUris = ['http://127.0.0.1/a', 'https://a.example/b?c,d'];
    const args = redirectUris.map((uri) => `--redirect-uri=${uri}`);
    expect((await readSandbox(args)).redirectUris).toEqual(redirectUris);
    for (const uri of ['/callback', 'http://', 'http://a/#b', 'ftp://a/'])
      expect(await refusal(['sandbox', '--redirect-uri', uri])).toBe(
        `--redirect-uri must be like http://127.0.0.1/back, without a fragment, not "${uri}".`,
      );
  });
});
