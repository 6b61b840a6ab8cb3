// Tests the translation of Ruby regular expressions and the time limit of matches.
import { describe, expect, it } from 'vitest';
import { matchWithin } from '../../../src/upstream/validation/bounded-match.ts';
import { translateRubyRegexp } from '../../../src/upstream/validation/ruby-regexp.ts';

/** Ruby source, texts that it matches, texts that it does not. */
type Case = readonly [source: string, matched: readonly string[], unmatched: readonly string[]];

const EXPRESSED: Readonly<Record<string, readonly Case[]>> = {
  'anchors of the text and of its lines': [
    [String.raw`\Aabc\z`, ['abc'], ['abc\n', 'xabc', 'x\nabc']],
    [String.raw`\Aabc\Z`, ['abc', 'abc\n'], ['abc\n\n', 'abc\r\n']],
    ['^abc$', ['abc', 'x\nabc\ny', 'abc\n'], ['xabc', 'abc\r\n', 'x\u2028abc']],
    ['x^', [], ['x\n', 'x']],
    ['\n^', ['\nx'], ['\n']],
    ['(?:^)*a', ['a', 'ba'], ['']],
  ],
  'the dot and its option': [
    ['a.b', ['axb', 'a\rb', 'a\u2028b', 'a😀b'], ['a\nb']],
    ['(?m:a.b)', ['a\nb'], ['ab']],
    ['(?m)a.(?-m).b', ['a\nxb'], ['a\n\nb']],
  ],
  'sets of ASCII': [
    [String.raw`\A\d+\z`, ['09'], ['٣', 'a']],
    [String.raw`\A\w+\z`, ['aZ_9'], ['é', '-']],
    [String.raw`\A\s\z`, [' ', '\t', '\v', '\n'], ['\u00a0', '\u2028', 'x']],
    [String.raw`\A\h+\z`, ['09afAF'], ['g']],
    [String.raw`\A\H[\H\s]\z`, ['g '], ['a ']],
    [String.raw`\A[^\d\S]\z`, [' '], ['1', 'a']],
    [String.raw`\A[\W]\z`, ['é', '-'], ['a']],
  ],
  'sets of Unicode': [
    ['\\A[[:alpha:]]+\\z', ['žluťoučký', '漢', 'Ⅷ'], ['1', '-']],
    ['\\A[[:digit:]]\\z', ['٣', '3'], ['a']],
    ['\\A[[:punct:]]\\z', ['!', '$', '+', '<', '^', '`', '|', '~', '—'], ['a', '€']],
    ['\\A[[:space:]]\\z', ['\u00a0', ' ', '\u2028'], ['\u200b']],
    ['\\A[[:^upper:]-]\\z', ['a', '-', '1'], ['A', 'Ž']],
    [String.raw`\A\p{Lu}\p{^Lu}\P{Lu}\z`, ['Aa1'], ['aAA', 'AaA']],
    [String.raw`\A\p{latin}\p{Han}\p{Greek}\z`, ['a漢λ'], ['λ漢a']],
    [String.raw`\bé\b`, ['é', 'a é b'], ['éa', 'aé']],
    [String.raw`é\B`, ['éa'], ['é', 'é a']],
  ],
  'classes with ranges, classes and intersections': [
    ['\\A[a-c-]\\z', ['b', '-'], ['d']],
    ['\\A[-a]\\z', ['-', 'a'], ['b']],
    ['\\A[]a]\\z', [']', 'a'], ['b']],
    ['\\A[a[bc]]\\z', ['a', 'c'], ['d', '[']],
    ['\\A[a-w&&[^c-g]z]\\z', ['a', 'h'], ['c', 'z', 'x']],
    ['\\A[^a&&b]\\z', ['a', 'b', 'c'], []],
    ['\\A[^a[^b]]\\z', ['b'], ['a', 'c']],
    [
      String.raw`\A[\b\n\-\]/\[.$(){}|#&~]\z`,
      ['\b', '-', ']', '/', '[', '.', '$', '(', '{', '|', '~'],
      ['\\'],
    ],
    ['\\A[😀-😂]\\z', ['😁'], ['😃']],
  ],
  'cases ignored, for the whole or for a part': [
    [String.raw`\A(?i)abc\z`, ['abc', 'ABC'], ['abd']],
    ['\\Aa(?i:b)c\\z', ['abc', 'aBc'], ['Abc', 'abC']],
    ['\\A(?i:a(?-i:b)c)\\z', ['AbC'], ['ABC']],
    ['\\A(?i)[a-f]+é\\z', ['aFÉ'], ['gé']],
    ['(?i)k', ['K', '\u212a'], ['q']],
    ['\\A(?i)strasse\\z', ['STRASSE', 'straße', 'ﬆrasse', '\u017ftrasse'], ['strase']],
    ['\\A(?i)office\\z', ['oﬃce', 'oﬀice', 'ofﬁce'], ['ofice']],
    ['a(?i)b|c', ['ab', 'aC'], ['c', 'b']],
  ],
  'groups and references': [
    [String.raw`\A(?<letter>[ab])x\k<letter>\z`, ['axa', 'bxb'], ['axb']],
    [String.raw`\A(a|b)\1{2}\z`, ['aaa', 'bbb'], ['aab']],
    ["\\A(?'q'a)(b)\\k'q'\\z", ['aba'], ['abb']],
    ['\\A((?!-)[a-z-]{1,5}(?<!-)\\.)+\\z', ['ab.c-d.'], ['-a.', 'a-.', 'abcdef.']],
    ['\\A(?-mix:a)(?:b)(?=c)c\\z', ['abc'], ['abd']],
  ],
  quantifiers: [
    ['\\Aa{,2}\\z', ['', 'aa'], ['aaa']],
    ['\\Aa{2}?\\z', ['', 'aa'], ['a']],
    ['\\Aa{2}+\\z', ['aa', 'aaaa'], ['aaa']],
    ['\\Aa{1,2}?b+?c*?\\z', ['aab', 'abbc'], ['b']],
    ['\\Aa{}b{,}c{x\\z', ['a{}b{,}c{x'], ['ab']],
    ['\\A}{]\\z', ['}{]'], []],
    ['\\Aa+*\\z', ['', 'aaa'], ['b']],
  ],
  'escapes, comments and free spacing': [
    [String.raw`\A\t\x41\u00e9\u{1F600}\012\0\cA\C-b\e\a\z`, ['\tAé😀\n\0\x01\x02\x1b\x07'], []],
    [String.raw`\A\/\_\-\"\q\i\z`, ['/_-"qi'], []],
    ['\\Aa(?#not (this\\))+\\z', ['aaa'], ['a(']],
    ['(?x) \\A a + # letters\n [ ] \\  b \\z', ['aa  b'], ['a b']],
    [String.raw`\A\R\z`, ['\n', '\r\n', '\u2028'], ['\n\n']],
    [String.raw`\A\R\n\z`, ['\r\n\n'], ['\r\n']],
  ],
};

const INEXPRESSIBLE: readonly string[] = [
  '(?>a+)b',
  'a++',
  'a*+',
  'a?+',
  '(?~ab)',
  '(a)?(?(1)b|c)',
  '(?<a>b\\g<a>?)',
  '\\Ga',
  'a\\Kb',
  '\\X',
  '(a)|\\1',
  '(?<a>x)|(?<a>y)\\k<a>',
  '(?i)(a)\\1',
  '(?i)[[:upper:]]',
  '(?i)ß',
  '(?i)σ',
  '(?i)[é]',
  '(?i)s{2}',
  '\\xff',
  '\\xc3\\xa9',
  '\\M-a',
  '\\u{61 62}',
  '\\p{NoSuchThing}',
  '[[:nosuch:]]',
  '(?u)\\w',
  '[^ -&&]',
  '(?a)[[:alpha:]]',
];

const INVALID: readonly string[] = [
  '(',
  ')',
  'a)',
  '(?<',
  '(?',
  '[',
  '[]',
  '[a',
  '[z-a]',
  '*',
  '+a',
  '\\',
  '\\k<x>',
  '\\1',
  '\\xzz',
  '\\u12',
  'a{3,1}',
  'a{100001}',
  '(?#',
  '(?z)',
  '[[:alpha:]',
  '\\p{',
  '\ud800',
];

describe('translated Ruby regular expressions', () => {
  for (const [what, cases] of Object.entries(EXPRESSED)) {
    it.each(cases)(`express ${what}: %s`, (source, matched, unmatched) => {
      const expression = translateRubyRegexp(source);
      expect(expression).toBeInstanceOf(RegExp);
      expect(matched.filter((text) => !expression?.test(text))).toEqual([]);
      expect(unmatched.filter((text) => expression?.test(text))).toEqual([]);
    });
  }

  it.each(INEXPRESSIBLE)('are null for what JavaScript cannot express: %s', (source) => {
    expect(translateRubyRegexp(source)).toBeNull();
  });

  it.each(INVALID)('are null for invalid Ruby: %s', (source) => {
    expect(translateRubyRegexp(source)).toBeNull();
  });

  it('do not match in the middle of a character', () => {
    expect(translateRubyRegexp(String.raw`\B`)?.test('Ž😀٣')).toBe(false);
  });

  it('never throw for any source', () => {
    const pieces = [
      ...'ab0-^$.|()[]{}*+?\\,:!<>=#&ipkxs\n ',
      'é',
      '😀',
      '(?i)',
      '[[:alpha:]]',
      '\\p{L}',
      '(?<n>',
    ];
    let state = 20260101;
    const random = (below: number): number => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return Math.floor((state / 2 ** 32) * below);
    };
    let translated = 0;
    for (let round = 0; round < 5_000; round++) {
      const source = Array.from({ length: random(12) }, () => pieces[random(pieces.length)]).join('');
      const expression = translateRubyRegexp(source);
      if (expression === null) continue;
      translated++;
      expect(() => expression.test('aB0-é😀\n[x]')).not.toThrow();
    }
    expect(translated).toBeGreaterThan(500);
    expect(translateRubyRegexp('('.repeat(9_999))).toBeNull();
    expect(translateRubyRegexp('a'.repeat(10_001))).toBeNull();
    expect(translateRubyRegexp('(?:(?:(?:a?){9999}){9999}){9999}')).toBeNull();
  });
});

describe('a match', () => {
  it('has a result within its time limit', () => {
    expect(matchWithin(/^a+$/u, 'aaa')).toBe(true);
    expect(matchWithin(/^a+$/u, 'aab')).toBe(false);
  });

  it('that exceeds its time limit has no result', () => {
    const expression = translateRubyRegexp(String.raw`\A(a+)+\z`);
    expect(expression).not.toBeNull();
    const begin = performance.now();
    expect(expression && matchWithin(expression, `${'a'.repeat(50)}b`)).toBeNull();
    expect(performance.now() - begin).toBeLessThan(5000);
  });
});
