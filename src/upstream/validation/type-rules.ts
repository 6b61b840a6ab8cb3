// Converts input values by the protocol's type rules, as the server does before it validates them.
import type { Parameter } from '../description/description.ts';
import { isObject, LongInteger } from '../json.ts';
import { parseDatetime } from './datetime.ts';
import { inspect, numberOnWire, print, strip } from './ruby-values.ts';

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
      return isNested(value) ? refuse(value, 'not a valid string') : print(value);
    case 'Resource':
      return coerceIdentifier(value);
    case 'Custom':
      return value;
  }
}

const refuse = (value: unknown, reason: string): Refused =>
  new Refused(value, 'TYPE_MISMATCH', `${reason}: ${inspect(value)}`);

const isNested = (value: unknown): boolean => Array.isArray(value) || isObject(value);

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
