// Tests which languages a request asks for.
import { expect, it } from 'vitest';
import { isLanguage, readLanguages } from '../../../src/upstream/http/languages.ts';

it.each([
  ['cs-CZ,cs;q=0.9,en;q=0.8', ['cs-cz', 'cs', 'en']],
  ['en;q=0.1, cs', ['cs', 'en']],
  ['de;q=0, *, cs ; q=0.5', ['cs']],
  ['CS, cs, cS;q=0.3', ['cs']],
  ['x, c$, cs;q=none, "de", sk', ['sk']],
  ['', []],
])('reads %j', (header, languages) => {
  expect(readLanguages(header)).toEqual(languages);
});

it('reads six languages, of the first 200 characters', () => {
  const many = Array.from({ length: 26 }, (_, index) => `a${String.fromCharCode(97 + index)}`).join(',');
  expect(readLanguages(many)).toEqual(['aa', 'ab', 'ac', 'ad', 'ae', 'af']);
  expect(readLanguages(`${' '.repeat(200)}cs`)).toEqual([]);
});

it('takes the form of a language in a region for that language', () => {
  expect(['en-gb', 'en', 'eno'].map((asked) => isLanguage('en', asked))).toEqual([true, true, false]);
});
