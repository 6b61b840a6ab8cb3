// Compiles simple Ruby regular expressions for RE2, whose matches take linear time.
import { RE2JS } from 're2js';

/** The longest regular expression that is compiled, and the longest text that is matched, in UTF-16 units. */
const MAX_SOURCE = 300;
const MAX_TEXT = 1_024;
/** The largest number of tokens when each repetition is written out, as RE2 does. */
const MAX_SIZE = 1_500;

/** What RE2 lacks or defines differently. Only a newline ends a line. */
const TRANSLATED: Readonly<Record<string, string>> = {
  '\\Z': '(?:\\n?\\z)',
  '^': '(?m:^)',
  $: '(?m:$)',
  '\\s': '[\\t-\\r ]',
};

const ESCAPED = String.raw`\\[ntrfv !-\/:-@\[-\x60\{-~]`;
const SET = String.raw`\\[dDwWs]`;
const MEMBER = String.raw`(?:${ESCAPED}|[^\\\[\]&\-]|&(?!&))`;
/** A class of plain members, ranges and sets. A hyphen stands for itself only at either end. */
const CLASS = String.raw`\[\^?(?=[^\]\^])-?(?:${MEMBER}(?:-${MEMBER})?|${SET})*-?\]`;
const PLAIN = String.raw`[^\\\[\]\(\)\{\}*+?|^$.]`;
/** `{n}?` is no lazy quantifier in Ruby, and a quantifier of a quantifier may be possessive. */
const QUANTIFIER = String.raw`(?:\{\d+\}|(?:[*+?]|\{\d+,\d*\}|\{,\d+\})\??)(?![*+?\{])`;
const TOKEN = new RegExp(
  [ESCAPED, SET, CLASS, PLAIN, String.raw`\(\?:|\((?!\?)`, QUANTIFIER, String.raw`\\[AzZ]|[|)^$.]`].join('|'),
  'gu',
);

/** Whether a text matches; null where that is left to the server. */
type RubyMatcher = (text: string) => boolean | null;

/**
 * Compiles a Ruby regular expression (Onigmo, over UTF-8). Null for all but anchors of texts and lines, plain classes, ASCII sets, groups,
 * and greedy or lazy quantifiers whose bounds are small. Never throws.
 */
export function compileRubyRegexp(source: string): RubyMatcher | null {
  if (source.length > MAX_SOURCE || !source.isWellFormed()) return null;
  const tokens: readonly string[] = source.match(TOKEN) ?? [];
  if (tokens.join('') !== source || sizeOf(tokens) > MAX_SIZE) return null;
  // In Ruby, `^` does not match behind a newline that ends the text.
  const hasLineStart = tokens.includes('^');
  try {
    const expression = RE2JS.compile(tokens.map(translate).join(''));
    return (text) =>
      text.length > MAX_TEXT || !text.isWellFormed() || (hasLineStart && text.endsWith('\n'))
        ? null
        : expression.matcher(text).find();
  } catch {
    return null;
  }
}

/** The number of tokens when each repetition is written out. */
function sizeOf(tokens: readonly string[]): number {
  const sizes = [0];
  let atom = 0;
  const add = (size: number): void => {
    sizes.push((sizes.pop() ?? 0) + size);
  };
  for (const token of tokens) {
    if (/^[*+?]/.test(token)) continue;
    if (token.startsWith('(')) sizes.push(0);
    else if (token.startsWith('{')) add(atom * Math.max(0, ...(token.match(/\d+/g) ?? []).map(Number)));
    else {
      atom = token === ')' ? (sizes.pop() ?? 0) : 1;
      add(atom);
    }
  }
  return Math.max(...sizes);
}

function translate(token: string): string {
  if (token.startsWith('[')) return token.replaceAll('\\s', '\\t-\\r ');
  if (token.startsWith('{,')) return `{0${token.slice(1)}`;
  return TRANSLATED[token] ?? token;
}
