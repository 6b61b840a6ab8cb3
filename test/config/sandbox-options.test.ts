// Tests the options of the command `sandbox`.
import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config/config.ts';

function refusal(argv: readonly string[]): unknown {
  try {
    return readConfig(argv, {});
  } catch (error) {
    return error instanceof Error ? error.message : error;
  }
}

describe('the options of the sandbox', () => {
  test('contain the associations that the sandbox cannot include, by action', () => {
    const given = ['book#index=author,shelf', 'shelf.book#show=author'];
    const args = given.map((text) => `--failing-includes=${text}`);
    expect(readConfig(['sandbox', ...args], {})).toMatchObject({
      failingIncludes: { 'book#index': ['author', 'shelf'], 'shelf.book#show': ['author'] },
    });
    expect(refusal(['sandbox', '--failing-includes', 'book#index'])).toBe(
      'Failing includes must be like book#index=author,shelf, not "book#index".',
    );
  });

  test('contain the number of lists after which the live log gains a row', () => {
    expect(readConfig(['sandbox', '--live-log=3'], {})).toMatchObject({ liveLog: 3 });
    for (const text of ['0', '-1', '1.5', 'x', ''])
      expect(refusal(['sandbox', `--live-log=${text}`])).toBe(
        `The live log gains a row after so many lists, from 1 to 999999, not "${text}".`,
      );
    expect(refusal(['--live-log', '3'])).toBe('--live-log is an option of sandbox, not of serve.');
  });

  test('contain redirect URIs of the OAuth client', () => {
    const redirectUris = ['http://127.0.0.1/a', 'https://a.example/b?c'];
    const args = redirectUris.map((uri) => `--redirect-uri=${uri}`);
    expect(readConfig(['sandbox', ...args], {})).toMatchObject({ redirectUris });
    for (const uri of ['/callback', 'http://', 'http://a/#b', 'ftp://a/'])
      expect(refusal(['sandbox', '--redirect-uri', uri])).toBe(
        `A redirect URI must be like http://127.0.0.1/back, without a fragment, not "${uri}".`,
      );
  });
});
