// The named character sets of Ruby regular expressions, such as \h and [[:alpha:]].
import { type Cursor, inexpressible } from './ruby-regexp-cursor.ts';

const WORD = String.raw`\p{Alphabetic}\p{M}\p{Nd}\p{Pc}`;

/** A set of characters, as what stands inside a JavaScript class with or without `^`. */
export interface CharacterSet {
  readonly inner: string;
  readonly negated: boolean;
}

/** The source of a set that stands alone. */
export const setSource = ({ inner, negated }: CharacterSet): string => `[${negated ? '^' : ''}${inner}]`;

/** Ruby's POSIX brackets over UTF-8; those that begin with `^` hold all other characters. */
const POSIX: ReadonlyMap<string, string> = new Map([
  ['alnum', String.raw`\p{Alphabetic}\p{Nd}`],
  ['alpha', String.raw`\p{Alphabetic}`],
  ['ascii', String.raw`\u{0}-\u{7f}`],
  ['blank', String.raw`\p{Zs}\t`],
  ['cntrl', String.raw`\p{Cc}`],
  ['digit', String.raw`\p{Nd}`],
  ['graph', String.raw`^\p{White_Space}\p{Cc}\p{Cs}\p{Cn}`],
  ['lower', String.raw`\p{Lowercase}`],
  ['print', String.raw`^\p{Cc}\p{Cs}\p{Cn}\u{2028}\u{2029}`],
  ['punct', String.raw`\p{P}$+<=>\^\u{60}\u{7c}\u{7e}`],
  ['space', String.raw`\p{White_Space}`],
  ['upper', String.raw`\p{Uppercase}`],
  ['word', WORD],
  ['xdigit', '0-9A-Fa-f'],
]);

/** Escapes of sets: ASCII alone, whatever the encoding. */
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['d', '0-9'],
  ['w', 'A-Za-z0-9_'],
  ['s', String.raw`\t\n\v\f\r\u{20}`],
  ['h', '0-9A-Fa-f'],
]);

/** A word boundary, which unlike `\w` goes by all of Unicode; negated for `\B`. */
export function wordBoundary(negated: boolean): string {
  const [before, after] = [`(?<=[${WORD}])`, `(?=[${WORD}])`];
  const [notBefore, notAfter] = [`(?<![${WORD}])`, `(?![${WORD}])`];
  return negated
    ? `(?:${before}${after}|${notBefore}${notAfter})`
    : `(?:${before}${notAfter}|${notBefore}${after})`;
}

function setOf(inner: string, negated: boolean): CharacterSet {
  return inner.startsWith('^') ? { inner: inner.slice(1), negated: !negated } : { inner, negated };
}

/** Reads `\d`, `\H`, `\p{…}` and the like behind the backslash; null where no set stands. */
export function readSetEscape(cursor: Cursor, ignoreCase: boolean): CharacterSet | null {
  const letter = cursor.peek();
  const inner = ESCAPES.get(letter.toLowerCase());
  if (inner !== undefined) {
    cursor.next();
    return setOf(inner, letter !== letter.toLowerCase());
  }
  const property = cursor.take(/([pP])\{(\^?)([A-Za-z0-9 _-]+)\}/y);
  if (property === null) return letter === 'p' || letter === 'P' ? inexpressible('a property') : null;
  const [, kind, caret, name = ''] = property;
  return propertySet(name, (kind === 'P') !== (caret === '^'), ignoreCase);
}

/** Reads a POSIX bracket inside a class, e.g. `[:alpha:]`; null where none stands. */
export function readPosixBracket(cursor: Cursor, ignoreCase: boolean): CharacterSet | null {
  const match = cursor.take(/\[:(\^?)([a-z]+):\]/y);
  if (match === null) return null;
  const inner = POSIX.get(match[2] ?? '') ?? inexpressible('an unknown bracket');
  const negated = match[1] === '^';
  refuseCased(match[2] ?? '', negated, ignoreCase);
  return setOf(inner, negated);
}

/** Under (?i) a set grows by the other cases of its letters, and by pairs of letters that equal one: not so these. */
function refuseCased(name: string, negated: boolean, ignoreCase: boolean): void {
  if (ignoreCase && (negated || !/^(blank|cntrl|digit|punct|space|xdigit)$/.test(name))) {
    inexpressible('a set with cases ignored');
  }
}

function propertySet(name: string, negated: boolean, ignoreCase: boolean): CharacterSet {
  const normal = name.toLowerCase().replace(/[ _-]/g, '');
  refuseCased(normal, negated, ignoreCase);
  if (normal === 'punct') return setOf(String.raw`\p{P}`, negated);
  const posix = POSIX.get(normal === 'xposixpunct' ? 'punct' : normal);
  if (posix !== undefined) return setOf(posix, negated);
  const words = name
    .split(/[ _-]/)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1).toLowerCase());
  const spelled = words.join('_');
  const known = [name, spelled, `Script=${spelled}`].find(isProperty) ?? inexpressible('an unknown property');
  return setOf(`\\p{${known}}`, negated);
}

function isProperty(name: string): boolean {
  try {
    // Flag u knows no properties of strings, and Ruby has none.
    return new RegExp(`\\p{${name}}`, 'u').unicode;
  } catch {
    return false;
  }
}
