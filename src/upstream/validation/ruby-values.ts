// Prints, trims and compares values as Ruby does.
import { isObject } from '../json.ts';

/** A Datetime as the server represents it: compared by its instant, printed in its original time zone. */
export class DatetimeValue {
  /** Seconds since 1970 and their fraction, e.g. `1580465430.123`; equal for equal instants. */
  readonly instant: string;
  /** As Ruby prints a time, e.g. `2020-01-31 10:20:00 +0200`. */
  readonly text: string;

  constructor(instant: string, text: string) {
    this.instant = instant;
    this.text = text;
  }
}

/** The characters that Ruby's `strip` removes: ASCII white space and NUL, but no Unicode white space. */
const BLANKS = '\0\t\n\v\f\r ';

/** Removes white space at both ends as Ruby does, in linear time. */
export function strip(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && BLANKS.includes(text.charAt(start))) start++;
  while (end > start && BLANKS.includes(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}

/** Converts a number as the server parses it from JSON: an Integer (bigint) if the text has neither point nor exponent. */
export function numberOnWire(value: number): bigint | number {
  return Number.isInteger(value) && Math.abs(value) < 1e21 ? BigInt(value) : value;
}

/** Prints a value as Ruby's `inspect`, e.g. `"12abc"`, `[]`, `nil`. */
export function inspect(value: unknown): string {
  if (typeof value === 'string') return inspectString(value);
  if (value === null || value === undefined) return 'nil';
  if (Array.isArray(value)) return `[${value.map(inspect).join(', ')}]`;
  if (isObject(value) && !(value instanceof DatetimeValue)) {
    const pairs = Object.entries(value).map(([key, inner]) => `${inspect(key)} => ${inspect(inner)}`);
    return `{${pairs.join(', ')}}`;
  }
  return print(typeof value === 'number' ? numberOnWire(value) : value);
}

/** Prints a value as the server does in a message. Semicolons separate the items of a list. */
export function print(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return printFloat(value);
  if (value instanceof DatetimeValue) return value.text;
  if (Array.isArray(value)) {
    return value.map((item) => print(typeof item === 'number' ? numberOnWire(item) : item)).join('; ');
  }
  return typeof value === 'object' ? inspect(value) : String(value);
}

/** Prints a float as Ruby does: always with a point, and with an exponent below 1e-4 and for whole numbers from 1e15. */
function printFloat(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0';
  if (size < 1e-4 || (size >= 1e15 && Number.isInteger(value))) {
    const [digits = '', exponent = ''] = value.toExponential().split('e');
    const point = digits.includes('.') ? digits : `${digits}.0`;
    return `${point}e${exponent.slice(0, 1)}${exponent.slice(1).padStart(2, '0')}`;
  }
  return Number.isInteger(value) ? `${value}.0` : String(value);
}

/** Characters that Ruby escapes by a letter, and their letters. */
const ESCAPED = '"\\\n\r\t\f\v\b\x07\x1b';
const LETTERS = '"\\nrtfvbae';

function inspectString(text: string): string {
  const escaped = text.replace(/["\\\p{Cc}\p{Cn}\p{Cs}\u2028\u2029]|#(?=[{$@])/gu, (found) => {
    if (found === '#') return '\\#';
    if (ESCAPED.includes(found)) return `\\${LETTERS.charAt(ESCAPED.indexOf(found))}`;
    const code = (found.codePointAt(0) ?? 0).toString(16).toUpperCase();
    return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
  });
  return `"${escaped}"`;
}

/** Whether two values are equal in Ruby, which compares an Integer and a Float by value. */
export function equals(left: unknown, right: unknown): boolean {
  if (typeof left === 'number' && typeof right === 'number') return left === right;
  if (isNumeric(left) && isNumeric(right)) return !(left < right) && !(left > right);
  if (left instanceof DatetimeValue && right instanceof DatetimeValue) return left.instant === right.instant;
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item, index) => equals(item, right[index]));
  }
  if (isObject(left) && isObject(right)) {
    const keys = Object.keys(left);
    return (
      keys.length === Object.keys(right).length &&
      keys.every((key) => Object.hasOwn(right, key) && equals(left[key], right[key]))
    );
  }
  return left === right;
}

/** Whether a value is a number: an Integer (bigint) or a Float. */
export const isNumeric = (value: unknown): value is bigint | number =>
  typeof value === 'bigint' || typeof value === 'number';

/** Whether a described number has lost digits in JavaScript. */
export const isInexact = (value: unknown): boolean =>
  typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value);

/** Whether a value equals a described value. A described number that has lost digits is compared as a float. */
export function equalsDescribed(value: unknown, described: unknown): boolean {
  if (isInexact(described)) return isNumeric(value) && Number(value) === described;
  return equals(value, typeof described === 'number' ? numberOnWire(described) : described);
}
