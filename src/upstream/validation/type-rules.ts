// Converts input values by the protocol's type rules, as the server does before it validates them.
import type { Parameter } from '../description/description.ts';
import { isObject, LongInteger } from '../json.ts';
import { parseDatetime } from './datetime.ts';
import { inspect, numberOnWire, print, strip } from './ruby-values.ts';

/**
 * How the server converts a given value: to the value that validators check (an Integer is a bigint, a Float a number), to
 * null, or to a refusal. `undecided`: only the server can decide.
 */
export type CoercedInput =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'null' }
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'undecided' };

const UNDECIDED: CoercedInput = { kind: 'undecided' };
const accept = (value: unknown): CoercedInput => ({ kind: 'value', value });
const refuse = (message: string): CoercedInput => ({ kind: 'refused', message });

/**
 * Applies the protocol's type rules to a value that is not null. A blank text becomes null if the parameter accepts
 * null.
 */
export function coerceInput(parameter: Parameter, raw: unknown): CoercedInput {
  if (typeof raw === 'string' && strip(raw) === '') {
    if (parameter.nullable === true && !parameter.required) return { kind: 'null' };
    // Servers of protocol 1 do not describe which parameters accept null, and do not check types strictly.
    if (parameter.nullable === null && parameter.type !== 'String' && parameter.type !== 'Text') {
      return UNDECIDED;
    }
  }
  const value = typeof raw === 'number' ? numberOnWire(raw) : raw;
  switch (parameter.type) {
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
      return isNested(value) ? refuse(`not a valid string: ${inspect(value)}`) : accept(print(value));
    case 'Resource':
      return coerceIdentifier(value);
    case 'Custom':
      return accept(value);
  }
}

const isNested = (value: unknown): boolean => Array.isArray(value) || isObject(value);

function coerceInteger(value: unknown): CoercedInput {
  if (typeof value === 'bigint') return accept(value);
  if (value instanceof LongInteger) return accept(BigInt(value.digits));
  if (typeof value === 'number' && Number.isInteger(value)) return accept(BigInt(value));
  if (typeof value === 'string' && /^[+-]?\d+$/.test(strip(value))) return accept(BigInt(strip(value)));
  return refuse(`not a valid integer: ${inspect(value)}`);
}

/** Underscores are allowed between digits, as in Ruby. */
const DIGITS = String.raw`\d+(?:_\d+)*`;
const FLOAT = new RegExp(
  String.raw`^[+-]?(?:${DIGITS}(?:\.${DIGITS})?|\.${DIGITS})(?:e[+-]?${DIGITS})?$`,
  'i',
);
/** Hexadecimal numbers, and a point without digits after it: they are floats in some versions of the server only. */
const VERSION_DEPENDENT_FLOAT = /^[+-]?(?:0x[\da-f_.]+(?:p[+-]?\d+)?|[\d_]+\.(?:e[+-]?[\d_]+)?)$/i;

function coerceFloat(value: unknown): CoercedInput {
  let float = Number.NaN;
  if (typeof value === 'number' || typeof value === 'bigint') float = Number(value);
  if (typeof value === 'string') {
    const text = strip(value);
    if (VERSION_DEPENDENT_FLOAT.test(text)) return UNDECIDED;
    if (FLOAT.test(text)) float = Number(text.replaceAll('_', ''));
  }
  return Number.isFinite(float) ? accept(float) : refuse(`not a valid float: ${inspect(value)}`);
}

const TRUE = new Set(['true', 't', 'yes', 'y', '1']);
const FALSE = new Set(['false', 'f', 'no', 'n', '0']);

function coerceBoolean(value: unknown): CoercedInput {
  if (typeof value === 'boolean') return accept(value);
  if (value === 0n || value === 1n) return accept(value === 1n);
  if (typeof value === 'string') {
    const token = strip(value).toLowerCase();
    if (TRUE.has(token) || FALSE.has(token)) return accept(TRUE.has(token));
  }
  return refuse(`not a valid boolean: ${inspect(value)}`);
}

function coerceDatetime(value: unknown): CoercedInput {
  const time = typeof value === 'string' ? parseDatetime(value) : null;
  if (time === 'undecided') return UNDECIDED;
  return time === null ? refuse(`not in ISO 8601 format: '${print(value)}'`) : accept(time);
}

/** Ids are integers from 0 or digits. Other texts are left to the server, whose ids may be texts. */
function coerceIdentifier(value: unknown): CoercedInput {
  if (typeof value === 'string' && strip(value) !== '') {
    return /^\+?\d+$/.test(strip(value)) ? accept(BigInt(strip(value))) : UNDECIDED;
  }
  if (typeof value === 'bigint' && value >= 0n) return accept(value);
  return refuse(`not a valid ID: ${inspect(value)}`);
}
