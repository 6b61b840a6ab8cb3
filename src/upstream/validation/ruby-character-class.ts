// Translates the character classes of Ruby regular expressions.
import { foldedRange } from './ruby-case-folding.ts';
import { type CharacterSet, readPosixBracket, readSetEscape, setSource } from './ruby-character-sets.ts';
import { type Cursor, inexpressible, literal, readCharacterEscape, readOctal } from './ruby-regexp-cursor.ts';

/** One operand of an intersection: plain members, and classes in the class. */
interface Operand {
  members: string;
  readonly nested: string[];
}

/** Translates a class behind its opening bracket, up to and with the closing one. */
export function translateClass(cursor: Cursor, ignoreCase: boolean): string {
  const negated = cursor.eat('^');
  const operands: Operand[] = [];
  let operand: Operand = { members: '', nested: [] };
  /** The single character before, which may start a range. */
  let start: number | null = null;
  for (let first = true; ; first = false) {
    if (cursor.peek() === ']' && !(first && hasFurtherBracket(cursor))) break;
    if (cursor.eat('&&')) {
      if (ignoreCase) inexpressible('an intersection with cases ignored');
      operands.push(operand);
      operand = { members: '', nested: [] };
      start = null;
      continue;
    }
    const isHyphen = cursor.peek() === '-' && cursor.peek(1) !== ']';
    if (isHyphen && start !== null) {
      cursor.next();
      if (cursor.peek() === '&' && cursor.peek(1) === '&') inexpressible('a range up to an intersection');
      const end = readMember(cursor, ignoreCase);
      if (typeof end !== 'number' || end < start) inexpressible('such a range');
      operand.members += range(start, end, ignoreCase);
      start = null;
      continue;
    }
    if (isHyphen && cursor.peek(1) === '-') inexpressible('a range from a hyphen');
    const member = readMember(cursor, ignoreCase);
    if (typeof member === 'number') operand.members += range(member, member, ignoreCase);
    else if (typeof member === 'string') operand.nested.push(member);
    else if (member.negated) operand.nested.push(setSource(member));
    else operand.members += member.inner;
    start = typeof member === 'number' && !(isHyphen && !first) ? member : null;
  }
  cursor.next();
  return classSource([...operands, operand], negated);
}

/** Without classes in classes, which flag `u` does not know; flag `v` does, but Node 20 matches it wrongly. */
function classSource(operands: readonly Operand[], negated: boolean): string {
  const sources = operands.map(({ members, nested }) => {
    const all = members === '' ? nested : [`[${members}]`, ...nested];
    if (all.length === 0) inexpressible('an empty class');
    return all.length === 1 ? all.join('') : `(?:${all.join('|')})`;
  });
  const [only = { members: '', nested: [] }] = operands;
  if (operands.length === 1 && only.nested.length === 0) return `[${negated ? '^' : ''}${only.members}]`;
  const source = sources.map((each, index) => (index < sources.length - 1 ? `(?=${each})` : each)).join('');
  return negated ? `(?:(?!${source})[^])` : `(?:${source})`;
}

/** A bracket that closes nothing stands for itself. */
function hasFurtherBracket(cursor: Cursor): boolean {
  cursor.next();
  const found = cursor.holds(']');
  cursor.back();
  return found || inexpressible('an empty class');
}

const range = (from: number, to: number, ignoreCase: boolean): string => {
  if (ignoreCase) return foldedRange(from, to);
  return from === to ? literal(from) : `${literal(from)}-${literal(to)}`;
};

/** One member of a class: a set, the source of a class, or a character's code. */
function readMember(cursor: Cursor, ignoreCase: boolean): CharacterSet | string | number {
  if (cursor.peek() === '[') {
    const bracket = readPosixBracket(cursor, ignoreCase);
    if (bracket !== null) return bracket;
    if (ignoreCase) inexpressible('a class in a class with cases ignored');
    cursor.next();
    if (cursor.peek() === ':') inexpressible('an unknown bracket');
    return translateClass(cursor, ignoreCase);
  }
  if (!cursor.eat('\\')) return codeOf(cursor.next());
  if (/[RX]/.test(cursor.peek())) inexpressible('a sequence in a class');
  if (cursor.eat('b')) return 0x08;
  if (/[0-7]/.test(cursor.peek())) return readOctal(cursor);
  const set = readSetEscape(cursor, ignoreCase);
  // With cases ignored, a set of all but some characters holds letters that equal a pair of others.
  if (ignoreCase && set?.negated) inexpressible('a negated set in a class with cases ignored');
  return set ?? readCharacterEscape(cursor) ?? codeOf(cursor.next());
}

const codeOf = (character: string): number => character.codePointAt(0) ?? 0;
