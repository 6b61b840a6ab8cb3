// Reads values of the API as the types of a schema.
import type { Parameter } from '../../upstream/description/description.ts';
import { UpstreamProtocolError } from '../../upstream/errors.ts';
import { kindOf, LongInteger } from '../../upstream/json.ts';

/** The type as which an output is read: the described one, or `BigInt` for an Integer without bounds. */
type ReadType = Parameter['type'] | 'BigInt';

/**
 * Returns the function that reads output values of a parameter as a type. Null stays null. It throws an UpstreamProtocolError for a
 * value that cannot be converted to the type without loss.
 * @param remedy What the error adds for an integer beyond 2^53−1. Default: nothing.
 */
export function readerOf(
  { name, type }: { readonly name: string; readonly type: ReadType },
  remedy = '',
): (value: unknown) => unknown {
  const convert = READERS[type];
  return (value) => {
    if (value === null || value === undefined) return null;
    const converted = convert(value);
    if (converted !== undefined) return converted;
    throw new UpstreamProtocolError(
      `The management API returned ${kindOf(value)} for ${name}, which cannot be converted to ${type} without loss.${type === 'Integer' && isBeyondSafe(value) ? remedy : ''}`,
    );
  };
}

/** Whether a value is an integer that JSON parsing may have rounded. */
const isRounded = (value: unknown): boolean => Number.isInteger(value) && !Number.isSafeInteger(value);

/** Whether a value is an integer beyond 2^53−1, as a number or as digits. */
const isBeyondSafe = (value: unknown): boolean =>
  value instanceof LongInteger || (readBigInteger(value) !== undefined && readInteger(value) === undefined);

const toText = (value: unknown): unknown =>
  value instanceof LongInteger ||
  typeof value === 'string' ||
  (typeof value === 'number' && Number.isFinite(value) && !isRounded(value)) ||
  typeof value === 'boolean'
    ? String(value)
    : undefined;

/** Maximum depth of a JSON value. Deeper values could exhaust the stack when they are serialized. */
export const MAX_LEVELS = 200;

/** Whether a JSON value can be passed on unchanged: it contains no rounded or infinite number and is not nested too deeply. */
export function isFaithful(value: unknown, levels = MAX_LEVELS): boolean {
  if (typeof value === 'number') return Number.isFinite(value) && !isRounded(value);
  if (typeof value !== 'object' || value === null) return true;
  if (value instanceof LongInteger) return false;
  return levels > 0 && Object.values(value).every((item) => isFaithful(item, levels - 1));
}

const readFaithful = (value: unknown): unknown => (isFaithful(value) ? value : undefined);

/** Each reader returns undefined for a value that it cannot convert. */
const READERS: Readonly<Record<ReadType, (value: unknown) => unknown>> = {
  String: toText,
  Text: toText,
  Datetime: toText,
  Boolean: (value) => (typeof value === 'boolean' ? value : undefined),
  Integer: readInteger,
  BigInt: readBigInteger,
  Float: (value) => {
    const isText = (typeof value === 'string' && value.trim() !== '') || value instanceof LongInteger;
    const number = isText ? Number(value) : value;
    return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
  },
  Custom: readFaithful,
  Resource: readFaithful,
};

/** Reads a safe integer from a number or from digits. Returns undefined for other values. */
export function readInteger(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^[+-]?\d+$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) ? number : undefined;
}

/** Reads an integer of any size as its decimal digits. Returns undefined for other values, and for a rounded number. */
function readBigInteger(value: unknown): string | undefined {
  if (value instanceof LongInteger) return value.digits;
  if (typeof value === 'string' && /^[+-]?\d{1,1000}$/.test(value)) return String(BigInt(value));
  return Number.isSafeInteger(value) ? String(value) : undefined;
}
