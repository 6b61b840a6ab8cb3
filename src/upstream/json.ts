// Parses, reads and writes JSON, without rounding integers.
import { parse } from 'lossless-json';

/** A JSON object with values of unknown type. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a value is a JSON object, not an array or null. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The entries of an object; empty for any other value (Ruby encodes an empty map as `{}` or `[]`). */
export function entriesOf(value: unknown): readonly (readonly [string, unknown])[] {
  return isObject(value) ? Object.entries(value) : [];
}

/** The value if it is a string; otherwise null. */
export function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** Names the type of a value for a message, without the value. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (value instanceof LongInteger) return 'a number';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** Whether a value is a list of strings. */
export function isStringList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

/** An integer beyond 2^53−1 of a response or an input, with all its digits. As an id or a key in JSON, it is the text of its digits. */
export class LongInteger {
  /** Decimal digits, with `-` before them for a negative integer. */
  readonly digits: string;

  constructor(digits: string) {
    this.digits = digits;
  }

  toString(): string {
    return this.digits;
  }

  toJSON(): string {
    return this.digits;
  }
}

/** Returns an integer as a number if that holds it exactly. @param digits Decimal digits, with `-` before them for a negative integer. */
export function exactInteger(digits: string): number | LongInteger {
  const number = Number(digits);
  return Number.isSafeInteger(number) ? number : new LongInteger(digits);
}

/** Number of digits from which an integer may be rounded: those of 2^53. */
const LONG = 16;

/** Characters up to which the slower parser is used: it takes about 100 ms for them, twenty times as long as `JSON.parse`. */
const MAX_EXACT = 512 * 1024;

/**
 * Parses JSON as `JSON.parse` does, except for integers beyond 2^53−1, which become `LongInteger`. Only a text with a long integer
 * takes the slower parser. In a text above half a million characters they become numbers that are no safe integers.
 * @throws SyntaxError when the text is not JSON, RangeError when it has a long integer and is nested too deeply.
 */
export function parseExactly(text: string): unknown {
  if (text.length > MAX_EXACT || !hasLongInteger(text)) return JSON.parse(text);
  return parse(text, null, { parseNumber, onDuplicateKey: ({ newValue }) => newValue });
}

const parseNumber = (text: string): number | LongInteger =>
  /^-?\d+$/.test(text) ? exactInteger(text) : Number(text);

/**
 * Whether a text has a run of at least 16 digits that may be an integer: no quotation mark, letter or point is before it. It looks at
 * each 16th character, because such a run contains one of them, and reaches 8 characters to one side of it. A regular expression takes
 * at least four times as long, and `JSON.parse` about twenty times.
 */
function hasLongInteger(text: string): boolean {
  for (let at = LONG - 1; at < text.length; at += LONG) {
    if (!isDigit(text.charCodeAt(at))) continue;
    if (!isDigit(text.charCodeAt(at - LONG / 2)) && !isDigit(text.charCodeAt(at + LONG / 2))) continue;
    let start = at;
    while (isDigit(text.charCodeAt(start - 1))) start -= 1;
    let end = at + 1;
    while (isDigit(text.charCodeAt(end))) end += 1;
    if (end - start >= LONG && /[\s:,[-]/.test(text.charAt(start - 1) || ' ')) return true;
    // The next look is at the first place behind this run that was not looked at.
    at += Math.floor((end - 1 - at) / LONG) * LONG;
  }
  return false;
}

/** Whether a character code is that of a digit. `NaN`, beyond the ends of a text, is not. */
const isDigit = (code: number): boolean => code >= 48 && code <= 57;

/** Writes JSON as `JSON.stringify` does, with all digits of each `LongInteger`. */
export function stringifyExactly(value: unknown): string {
  if (value instanceof LongInteger) return value.digits;
  if (Array.isArray(value)) return `[${value.map(stringifyExactly).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${stringifyExactly(item)}`).join(',')}}`;
}
