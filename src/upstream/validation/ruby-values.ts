// Converts input values by the protocol's type rules before they are validated, and prints and compares them, as the server does in Ruby.
import type { Parameter } from '../description/description.ts';
import { isObject, LongInteger } from '../json.ts';
import { DatetimeValue, parseDatetime } from './datetime.ts';

/** Stands for a value that only the server can determine. */
export const UNDECIDED = Symbol('undecided');

/** A value that the server refuses. */
export class Refused {
  readonly given: unknown;
  readonly code: 'REQUIRED' | 'NULL_NOT_ALLOWED' | 'TYPE_MISMATCH';
  readonly message: string;

  constructor(given: unknown, code: Refused['code'], message: string) {
    this.given = given;
    this.code = code;
    this.message = message;
  }
}

/**
 * Converts a value as the server does before validation: to the value that validators check (an Integer is a bigint, a Float a number), to
 * null, `UNDECIDED` or `Refused`. A blank text becomes null if the parameter accepts null. An omitted value stays undefined.
 */
export function coerceInput(parameter: Parameter, given: unknown): unknown {
  const { type, required, nullable } = parameter;
  if (given === undefined || given === null) {
    if (required) return new Refused(given, 'REQUIRED', 'required parameter is missing');
    const isRefused = given === null && nullable === false;
    return isRefused ? new Refused(given, 'NULL_NOT_ALLOWED', 'cannot be null') : given;
  }
  if (typeof given === 'string' && strip(given) === '') {
    if (nullable === true && !required) return null;
    // Servers of protocol 1 do not describe which parameters accept null, and do not check types strictly.
    if (nullable === null && type !== 'String' && type !== 'Text') return UNDECIDED;
  }
  const value = typeof given === 'number' ? numberOnWire(given) : given;
  switch (type) {
    case 'Integer':
      return coerceInteger(value);
    case 'Float':
      return coerceFloat(value);
    case 'Boolean':
      return coerceBoolean(value);
    case 'Datetime':
      return coerceDatetime(value);
    case 'String':
    case 'Text':
      return typeof value === 'object' ? refuse(value, 'not a valid string') : print(value);
    case 'Resource':
      return coerceIdentifier(value);
    case 'Custom':
      return value;
  }
}

const refuse = (value: unknown, reason: string): Refused =>
  new Refused(value, 'TYPE_MISMATCH', `${reason}: ${inspect(value)}`);

function coerceInteger(value: unknown): unknown {
  if (typeof value === 'bigint') return value;
  if (value instanceof LongInteger) return BigInt(value.digits);
  if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value);
  if (typeof value === 'string' && /^[+-]?\d+$/.test(strip(value))) return BigInt(strip(value));
  return refuse(value, 'not a valid integer');
}

/** Underscores are allowed between digits, as in Ruby. */
const DIGITS = String.raw`\d+(?:_\d+)*`;
const FLOAT = new RegExp(
  String.raw`^[+-]?(?:${DIGITS}(?:\.${DIGITS})?|\.${DIGITS})(?:e[+-]?${DIGITS})?$`,
  'i',
);
/** Hexadecimal numbers, and a point without digits after it: they are floats in some versions of the server only. */
const VERSION_DEPENDENT_FLOAT = /^[+-]?(?:0x[\da-f_.]+(?:p[+-]?\d+)?|[\d_]+\.(?:e[+-]?[\d_]+)?)$/i;

function coerceFloat(value: unknown): unknown {
  let float = Number.NaN;
  if (typeof value === 'number' || typeof value === 'bigint') float = Number(value);
  if (typeof value === 'string') {
    const text = strip(value);
    if (VERSION_DEPENDENT_FLOAT.test(text)) return UNDECIDED;
    if (FLOAT.test(text)) float = Number(text.replaceAll('_', ''));
  }
  return Number.isFinite(float) ? float : refuse(value, 'not a valid float');
}

const TRUE = new Set(['true', 't', 'yes', 'y', '1']);
const FALSE = new Set(['false', 'f', 'no', 'n', '0']);

function coerceBoolean(value: unknown): unknown {
  if (typeof value === 'boolean') return value;
  if (value === 0n || value === 1n) return value === 1n;
  if (typeof value === 'string') {
    const token = strip(value).toLowerCase();
    if (TRUE.has(token) || FALSE.has(token)) return TRUE.has(token);
  }
  return refuse(value, 'not a valid boolean');
}

function coerceDatetime(value: unknown): unknown {
  const time = typeof value === 'string' ? parseDatetime(value) : null;
  if (time === 'undecided') return UNDECIDED;
  return time === null
    ? new Refused(value, 'TYPE_MISMATCH', `not in ISO 8601 format: '${print(value)}'`)
    : time;
}

/** Ids are integers from 0 or digits. Other texts are left to the server, whose ids may be texts. */
function coerceIdentifier(value: unknown): unknown {
  if (typeof value === 'string' && strip(value) !== '') {
    return /^\+?\d+$/.test(strip(value)) ? BigInt(strip(value)) : UNDECIDED;
  }
  if (typeof value === 'bigint' && value >= 0n) return value;
  return refuse(value, 'not a valid ID');
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
function numberOnWire(value: number): bigint | number {
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
