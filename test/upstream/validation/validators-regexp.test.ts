// Tests which Ruby regular expressions are checked, and what they match.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileRubyRegexp } from '../../../src/upstream/validation/ruby-regexp.ts';

/** Ruby source, texts that it matches, texts that it does not. */
type Case = readonly [source: string, matched: readonly string[], unmatched: readonly string[]];

const COMPILED: Readonly<Record<string, readonly Case[]>> = {
  'anchors of the text and of its lines': [
    [String.raw`\Aabc\z`, ['abc'], ['abc\n', 'xabc', 'x\nabc']],
    [String.raw`\Aabc\Z`, ['abc', 'abc\n'], ['abc\n\n', 'abc\r\n']],
    ['^abc$', ['abc', 'x\nabc\ny'], ['xabc', 'x\u2028abc']],
    ['x^', [], ['x']],
    ['\n^', ['\nx'], ['x']],
    ['^$', ['', 'a\n\nb'], ['a']],
    ['(?:^)*a', ['a', 'ba'], ['']],
    [String.raw`\Aa|b\z`, ['ax', 'xb'], ['xa', 'bx']],
  ],
  'the dot': [['a.b', ['axb', 'a\rb', 'a\u2028b', 'a😀b'], ['a\nb']]],
  'sets of ASCII': [
    [String.raw`\A\d+\z`, ['09'], ['٣', 'a']],
    [String.raw`\A\D\W\z`, ['é-'], ['é9', '1-']],
    [String.raw`\A\w+\z`, ['aZ_9'], ['é', '-', '\u212a', '\u017f']],
    [String.raw`\A\s\z`, [' ', '\t', '\v', '\n'], ['\u00a0', '\u2028', 'x']],
    [String.raw`\A[^\d\s]\z`, ['a'], ['1', ' ', '\v']],
    [String.raw`\A[\W]\z`, ['é', '-'], ['a']],
  ],
  'classes with ranges': [
    ['\\A[a-c-]\\z', ['b', '-'], ['d']],
    ['\\A[-a]\\z', ['-', 'a'], ['b']],
    ['\\A[^-a]\\z', ['b'], ['-', 'a']],
    ['\\A[a^&.-]\\z', ['a', '^', '&', '.', '-'], ['b']],
    ['\\A[\\w-]\\z', ['a', '-'], ['+']],
    [String.raw`\A[\--\/]\z`, ['-', '.', '/'], [',', '0']],
    [
      String.raw`\A[\n\-\]/\[.$(){}|#\&~\\]\z`,
      ['\n', '-', ']', '/', '[', '.', '$', '{', '|', '~', '\\'],
      ['a'],
    ],
    ['\\A[é-ž]\\z', ['ě'], ['e']],
    ['\\A[😀-😂]\\z', ['😁'], ['😃']],
    ['\\A[^a]\\z', ['😀', '\n'], ['a', '']],
  ],
  groups: [
    ['\\Aa(?:b)(c|d)\\z', ['abc'], ['abe']],
    ['\\A(|a|ab)(c|)\\z', ['', 'a', 'ab', 'c', 'abc'], ['b']],
  ],
  quantifiers: [
    ['\\Aa{,2}\\z', ['', 'aa'], ['aaa']],
    ['\\Aa{2}b{1,}\\z', ['aab', 'aabb'], ['ab', 'aa', 'aaab']],
    ['\\Aa{1,2}?b+?c*?d??\\z', ['aab', 'abbcd'], ['b']],
    ['\\A(a|bc){2,3}\\z', ['abc', 'bcabc'], ['bc', 'abcabc']],
    ['\\A(a?){3}\\z', ['', 'aaa'], ['aaaa']],
    ['\\A(a*)*b{0}\\z', ['', 'aa'], ['b']],
  ],
  escapes: [
    [String.raw`\A\t\/\_\-\"\ \.\+\z`, ['\t/_-" .+'], []],
    ['\\Ažluť # x\\z', ['žluť # x'], ['žluť']],
  ],
};

/** Sources in a line. None of them contains a space. */
const words = (line: string): readonly string[] => line.split(' ');

const LEFT_TO_SERVER: Readonly<Record<string, readonly string[]>> = {
  'options and cases': words(String.raw`(?i)a (?m:a.b) (?-mix:a) (?x)a (?u)\w`),
  'POSIX brackets and properties': words(String.raw`[[:alpha:]] [[:^upper:]-] \p{L} \P{Lu} \p{^Lu}`),
  'classes in classes and rare hyphens': words(
    String.raw`[a[bc]] [a-w&&[^c]] [^--&&] []a] [^^] [\s-z] [a-\d] [a-z-9] [\b]`,
  ),
  'boundaries and other escapes': words(
    String.raw`\bé\b a\B \S \h [\H] \Ga a\Kb \X \R \x41 \u00e9 \012 \cA \M-a \q`,
  ),
  'references, names and further groups': words(
    String.raw`(a)\1 (?<n>a)\k<n> (?'n'a) (?<b>b\g<b>?) (?>a+)b (?~ab) (a)?(?(1)b|c) a(?#b) (?<!ab)c (?<=a|b)c (?<=a)b a(?=b) a(?!b)`,
  ),
  'possessive and repeated quantifiers': words('a++ a*+ a?+ a{2}? a{2}+ a+* a{1,2}{3}'),
  'brackets that stand for themselves': words('a{} a{,} c{x } ]'),
  'invalid Ruby': words('( ) a) (?< (? [ [] [^] [a [z-a] * +a |* (+) \\ a{3,1} (?<= (?<!) \ud800'),
};

const matches = (source: string, text: string): boolean | null => {
  const expression = compileRubyRegexp(source);
  if (expression === null) throw new Error(`${source} is left to the server`);
  return expression(text);
};

describe('simple Ruby regular expressions', () => {
  for (const [what, cases] of Object.entries(COMPILED)) {
    it.each(cases)(`have ${what}: %s`, (source, matched, unmatched) => {
      expect(matched.filter((text) => matches(source, text) !== true)).toEqual([]);
      expect(unmatched.filter((text) => matches(source, text) !== false)).toEqual([]);
    });
  }

  for (const [what, sources] of Object.entries(LEFT_TO_SERVER)) {
    it.each(sources)(`have no ${what}: %s`, (source) => {
      expect(compileRubyRegexp(source)).toBeNull();
    });
  }

  it('match the same texts as JavaScript where both languages agree', () => {
    const atom = fc.constantFrom('a', 'b', '-', '😀', '.', '[ab]', '[^a]', '[-a]', '\\d', '\\w', '\\W');
    const condition = fc.constantFrom('\\A', '\\z');
    const quantifier = fc.constantFrom('', '', '*', '+', '?', '{2}', '{1,2}', '{0,3}?', '{2,}', '+?');
    const { expression } = fc.letrec<{ expression: string; part: string }>((tie) => ({
      expression: fc
        .array(
          fc.array(fc.oneof(tie('part'), condition), { maxLength: 4 }).map((parts) => parts.join('')),
          { minLength: 1, maxLength: 2 },
        )
        .map((branches) => branches.join('|')),
      part: fc
        .tuple(
          fc.oneof(
            { maxDepth: 3 },
            atom,
            tie('expression').map((inner) => `(${inner})`),
          ),
          quantifier,
        )
        .map((pieces) => pieces.join('')),
    }));
    const text = fc.array(fc.constantFrom('a', 'b', '-', '1', '😀'), { maxLength: 8 });
    let matched = 0;
    fc.assert(
      fc.property(expression, text, (source, characters) => {
        const joined = characters.join('');
        const same = source.replaceAll('\\A', '^').replaceAll('\\z', '$');
        // V8 also begins to match in the middle of a surrogate pair, so the way to the first match is spelled out.
        const expected = new RegExp(`^[^]*?(?:${same})`, 'u').test(joined);
        if (expected) matched++;
        expect(matches(source, joined)).toBe(expected);
      }),
      { numRuns: 2_000, seed: 20_261_122 },
    );
    expect(matched).toBeGreaterThan(300);
    expect(matched).toBeLessThan(1_700);
  });

  it('never throw for any source', () => {
    const piece = fc.constantFrom(...'ab0-^$.|()[]{}*+?\\,:!<>=#&ipkxs\n ', 'é', '😀', '\ud800', '(?<');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const expression = compileRubyRegexp(pieces.join(''));
        expression?.('aB0-é😀\n[x]');
      }),
      { numRuns: 3_000, seed: 20_261_122 },
    );
    expect(compileRubyRegexp('('.repeat(999))).toBeNull();
    expect(compileRubyRegexp('a'.repeat(301))).toBeNull();
    expect(compileRubyRegexp(`${'.{0,1000}'.repeat(31)}[xy]`)).toBeNull();
    expect(compileRubyRegexp(`(?:${'.*'.repeat(140)}){1000}`)).toBeNull();
  });
});

describe('a match', () => {
  it('takes no exponential time', () => {
    expect(matches(String.raw`\A(a+)+\z`, `${'a'.repeat(1_000)}b`)).toBe(false);
    expect(matches('\\A(a|a?)+\\z', `${'a'.repeat(1_000)}b`)).toBe(false);
  });

  it('is left to the server for a long text, half of a surrogate pair, and a line behind the last newline', () => {
    expect(matches('a', 'b'.repeat(1_025))).toBeNull();
    expect(matches('a', '\ud800')).toBeNull();
    expect([matches('^a', 'a\n'), matches('^a', '\na')]).toEqual([null, true]);
  });

  it('is left to the server where the expression is too large', () => {
    expect(compileRubyRegexp('(?:(?:a?){99}){99}')).toBeNull();
    expect(compileRubyRegexp('a{1001}')).toBeNull();
    expect(matches('\\A[a-z]{1,63}(\\.[a-z]{1,63}){1,15}\\z', 'a.b')).toBe(true);
  });
});
