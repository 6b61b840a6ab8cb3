import type { Parameter, ValueType } from '../../upstream/description/description.ts';
import { UpstreamProtocolError } from '../../upstream/errors/upstream-errors.ts';
import { kindOf } from '../../upstream/reader.ts';

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
export function readValue(parameter: Pick<Parameter, 'name' | 'type'>, value: unknown): unknown {
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

/** Levels of free structure: beyond, one would run out of stack where it is written. */
export const MAX_LEVELS = 200;

/** Whether free structure can be passed on as it is: no integer in it may have been rounded, and it is not nested too deeply. */
export function isFaithful(value: unknown, levels = MAX_LEVELS): boolean {
  if (typeof value !== 'object' || value === null) return !isRounded(value);
  return levels > 0 && Object.values(value).every((item) => isFaithful(item, levels - 1));
}

const faithful = (value: unknown): unknown => (isFaithful(value) ? value : undefined);

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
  Custom: faithful,
  Resource: faithful,
};

/** An integer that JavaScript holds exactly, from a number or digits; undefined for anything else. */
export function readInteger(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^[+-]?\d+$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) ? number : undefined;
}
