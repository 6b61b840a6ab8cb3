// Compiles simple Ruby regular expressions.
import {
  alternatives,
  character,
  lookAhead,
  neighbors,
  type Part,
  repetition,
  sequence,
} from './regexp-parts.ts';

/** The longest regular expression that is compiled, in UTF-16 units. */
const MAX_LENGTH = 1_000;

/** Only a newline ends a line, and `^` does not match behind a final one. */
const ANCHORS: ReadonlyMap<string, Part> = new Map([
  [String.raw`\A`, neighbors((before) => before === undefined)],
  [String.raw`\z`, neighbors((_, after) => after === undefined)],
  [
    String.raw`\Z`,
    neighbors((_, after, next) => after === undefined || (after === '\n' && next === undefined)),
  ],
  ['^', neighbors((before, after) => before === undefined || (before === '\n' && after !== undefined))],
  ['$', neighbors((_, after) => after === undefined || after === '\n')],
]);

/** Escaped sets that JavaScript lacks or defines differently, as members of a JavaScript class. */
const SETS: ReadonlyMap<string, string> = new Map([
  [String.raw`\s`, String.raw`\t-\r\x20`],
  [String.raw`\S`, String.raw`\0-\x08\x0e-\x1f\x21-\u{10ffff}`],
  [String.raw`\h`, '0-9A-Fa-f'],
  [String.raw`\H`, String.raw`\0-\x2f\x3a-\x40\x47-\x60\x67-\u{10ffff}`],
]);

const ESCAPED = String.raw`\\[ntrfv !-\/:-@\[-\x60\{-~]`;
const SET = String.raw`\\[dDwWsShH]`;
const MEMBER = String.raw`(?:${ESCAPED}|[^\\\[\]&\-]|&(?!&))`;
/** A class of plain members, ranges and sets. A hyphen stands for itself only at either end. */
const CLASS = String.raw`\[\^?(?=[^\]\^])-?(?:${MEMBER}(?:-${MEMBER})?|${SET})*-?\]`;
const PLAIN = String.raw`[^\\\[\]\(\)\{\}*+?|^$.]`;
const CHARACTER = [ESCAPED, SET, CLASS, PLAIN, String.raw`\.`].join('|');
const GROUP = String.raw`\((?!\?)|\(\?(?:[:=!]|<[=!])`;
/** `{n}?` is no lazy quantifier in Ruby, and a quantifier of a quantifier may be possessive. */
const QUANTIFIER = String.raw`(?:\{\d+\}|(?:[*+?]|\{\d+,\d*\}|\{,\d+\})\??)(?![*+?\{])`;
const TOKEN = new RegExp([CHARACTER, GROUP, QUANTIFIER, String.raw`\\[AzZ]|[|)^$]`].join('|'), 'gu');
const IS_CHARACTER = new RegExp(`^(?:${CHARACTER})$`, 'u');

/**
 * Compiles a Ruby regular expression (Onigmo, over UTF-8). Null for all but anchors of texts and lines, plain classes, ASCII
 * sets, groups, look-ahead, look-behind of one character, and greedy or lazy quantifiers. Never throws.
 */
export function compileRubyRegexp(source: string): Part | null {
  if (source.length > MAX_LENGTH || !source.isWellFormed()) return null;
  const tokens = source.match(TOKEN) ?? [];
  if (tokens.join('') !== source) return null;
  try {
    // The first token is the last of the array.
    const rest = tokens.toReversed();
    const expression = compileAlternatives(rest);
    return rest.length === 0 ? expression : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Compiles tokens up to a closing parenthesis or the end, and removes them. */
function compileAlternatives(tokens: string[]): Part {
  const branches: Part[][] = [[]];
  while (tokens.length > 0 && tokens.at(-1) !== ')') {
    const token = tokens.pop() ?? '';
    if (token === '|') branches.push([]);
    else branches.at(-1)?.push(compileQuantified(compileAtom(token, tokens), tokens));
  }
  return alternatives(branches.map(sequence));
}

function compileAtom(token: string, tokens: string[]): Part {
  const anchor = ANCHORS.get(token);
  if (anchor !== undefined) return anchor;
  if (!token.startsWith('(')) return character(compileCharacter(token));
  if (token.startsWith('(?<')) {
    const accepts = compileCharacter(tokens.pop() ?? '');
    close(tokens);
    return neighbors((before) => (before !== undefined && accepts(before)) === (token === '(?<='));
  }
  const inner = compileAlternatives(tokens);
  close(tokens);
  return token === '(' || token === '(?:' ? inner : lookAhead(inner, token === '(?=');
}

function close(tokens: string[]): void {
  if (tokens.pop() !== ')') throw new SyntaxError('expected a closing parenthesis');
}

/** Applies the quantifier that follows. Whether it is lazy does not change which texts match. */
function compileQuantified(part: Part, tokens: string[]): Part {
  const quantifier = /^(?:[*+?]|\{(\d*)(,?)(\d*)\})\??$/.exec(tokens.at(-1) ?? '');
  if (quantifier === null) return part;
  tokens.pop();
  const [text, from, comma, to] = quantifier;
  if (from === undefined) {
    return repetition(
      part,
      text.startsWith('+') ? 1 : 0,
      text.startsWith('?') ? 1 : Number.POSITIVE_INFINITY,
    );
  }
  const max = comma === '' ? from : to || Number.POSITIVE_INFINITY;
  if (Number(from) > Number(max)) throw new SyntaxError('numbers out of order in an interval');
  return repetition(part, Number(from), Number(max));
}

/** Compiles a token that stands for one character. @throws SyntaxError for another token or a range out of order. */
function compileCharacter(token: string): (character: string) => boolean {
  if (!IS_CHARACTER.test(token)) throw new SyntaxError('expected a character');
  if (token === '.') return (each) => each !== '\n';
  if (!/^[\\[]/.test(token)) return (each) => each === token;
  const members = token.replace(/\\(.)/gu, (escaped, letter: string) =>
    /[a-z]/i.test(letter) ? (SETS.get(escaped) ?? escaped) : `\\x${letter.charCodeAt(0).toString(16)}`,
  );
  const expression = new RegExp(token.startsWith('[') ? members : `[${members}]`, 'u');
  return (each) => expression.test(each);
}
