import type { Parameter, ValueType } from '../upstream/description.ts';
import { UpstreamProtocolError } from '../upstream/errors.ts';
import { kindOf } from '../upstream/reader.ts';

/** The scalar that a plain parameter has in GraphQL. */
export const SCALARS = {
  String: 'String',
  Text: 'String',
  Boolean: 'Boolean',
  Integer: 'SafeInt',
  Float: 'Float',
  Datetime: 'DateTime',
  Custom: 'JSON',
} as const satisfies Record<ValueType, string>;

/**
 * Reads an output value as its described type; null stays null whatever is described.
 * @throws UpstreamProtocolError when the value cannot be read as the type without changing it.
 */
export function readValue(parameter: Parameter, value: unknown): unknown {
  if (value === null || value === undefined) return null;
  const read = READERS[parameter.type](value);
  if (read !== undefined) return read;
  throw new UpstreamProtocolError(
    `The management API answered ${kindOf(value)} for ${parameter.name}, which cannot be read as ${parameter.type} without changing it.`,
  );
}

/** Whether a value is an integer that JavaScript may have rounded while it was parsed. */
const isRounded = (value: unknown): boolean => Number.isInteger(value) && !Number.isSafeInteger(value);

const text = (value: unknown): unknown =>
  typeof value === 'string' || (typeof value === 'number' && !isRounded(value)) || typeof value === 'boolean'
    ? String(value)
    : undefined;

/** Free structure, unless an integer in it may have been rounded. */
const free = (value: unknown): unknown => (holdsRounded(value) ? undefined : value);

function holdsRounded(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return isRounded(value);
  return Object.values(value).some(holdsRounded);
}

/** Each gives undefined for what it cannot read. */
const READERS: Readonly<Record<Parameter['type'], (value: unknown) => unknown>> = {
  String: text,
  Text: text,
  Datetime: text,
  Boolean: (value) => (typeof value === 'boolean' ? value : undefined),
  Integer: readInteger,
  Float: (value) => {
    const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
    return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
  },
  Custom: free,
  Resource: (value) => value,
};

/** An integer that JavaScript holds exactly, from a number or digits; undefined for anything else. */
export function readInteger(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^[+-]?\d+$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) ? number : undefined;
}
