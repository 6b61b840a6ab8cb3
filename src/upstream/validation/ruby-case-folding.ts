// Folds the case of characters as Ruby does under the option i.
import { inexpressible, literal } from './ruby-regexp-cursor.ts';

/** Letters beyond ASCII that equal an ASCII or Latin letter when case is ignored. */
const FURTHER: ReadonlyMap<string, string> = new Map([
  ['k', '\u212a'],
  ['s', '\u017f'],
  ['å', '\u212b'],
]);

/** Single characters that Ruby takes for two or three letters when case is ignored. */
const LIGATURES: ReadonlyMap<string, string> = new Map([
  ['ss', 'ßẞ'],
  ['ff', 'ﬀ'],
  ['fi', 'ﬁ'],
  ['fl', 'ﬂ'],
  ['ffi', 'ﬃ'],
  ['ffl', 'ﬄ'],
  ['st', 'ﬅﬆ'],
]);

/** The longest chain of overlapping ligatures that is written out. */
const MAX_CHAIN = 6;

/** Whether a letter is one of two cases and nothing more: ASCII, or the Latin of Europe's languages. */
const isPlainLetter = (character: string): boolean => /^[a-zà-öø-ÿ\u0100-\u017e]$/.test(character);

/** All characters that equal one when case is ignored. What has more than two plain cases is not expressed. */
export function caseVariants(code: number): readonly number[] {
  const character = String.fromCodePoint(code);
  const lower = character.toLowerCase();
  const upper = character.toUpperCase();
  if (/[ßİıŉ]/.test(character)) inexpressible('a letter of several cases');
  if (isPlainLetter(lower)) {
    return [...new Set([lower, upper, ...(FURTHER.get(lower) ?? '')])].map(
      (each) => each.codePointAt(0) ?? 0,
    );
  }
  if (/[\p{CWCM}\p{CWCF}\p{M}\u02bc]/u.test(character)) inexpressible('a letter of several cases');
  return [code];
}

/** A character as it is matched when case is ignored. */
export function foldedCharacter(code: number): string {
  const variants = caseVariants(code).map(literal);
  return variants.length === 1 ? variants.join('') : `[${variants.join('')}]`;
}

/** The members that an ASCII range has when case is ignored, as what stands inside a class. */
export function foldedRange(from: number, to: number): string {
  // Which cases of a letter beyond ASCII a class takes depends on what else stands in it, and on the server's version.
  if (to > 0x7f) inexpressible('a class beyond ASCII with cases ignored');
  let members = `${literal(from)}-${literal(to)}`;
  for (let code = from; code <= to; code++) members += caseVariants(code).map(literal).join('');
  return members;
}

/** A run of characters as it is matched when case is ignored, ligatures included. */
export function foldedRun(codes: readonly number[]): string {
  const letters = codes.map((code) => String.fromCodePoint(code).toLowerCase());
  let source = '';
  for (let start = 0; start < codes.length; ) {
    const end = chainEnd(letters, start);
    if (end - start > MAX_CHAIN) inexpressible('many ligatures');
    source += foldedChain(codes.slice(start, end), letters.slice(start, end));
    start = end;
  }
  return source;
}

/** Where the overlapping ligatures end that begin at `start`; the next place if none does. */
function chainEnd(letters: readonly string[], start: number): number {
  let end = start + 1;
  for (let at = start; at < end; at++) {
    for (const length of [2, 3]) {
      if (LIGATURES.has(letters.slice(at, at + length).join(''))) end = Math.max(end, at + length);
    }
  }
  return end;
}

function foldedChain(codes: readonly number[], letters: readonly string[]): string {
  const [code] = codes;
  if (code === undefined) return '';
  const ways = [foldedCharacter(code) + foldedChain(codes.slice(1), letters.slice(1))];
  for (const length of [2, 3]) {
    const ligatures = letters.length < length ? undefined : LIGATURES.get(letters.slice(0, length).join(''));
    if (ligatures !== undefined) {
      ways.push(`[${ligatures}]${foldedChain(codes.slice(length), letters.slice(length))}`);
    }
  }
  return ways.length === 1 ? ways.join('') : `(?:${ways.join('|')})`;
}
