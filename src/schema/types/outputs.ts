// Chooses the GraphQL types of output values and reads the values.

import type { Operation } from '../../loaders/operation.ts';
import type { Parameter, ValueType } from '../../upstream/description/description.ts';
import { UpstreamProtocolError } from '../../upstream/errors/upstream-errors.ts';
import { kindOf } from '../../upstream/reader.ts';
import type { ResourceModel } from '../model/model.ts';
import type { Enums, ServedEnum } from './enums.ts';

/** The GraphQL scalar of each value type. */
export const SCALARS = {
  String: 'String',
  Text: 'String',
  Boolean: 'Boolean',
  Integer: 'SafeInt',
  Float: 'Float',
  Datetime: 'DateTime',
  Custom: 'JSON',
} as const satisfies Record<ValueType, string>;

/** The GraphQL type and the reader of an output parameter that is not an association. */
export interface OutputValue {
  readonly type: ServedEnum['ref'] | (typeof SCALARS)[keyof typeof SCALARS];
  /**
   * Reads a value. A value that the enum does not contain becomes null with a warning, because an error would repeat for each row.
   * @param coordinate Schema coordinate of the field, e.g. `Book.state`.
   * @throws UpstreamProtocolError when the value is of another type.
   */
  read(value: unknown, operation: Operation, coordinate: string): unknown;
}

/** Returns the enum of the input parameter with the same name if there is one, otherwise the scalar of the output parameter. */
export function outputValueOf(enums: Enums, resource: ResourceModel, parameter: Parameter): OutputValue {
  const served = enums.enumForOutput(resource, parameter);
  if (served === null) {
    const type = parameter.type === 'Resource' ? 'JSON' : SCALARS[parameter.type];
    return { type, read: readerOf(parameter) };
  }
  const readText = readerOf(parameter);
  return {
    type: served.ref,
    read(value, operation, coordinate) {
      const text = readText(value);
      if (typeof text !== 'string' || served.values.has(text)) return text;
      operation.warn('ENUM_VALUE_UNKNOWN', coordinate);
      return null;
    },
  };
}

/**
 * Returns the function that reads output values of a parameter as its described type. Null stays null. It throws an
 * UpstreamProtocolError for a value that cannot be converted to the type without loss.
 */
export function readerOf({ name, type }: Pick<Parameter, 'name' | 'type'>): (value: unknown) => unknown {
  const convert = READERS[type];
  return (value) => {
    if (value === null || value === undefined) return null;
    const converted = convert(value);
    if (converted !== undefined) return converted;
    throw new UpstreamProtocolError(
      `The management API returned ${kindOf(value)} for ${name}, which cannot be converted to ${type} without loss.`,
    );
  };
}

/** Whether a value is an integer that JSON parsing may have rounded. */
const isRounded = (value: unknown): boolean => Number.isInteger(value) && !Number.isSafeInteger(value);

const toText = (value: unknown): unknown =>
  typeof value === 'string' || (typeof value === 'number' && !isRounded(value)) || typeof value === 'boolean'
    ? String(value)
    : undefined;

/** Maximum depth of a JSON value. Deeper values could exhaust the stack when they are serialized. */
export const MAX_LEVELS = 200;

/** Whether a JSON value can be passed on unchanged: it contains no rounded integer and is not nested too deeply. */
export function isFaithful(value: unknown, levels = MAX_LEVELS): boolean {
  if (typeof value !== 'object' || value === null) return !isRounded(value);
  return levels > 0 && Object.values(value).every((item) => isFaithful(item, levels - 1));
}

const readFaithful = (value: unknown): unknown => (isFaithful(value) ? value : undefined);

/** Each reader returns undefined for a value that it cannot convert. */
const READERS: Readonly<Record<Parameter['type'], (value: unknown) => unknown>> = {
  String: toText,
  Text: toText,
  Datetime: toText,
  Boolean: (value) => (typeof value === 'boolean' ? value : undefined),
  Integer: readInteger,
  Float: (value) => {
    const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
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
