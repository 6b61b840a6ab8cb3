import type { Parameter } from '../description/description.ts';
import { isObject } from '../reader.ts';
import { parseDatetime } from './datetime.ts';
import { inspect, numberOnWire, print, strip } from './ruby-text.ts';

/**
 * What the server makes of a given value: the value that validators see (an Integer is a bigint, a Float a number),
 * null, a refusal, or something that only the server can tell.
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
 * Applies the protocol's type rules to a given value that is not null (typed input validation, per-type rules).
 * A blank text is null where the parameter may be null.
 */
export function coerceInput(parameter: Parameter, raw: unknown): CoercedInput {
  if (typeof raw === 'string' && strip(raw) === '') {
    if (parameter.nullable === true && !parameter.required) return { kind: 'null' };
    // Servers of protocol 1 do not tell what they take for null, and have no strict types.
    if (parameter.nullable === null && parameter.type !== 'String' && parameter.type !== 'Text') {
      return UNDECIDED;
    }
  }
  const value = typeof raw === 'number' ? numberOnWire(raw) : raw;
  switch (parameter.type) {
    case 'Integer':
      return cleanInteger(value);
    case 'Float':
      return cleanFloat(value);
    case 'Boolean':
      return cleanBoolean(value);
    case 'Datetime':
      return cleanDatetime(value);
    case 'String':
    case 'Text':
      return isNested(value) ? refuse(`not a valid string: ${inspect(value)}`) : accept(print(value));
    case 'Resource':
      return cleanIdentifier(value);
    case 'Custom':
      return accept(value);
  }
}

const isNested = (value: unknown): boolean => Array.isArray(value) || isObject(value);

function cleanInteger(value: unknown): CoercedInput {
  if (typeof value === 'bigint') return accept(value);
  if (typeof value === 'number' && Number.isInteger(value)) return accept(BigInt(value));
  if (typeof value === 'string' && /^[+-]?\d+$/.test(strip(value))) return accept(BigInt(strip(value)));
  return refuse(`not a valid integer: ${inspect(value)}`);
}

/** Underscores may stand between digits, as in Ruby. */
const DIGITS = String.raw`\d+(?:_\d+)*`;
const FLOAT = new RegExp(
  String.raw`^[+-]?(?:${DIGITS}(?:\.${DIGITS})?|\.${DIGITS})(?:e[+-]?${DIGITS})?$`,
  'i',
);
/** Hexadecimal, or a point with nothing after it: whether these are floats depends on the server's version. */
const UNSURE_FLOAT = /^[+-]?(?:0x[\da-f_.]+(?:p[+-]?\d+)?|[\d_]+\.(?:e[+-]?[\d_]+)?)$/i;

function cleanFloat(value: unknown): CoercedInput {
  let float = Number.NaN;
  if (typeof value === 'number' || typeof value === 'bigint') float = Number(value);
  if (typeof value === 'string') {
    const text = strip(value);
    if (UNSURE_FLOAT.test(text)) return UNDECIDED;
    if (FLOAT.test(text)) float = Number(text.replaceAll('_', ''));
  }
  return Number.isFinite(float) ? accept(float) : refuse(`not a valid float: ${inspect(value)}`);
}

const TRUE = new Set(['true', 't', 'yes', 'y', '1']);
const FALSE = new Set(['false', 'f', 'no', 'n', '0']);

function cleanBoolean(value: unknown): CoercedInput {
  if (typeof value === 'boolean') return accept(value);
  if (value === 0n || value === 1n) return accept(value === 1n);
  if (typeof value === 'string') {
    const token = strip(value).toLowerCase();
    if (TRUE.has(token) || FALSE.has(token)) return accept(TRUE.has(token));
  }
  return refuse(`not a valid boolean: ${inspect(value)}`);
}

function cleanDatetime(value: unknown): CoercedInput {
  const time = typeof value === 'string' ? parseDatetime(value) : null;
  if (time === 'undecided') return UNDECIDED;
  return time === null ? refuse(`not in ISO 8601 format: '${print(value)}'`) : accept(time);
}

/** Identifiers are numbers from 0 or digits; other texts are left to servers whose identifiers are texts. */
function cleanIdentifier(value: unknown): CoercedInput {
  if (typeof value === 'string' && strip(value) !== '') {
    return /^\+?\d+$/.test(strip(value)) ? accept(BigInt(strip(value))) : UNDECIDED;
  }
  if (typeof value === 'bigint' && value >= 0n) return accept(value);
  return refuse(`not a valid ID: ${inspect(value)}`);
}
