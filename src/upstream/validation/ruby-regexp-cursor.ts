// Reads a Ruby regular expression character by character.
/** Thrown where a regular expression cannot be said in JavaScript; never leaves the translation. */
export class InexpressibleError extends Error {}

/** Gives up on the translation: `what` has no exact counterpart, or is no valid Ruby. */
export function inexpressible(what: string): never {
  throw new InexpressibleError(what);
}

/** A place in the text of a regular expression, read by code points. */
export class Cursor {
  #at = 0;
  readonly #characters: readonly string[];

  constructor(source: string) {
    this.#characters = [...source];
  }

  get atEnd(): boolean {
    return this.#at >= this.#characters.length;
  }

  /** The character at the place, or the empty string at the end. */
  peek(ahead = 0): string {
    return this.#characters[this.#at + ahead] ?? '';
  }

  next(): string {
    if (this.atEnd) inexpressible('an early end');
    return this.#characters[this.#at++] ?? '';
  }

  /** Steps back over one character. */
  back(): void {
    this.#at--;
  }

  /** Steps over `text` if it stands here. */
  eat(text: string): boolean {
    if (![...text].every((character, index) => this.peek(index) === character)) return false;
    this.#at += text.length;
    return true;
  }

  /** Steps over and returns what a pattern, anchored by `y`, matches in the ASCII text ahead; null for nothing. */
  take(pattern: RegExp): RegExpExecArray | null {
    const ahead = this.#characters.slice(this.#at, this.#at + 256).join('');
    pattern.lastIndex = 0;
    const match = pattern.exec(ahead);
    if (match) this.#at += [...match[0]].length;
    return match;
  }

  /** Whether `character` stands anywhere from here on. */
  holds(character: string): boolean {
    return this.#characters.indexOf(character, this.#at) >= 0;
  }
}

/** The source of one code point, safe inside and outside of a class. */
export function literal(code: number): string {
  const character = String.fromCodePoint(code);
  return /^[A-Za-z0-9]$/.test(character) || (code > 0xff && !/[\p{C}\p{Z}]/u.test(character))
    ? character
    : `\\u{${code.toString(16)}}`;
}

const NAMED = new Map([
  ['t', 0x09],
  ['n', 0x0a],
  ['v', 0x0b],
  ['f', 0x0c],
  ['r', 0x0d],
  ['a', 0x07],
  ['e', 0x1b],
]);

/** Reads the escape of one character behind its backslash; null where it is none. Bytes from 0x80 are no characters. */
export function readCharacterEscape(cursor: Cursor): number | null {
  const named = NAMED.get(cursor.peek());
  if (named !== undefined) {
    cursor.next();
    return named;
  }
  if (cursor.eat('x')) return byte(cursor.take(/[\da-f]{1,2}/iy)?.[0], 16);
  if (cursor.eat('u')) {
    const match = cursor.take(/([\da-f]{4})|\{\s*([\da-f]{1,6})\s*\}/iy);
    const code = Number.parseInt(match?.[1] ?? match?.[2] ?? '', 16);
    if (!(code <= 0x10ffff) || (code >= 0xd800 && code <= 0xdfff)) inexpressible('several code points');
    return code;
  }
  if (cursor.eat('C-') || cursor.eat('c')) {
    const control = cursor.take(/[?-_a-z]/y)?.[0];
    if (control === undefined || control === '\\') inexpressible('a control character');
    return control === '?' ? 0x7f : control.charCodeAt(0) & 0x1f;
  }
  if (/[MC]/.test(cursor.peek())) inexpressible('a meta character');
  return null;
}

/** Reads an octal escape of at most three digits behind its backslash. */
export function readOctal(cursor: Cursor): number {
  return byte(cursor.take(/[0-7]{1,3}/y)?.[0], 8);
}

function byte(digits: string | undefined, radix: number): number {
  const code = Number.parseInt(digits ?? '', radix);
  return code < 0x80 ? code : inexpressible('a byte');
}
